"""How people write one line of a decklist: `3x Name`, `Name x3`, `3. Name`, several cards, other programs' marks."""

import html
import re
from collections.abc import Iterator
from functools import lru_cache

from decks.lists.model import Limits, ListEntry, ListError
from decks.lists.names import checked_count, split_name
from decks.lists.vocabulary import CARDS as CARDS_WORD
from decks.lists.vocabulary import COPIES, NUMBERS, Role, names_a_part, word_of

_BULLETS = "•·»›▪◦●○◆◇■□►▸▶‣✓✔☐☑–—"
# “🃏 3x Name”; a circled number is a number.
_PICTURE = re.compile(
    r"^(?:[\u2190-\u23ff\u2500-\u2775\u2794-\u2bff\ue000-\uf8ff\U0001f000-\U0001faff][\ufe0e\ufe0f\u200d]*)+ ?(?=\S)"
)
_BULLET = re.compile(rf"^(?:(?:[-*] )?\[[ xX]?\] (?=\S)|[-*+{_BULLETS}] (?=\S)|[{_BULLETS}]+(?=[\dxX×]))")
# [b]...[/b], <li>...</li>: marks of a forum or of a page round a line.
_MARKUP = re.compile(
    r"\[/?(?:b|i|u|list|\*|code|quote|center|size|color|url|card|font|img|h[1-6]|[uo]l|li|t[dhr]|table|spoiler)"
    r"(?:=[^\[\]]{0,200})?\]"
    r"|</?(?:b|i|u|em|strong|li|ul|ol|p|br|span|div|a|t[dhr]|thead|tbody|table|h[1-6]|html|head|body|section|details|summary)\b[^<>]{0,300}>",
    re.I,
)
# “[Name](https://...)”, “_(Core Set)_”: how Markdown writes a link, and words that lean.
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\((?:https?:)?//?[^()\s]{1,500}\)")
_CARD_LINK = re.compile(
    r"\[\[([^\[\]|]{1,200})(?:\|[^\[\]]{0,200})?\]\]"
)  # “[[Sol Ring]]”, “[[Sol Ring|C21]]”
_LEANING = re.compile(r"(?<!\w)([*_])(\([^()]{1,100}\))\1(?!\w)")
_STRONG_COUNT = re.compile(
    r"^((?:[-*•] )?(?:\[[ xX]?\] )?)(\*\*|__)([xX×]?\d{1,3} ?[xX×]?)\2"
)  # “- **3x** Name”
# “[12:31, 3.1.2022] Ann: 3x Name”: who said it, and when, as a chat has it
_CHAT = re.compile(r"^\[(?=[^\[\]]*\d:\d\d)[^\[\]]{5,30}\] [^:\[\]]{1,40}: (?=\S)")
# “Qty 3: Name”, “Anzahl: 3, Name”
_COUNT_WORD = re.compile(
    r"^(?:qty|quantity|count|copies|anzahl|menge|cantidad|quantité|수량|枚数)[.:]? ?(\d{1,3}) ?[:,;x×–-]? (?=[^\W\d])",
    re.I,
)
_PLACE = re.compile(r"^#\d{1,4} (?=\d{1,2} ?[xX×])")  # “#001 3xName”: the line's number in front
_CODE_MARK = re.compile(r"^`{1,3}([^`]+)`{1,3}")  # “`3x` Name”
_STRONG_WORD = re.compile(r"^(\*\*|__)([^*_]{2,40}:)\1(?= \S)")  # “**Investigator:** Name”
_TABLE_ROW = re.compile(r"^\|(.*)\|$")
_PREFIX = re.compile(r"^([+-]?\d+)(?: ?[xX×] | ?× ?|[xX])(?=\S)(.+)$")
_PREFIX_REVERSED = re.compile(r"^[xX×] ?([+-]?\d+)(?: |(?<=\d)(?=[^\W\d]))(.+)$")
_SUFFIX = re.compile(
    r"^(.*\S)(?: (?:[x×] ?|X)([+-]?\d+)| ?\([xX×] ?([+-]?\d+)\))"
    r"((?: ?\([^()]*\)| ?\[[^\[\]]*\]| (?:#|//|--|<-|[✓✔☑☠☆★]|\*\w+\*).*)?)$"
)
_SUFFIX_X = re.compile(r"^(.*[^\W\d].*?) [(\[]?(\d{1,2}) ?[xX×][)\]]?$")  # “Name 3x”
_SUFFIX_GLUED = re.compile(r"^(.*\w(?<![xX×\d]))(?:[x×]| ?\[[xX×]| ?\*)(\d{1,3})\]?$")
_BARE = re.compile(r"^(?:([+-]?\d+)|[(\[{<] ?([+-]?\d+) ?[)\]}>]) ?(?<=[\s)\]}>])(\S.*)$")
# “2-3x Rats”, “2/3 Dogs”, “1 or 2 Cats”, “~3 Mice”: copies that nobody has settled.
UNSETTLED = re.compile(
    r"^(?:[~≈±] ?\d{1,3}|\d{1,3} ?(?:[-–~/+]|(?:or|to|oder|bis|ou|à|o) ) ?\d{1,3}"
    r"|\d{1,3} ?\?|\?+|\d{1,3}[.,]\d{1,2}(?= ?[xX×]? ))"
    r" ?[xX×]? ?(?=\S*[^\W\d])"
)
UNSETTLED_BEHIND = re.compile(
    r"[^\W\d].* (?:\(?\d{1,2} ?[/+] ?\d{1,2}\)?|[(\[]?[xX×]? ?\d{1,2} ?[xX×]? ?\?+[)\]]?)$"
)  # “Name 3/1”: in the deck and beside it; “Name (2?)”
_PUNCTUATED = re.compile(
    r"^(\d{1,3})(?:(?:[.):;,=*|–-]| ?[–=|:]) ?(?=[^\W\d]|[.\"'“*《「『【])|(?=[《「『【]))(\S.*)$"
)
# “3 Stk. Rats, 2 mal Dogs”, “Rats 3장”, “Rats x3枚”
_UNIT_BEFORE = re.compile(
    rf"(?:(?<=^)|(?<=[,;] ))(\d{{1,3}}) ?-?(?:{COPIES}) (?:(?-i:de|di|do|da|von) |d['’])?(?=\S)", re.I
)
_UNIT_BEHIND = re.compile(rf" ?(?:[:=×xX*-] ?|\()?(?<!\d)(\d{{1,3}}) ?(?:{COPIES})\)?$", re.I)
_OF = re.compile(r"^(?:(?i:cop(?:y|ies) of|cop(?:y|ies)|pcs\.?|pieces? of)|of) (?=\S)")
_IN_WORDS = re.compile(r"^\(([^\W\d]{2,8})\) (?=\S)")
_AFTER_TAB = re.compile(r"^([^\t]*[^\W\d][^\t]*)\t+([+-]?\d+)$")
# “- $1.25”, “0,35 €”, “(EUR 2.00)” at the end: what a shop asks for the card.
_PRICE = re.compile(
    r" ?[-–—:@|(\[]? ?(?:(?:[$€£¥]|\b(?:EUR|USD|GBP)) ?\d{1,5}(?:[.,]\d{1,2})?"
    r"|(?<![\d.,])\d{1,5}[.,]\d{2} ?(?:[$€£]|(?:EUR|USD|GBP|[Tt]ix)\b))[)\]]?$"
)
LONGEST_PRICE = 16  # characters from its first digit on
_DIGIT = re.compile(r"\d")
NUMBER_BEHIND = re.compile(r"\D\d")  # a number that the line doesn't begin with
# the first of "1. 3x Name"; “1.5x Name” is none
_NUMBERED = re.compile(r"^(\d{1,3})(?:[.)] |\)(?=\S)|\.(?=[^\s\d]))")
COUNTED_INSIDE = re.compile(r"^\d{1,3} ?[xX×] ?\S|[xX×] ?\d{1,3}$")

# The comma of “10,000” is none between cards.
_NEXT_COUNT = re.compile(r" ?(?:;|,(?!(?<=\d,)\d{3}\b)) ?(?=[+-]?\d+(?: ?[xX×] |[xX×]| )\S)")
_NEXT_SUFFIX = re.compile(r"(?:(?<=[xX×]\d)|(?<=[xX×]\d\d)) ?[,;、·] ?(?=\S)")
# "3x A 2x B", "3x A and 2x B", "3x A / 2x B": only a count with its x begins another card without a comma.
_NEXT_COUNT_X = re.compile(r"(?: (?:and|und|&|\+|/|\|))? (?=\d{1,3} ?[xX×] ?[^\W\d])")
# "SB: 3x A", "Characters: 3x A, 2x B": a heading and its cards on one line.
_HEADED = re.compile(r"^(?=[^\W\d])([^:]{2,40}?) ?: ?(?=\d{1,3}(?: ?[xX×] ?|, ?| )[\[\"“]?[^\W\d])(.+)$")
# "Characters (5): A x3, B x2", "Events: A x3": the same with the counts behind.
_HEADED_BEHIND = re.compile(r"^(?=[^\W\d])([^:()]{2,40}?(?: ?\(\d{1,3}\))?) ?: ?(\S.*)$")
# “SB 3 Name”, “[Side] 3x Name”: the part of the list before the count, without a colon.
_BEHIND_ITS_PART = re.compile(
    r"^[\[(<{]?(?=[^\W\d])([^\W\d][\w -]{1,20}?)[\])>}]?(?: ?[:|=-]+)? (?=\d{1,3}(?: ?[xX×] ?| )[\"“]?[^\W\d])(.+)$"
)
_OWN_TOTAL = re.compile(r" ?\((\d{1,3})\)$")

# How a mail begins and ends.
_GREETING = (
    r"^¡?(?:hi|hello|hey|dear|greetings|(?:many )?thanks|thank you|cheers|(?:best |kind )?regards|best wishes"
    r"|hallo|guten (?:tag|morgen|abend)|servus|moin|danke(?: schön)?|vielen dank|(?:viele|liebe|beste|schöne) grüße"
    r"|lg|mfg"
    r"|bonjour|bonsoir|salut|merci(?: beaucoup| d'avance)?|cordialement|bien à vous|amicalement"
    r"|hola|buen(?:os|as) (?:días|tardes|noches)|(?:muchas )?gracias|(?:un )?saludos?"
    r"|ciao|buongiorno|grazie|olá|obrigad[oa]"
    r"|안녕하세요|안녕하십니까|감사합니다|고맙습니다|수고하세요|잘 부탁드립니다"
    r"|こんにちは|お世話になっております|ありがとうございます|よろしくお願い(?:いた)?します|你好|谢谢|謝謝)"
    r"(?: (?:all|there|everyone|again|so much|a lot|in advance|zusammen|à tous|a todos))?(?:[,.!。、！].{0,40})?$"
)
# How a mail program says whose words stand below: “On Mon, 3 Jan 2022 at 10:11, Ann <ann@example.org> wrote:”.
WROTE = re.compile(
    r"^(?=.{8,200}$)[^\W\d].*\b"
    r"(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|skrev|schreef|napisała?|написала?)\b[^:]{0,80}:$"
    r"|^.{8,200}(?:작성|写道|寫道)[:：]$",
    re.I,
)
# What programs say of themselves and of the list, before or behind it.
REMARK = re.compile(
    r"^(?:#|//|--|;|!|>)"
    r"|^(?:deck(?:list)? )?(?:built|created|made|exported|generated|published) (?:on|with|by|using|from)\b"
    r"|^(?:sent from my|get outlook for|von meinem .{2,30} gesendet|gesendet von|envoyé (?:de|depuis) mon"
    r"|enviado desde mi|inviato da(?:l mio)?|verzonden (?:vanaf|met) mijn)\b|에서 보냄$|から送信$"
    rf"|https?://|^\d+ cards? (?:required|needed|min)|^cards? up to\b|^about$|{_GREETING}",
    re.I,
)
# “15 influence spent (max 15)”, “45 cards (min 45)”, “18 agenda points (between 18 and 19)”.
FOOTER = re.compile(
    r"^\d+(?: ?/ ?\d+)? "
    r"(?:influence(?: points?)?|agenda points?|experience(?: points?)?|xp|threat|gold|cards?|heroes|allies)"
    r"(?: (?:spent|used|required|needed|available|total|earned|left|remaining)\b.*"
    r"|,? ?\((?:min|max|between|minimum|maximum|available|required|at least|at most|limit)\b.*\)"
    r"|, \d+ .*)$|^\d+ agenda points$|^starting threat:? \d+$"
    r"|^\d[\d,.]* (?:likes?|comments?|views?|favou?rites?|upvotes?)$"
    r"|^(?:packs?|sets|card ?pool|cycles?) ?: .*$",
    re.I,
)
_SUM = r"total|gesamt|insgesamt|summe|totale|razem|totaal|итого|총|총계|총합|합계|합|合計|計|总计|總計|共"
TOTAL = re.compile(
    rf"^(?:(?:.{{0,60}}\W)?(?:{_SUM})(?: (?:(?:de|di) )?{CARDS_WORD})?|cards?(?: total)?|deck size)"
    rf" ?[:=]? ?\(?(\d+)\)?(?: ?{CARDS_WORD})?(?: in all)?$",
    re.I,
)
_SUM_AT_THE_END = re.compile(rf"(?:^|\W+)(?:{_SUM})? ?[:=(]* ?$", re.I)


def without_sum(label: str) -> str:
    """“Sideboard total: ” is said of the sideboard."""
    return _SUM_AT_THE_END.sub("", label)


CARDS = re.compile(
    rf"^(?:deck ?:? ?)?\(?(\d+)"
    rf"(?: ?{CARDS_WORD}(?: (?:{_SUM}|in all|au total|en total|in totale))?| (?:sum )?total(?: cards?)?)\)?"
    r"(?:[,;] .{0,60})?$",
    re.I,
)
# “Air (1/1) Earth (1/1)”, “Total Conflict: (40) Total Dynasty: (40)”: several sums on one line, and no card.
TALLY = re.compile(
    rf"^(?:(?:[^\W\d][^():]{{0,30}}:? ?\(\d{{1,3}} ?/ ?\d{{1,3}}\)[,;|]? ?){{2,20}}"
    rf"|(?:(?:{_SUM})\b[^():]{{0,30}}:? ?\(?\d{{1,3}}(?: ?/ ?\d{{1,3}})?\)?[,;|]? ?){{2,20}}"
    rf"|(?:{_SUM})\b[^():]{{0,30}}:? ?\(?\d{{1,3}} ?/ ?\d{{1,3}}\)?)$",
    re.I,
)
# “card sideboard”, “in the side”: what stands between a number and the part it is the size of.
OF_A_PART = re.compile(
    rf"^(?:-?{CARDS_WORD}[ -])?(?:(?:in|for|im|en|dans) )?(?:(?:the|my|der|die|le|la|el) )?(?=\S)", re.I
)


@lru_cache(maxsize=10_000)
def part_said(name: str) -> str:
    """The part of a list that a name is said of: “card sideboard” of the sideboard; empty for a card's name."""
    said = OF_A_PART.sub("", name).strip(" :")
    word = word_of(said)
    return said if word is not None and word.role in (Role.MAIN, Role.PART, Role.ASIDE) else ""


_SAID_OF_A_PART = re.compile(
    r"([^\W\d][^\d:;,|/()+]*?) ?[:=(] ?(\d{1,3})\)?|(\d{1,3})(?: ?[-x]? ?)([^\W\d][^\d:;,|/()+]*)"
)


_MAY_SUM_UP = re.compile(r"[/:,|(].*\d|\d.*[/:,|(]")


def is_summary(text: str) -> bool:
    """“Main deck: 60, sideboard: 15”, “60 main / 15 side”: sizes of two parts or more, and nothing else."""
    if len(text) > 120 or not _MAY_SUM_UP.search(text):
        return False
    found = list(_SAID_OF_A_PART.finditer(text))
    if len(found) < 2 or _SAID_OF_A_PART.sub("", text).strip(" ,;:|/&+-–—()."):
        return False
    return all(part_said((one[1] or one[4]).strip(" -")) for one in found)


_AT_THE_END = re.compile(
    r"(?: ?[-–—:;=*|,.…]+ ?| ?[(\[]| )[xX×]?(\d{1,3})[)\]]?(?: (?:copies|cards?|pcs\.?))?$"
)
# fmt: off
NAMED = re.compile(
    r"^(?:deck ?name|deck|name|title|decktitel|titel|nom(?: du deck)?|titre|nombre(?: del mazo)?|título"
    r"|덱 ?이름|이름|제목|デッキ名|名前)"
    r"(?: ?: ?|=)(?=\S)(.+)$", re.I)
# fmt: on


def plain(written: str) -> str:
    """The line without the marks of a page or a forum, white space collapsed."""
    if "<" in written or "[" in written:
        written = _CHAT.sub("", written) if written[:1] == "[" else written
        written = _LINK.sub(r"\1", written) if "](" in written else written
        written = _CARD_LINK.sub(r"\1", written) if "[[" in written else written
        written = _MARKUP.sub("", written)
    if "&" in written and ";" in written:
        written = html.unescape(written)
    text = " ".join(written.split())
    if text[:1] > "\u218f":
        text = _PICTURE.sub("", text)
    if text[:1] == "#":
        text = _PLACE.sub("", text)
    if text[:1].lower() in "qcam수枚" and (worded := _COUNT_WORD.match(text)):
        text = f"{worded[1]}x {text[worded.end() :]}"
    if text[:1] == "`":
        text = _CODE_MARK.sub(r"\1", text)
    if "**" in text or "__" in text:
        text = _STRONG_WORD.sub(r"\2", _STRONG_COUNT.sub(r"\1\3", text))
    if "_(" in text or "*(" in text:
        text = _LEANING.sub(r"\2", text)
    if text[:1] == "|" and (row := _TABLE_ROW.match(text)):
        text = "\t".join(cell.strip() for cell in row[1].split("|") if cell.strip())
    if (
        len(text) > 2
        and text[0] in '"“'
        and text[-1] in '"”'
        and text[1:-1].isascii()
        and '"' not in text[1:-1]
    ):
        text = text[1:-1].strip()
    return text


GREETING = re.compile(_GREETING, re.I)


# “~~2x Rats~~”, “[s]2x Rats[/s]”: what somebody took out, and left to be read.
STRUCK = re.compile(r"(?<!~)~~[^~]+~~(?!~)|\[(?:s|strike|del)\]|<(?:s|del|strike)\b[^<>]{0,100}>", re.I)


def quoted(lines: list[str]) -> bool:
    """Whether the list stands in an answer to a mail: “> 3x Name”, line by line."""
    said = [line for line in lines if line.strip()]
    return len(said) > 2 and 2 * sum(line.lstrip()[:1] == ">" for line in said) > len(said)


# “# 2x (1) Polymorph”: every line a remark, as a game's own text of a deck has it.
_COUNTED_REMARK = re.compile(r"^\s*#\s*(?=\d{1,3}x )")


def remarked(lines: list[str]) -> bool:
    """Whether all the cards stand behind the mark of a remark."""
    counted_remarks = sum(1 for line in lines if _COUNTED_REMARK.match(line))
    return counted_remarks > 2 and all(
        line.lstrip()[:1] in ("#", "") or is_deck_code(line.strip()) for line in lines
    )


def unremarked(line: str) -> str:
    return _COUNTED_REMARK.sub("", line)


# A deck said in one word, as programs exchange it. Only the program knows which cards it means.
_CODE = re.compile(r"^(?:ydke://\S+|[A-Za-z0-9+/_-]{24,}={0,2})$")


def is_deck_code(text: str) -> bool:
    if len(text) > 1_000 or not _CODE.match(text):
        return False
    return "://" in text or (any(map(str.isdecimal, text)) and any(map(str.isupper, text)))


def unquoted(line: str) -> str:
    return line.lstrip("> \t")


def own_total(heading: str) -> tuple[str, int | None]:
    """“Characters (27)” is “Characters”, and says that there are 27."""
    found = _OWN_TOTAL.search(heading)
    return (heading[: found.start()], int(found[1])) if found else (heading, None)


def headed(text: str) -> tuple[str, str]:
    """(heading, the cards behind it) of a line that has both; the heading is empty on any other line."""
    if text[0].isdecimal():
        return "", text
    if (found := _BEHIND_ITS_PART.match(text)) and (part := beside_the_deck(found[1])):
        return part, found[2]
    if ":" not in text:
        return "", text
    if _SUFFIX.match(text):
        found = _HEADED_BEHIND.match(text)
        if found and (own_total(found[1])[1] is not None or names_a_part(found[1])):
            return found[1], found[2]
        return "", text
    found = _HEADED.match(text)
    if found is None or (NAMED.match(text) and not (_PREFIX.match(found[2]) or _NEXT_COUNT.search(found[2]))):
        return "", text
    section = found[1].strip()
    return ("Sideboard" if section.lower() in ("sb", "side") else section), found[2]


def counted(text: str, limits: Limits, line: int) -> Iterator[ListEntry]:
    """The counted cards on one line (`plain`); nothing when the line holds no count. Raises ListError."""
    if "\t" in text:
        if (found := _AFTER_TAB.match(text)) and names_a_part(found[1]):
            return  # “Sideboard 15” in two cells: a heading with its total
        if found:
            yield entry(found[2], found[1], limits, line)
            return
        text = " ".join(text.split())
    ends = text and (text[-1] in "$€£)]RDPx" or text[-1].isdecimal())
    if ends and _DIGIT.search(text, max(0, len(text) - LONGEST_PRICE)) and (price := _PRICE.search(text)):
        text = text[: price.start()]
    if not text:
        return
    plainly = _PREFIX.match(text) if text[0].isdecimal() and "," not in text and ";" not in text else None
    if plainly and not (_DIGIT.search(plainly[2]) and len(_split(_NEXT_COUNT_X, plainly[2])) > 1):
        name = _without_the_same_count(plainly[1], plainly[2])
        yield entry(plainly[1], name, limits, line)  # what most lines are
        return
    text = _BULLET.sub("", text)
    if (numbered := _NUMBERED.match(text)) and counted_inside(text[numbered.end() :]):
        text = text[numbered.end() :]
    if any(aside.match(text) for aside in (REMARK, TOTAL, CARDS, FOOTER, TALLY)):
        return
    if (behind := _UNIT_BEHIND.search(text)) and names_a_part(text[: behind.start()]):
        return
    text = _UNIT_BEHIND.sub(r" x\1", _UNIT_BEFORE.sub(r"\1x ", text))
    for part in _parts(text):
        if len(part) > 2 * limits.name_length:
            raise ListError(
                "line-too-long", "One entry is too long.", line=line, remedy="Put one card per line."
            )
        if pair := _count_and_name(part.strip(" ,;")):
            yield entry(*pair, limits, line)


def _parts(text: str) -> list[str]:
    if _PREFIX.match(text):
        return [one for part in _split(_NEXT_COUNT, text) for one in _split(_NEXT_COUNT_X, part)]
    if _BARE.match(text) and not _NEXT_SUFFIX.search(text):
        return _split(_NEXT_COUNT, text)
    return _split(_NEXT_SUFFIX, text)


def _split(between: re.Pattern[str], text: str) -> list[str]:
    """The parts of a line; what brackets hold is a remark, and parts nothing: “3x A (instead of 2x B)”."""
    found = [
        (one.start(), one.end())
        for one in between.finditer(text)
        if text.count("(", 0, one.start()) <= text.count(")", 0, one.start()) or ")" not in text[one.end() :]
    ]
    starts, ends = [0, *(end for _start, end in found)], [*(start for start, _end in found), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _count_and_name(part: str) -> tuple[str, str] | None:
    """A count with an x wins over a bare number, so that “7 Thomas Street x2” is two copies."""
    if found := _PREFIX.match(part) or _PREFIX_REVERSED.match(part):
        return found[1], _without_the_same_count(found[1], found[2])
    if found := _SUFFIX.match(part):
        count = found[2] or found[3]
        dotted = _COUNTED_TWICE.match(found[1]) if found[1][-1] in _DOTTED else None
        return count, dotted[2] if dotted and dotted[1] == count else found[1] + found[4]
    if UNSETTLED.match(part):
        return None
    if found := _BARE.match(part):
        count = found[1] or found[2]
        said = _IN_WORDS.match(found[3])  # “4 (four) Name”
        again = said and NUMBERS.get(said[1].lower()) == int(count)
        name = found[3][said.end() :] if said and again else _OF.sub("", found[3])
        return count, _without_the_same_count(count, name)
    if found := _PUNCTUATED.match(part):
        return found[1], found[2]
    if found := _SUFFIX_X.match(part):
        return found[2], found[1]
    if found := _SUFFIX_GLUED.match(part):
        return found[2], found[1]
    return None


_DOTTED = ".…·_-"
_COUNTED_TWICE = re.compile(r"^(\d{1,3}) ?[xX×]? ?([^\W\d].*?)[ .…·_-]*$")
# “3x Name ..... x3”: dots lead to the count once more
_DOTS_TO_A_COUNT = re.compile(r"^(.*?\S) ?(?:(?:[.·_-] ?){3,}|…+) ?(?:[xX×] ?)?(\d{1,3})(?: ?[xX×])?$")


def _without_the_same_count(count: str, name: str) -> str:
    """The name of a line that says its count at both ends. Raises ListError `bad-count` where they differ."""
    again = _DOTS_TO_A_COUNT.match(name) if name[-1:].isdecimal() or name[-1:] in "xX×" else None
    if again and again[2] != count:
        raise ListError("bad-count", "It gives two different counts.")
    return again[1].rstrip(" .…·_-") if again else name


def count_behind(text: str) -> tuple[str, int] | None:
    """(name, count) of a line with its number at the end: “Name - 3”, “Name (3)”, “Name: 3”, “Name 3”; else None."""
    text = _BULLET.sub("", text)
    if len(text) > LONGEST or (found := _AT_THE_END.search(text, max(0, len(text) - 40))) is None:
        return None
    name = text[: found.start()]
    said = text[found.start() :].lstrip()[:1] in ":=–—;,(["  # “Yog.0: 1”
    if not name or (name[-1].isdecimal() and not said) or not any(map(str.isalpha, name)):
        return None
    if name.count("(") > name.count(")"):  # “Name (Exp. 2)”
        return None
    return name, int(found[1])


def counted_inside(text: str) -> bool:
    """Whether a line says its count with an x, before the name or behind it."""
    text = _PRICE.sub("", text).rstrip(" ,;")
    return COUNTED_INSIDE.search(text) is not None or _SUFFIX.match(text) is not None


def count_in_words(text: str) -> tuple[str, int] | None:
    """(name, count) of “three Name”, “two copies of Name”, “drei Name”; else None."""
    first, _, rest = text.partition(" ")
    count = NUMBERS.get(first.lower())
    return (_OF.sub("", rest), count) if count and rest and len(text) <= LONGEST else None


LONGEST = 300  # characters of a line with one card


def entry(digits: str, written: str, limits: Limits, line: int) -> ListEntry:
    """One entry; its section is the category behind it, where that names a part of the list (“[Maybeboard]”, “(SB)”).

    Raises ListError: bad-count, line-too-long.
    """
    count = checked_count(digits, limits, line)
    try:
        name, hint, section = _name_read(written, limits.name_length)
    except ListError as error:
        raise ListError(error.code, error.message, line=line, remedy=error.remedy) from error
    return ListEntry(count, name, hint, section, line)


@lru_cache(maxsize=20_000)
def _name_read(written: str, longest: int) -> tuple[str, str, str]:
    """(name, hint, section) of what stands behind a count: the decks of an event hold the same cards."""
    section, in_doubt = "", False
    if "[" in written and (found := _CATEGORY.search(written)):
        section = _part_of_categories(found[1])
    elif written[-1:] == ")" and (found := _IN_BRACKETS.search(written)):
        section = beside_the_deck(found[1])
        in_doubt = found[1].lower() in _NOT_SURE
    elif _MAY_SAY.search(written) and (found := _REMARKED_PART.search(written)):
        section = beside_the_deck(found[1]) if _SURELY_BESIDE.match(found[1]) else ""
        written = written[: found.start()] if section else written
    if in_doubt or ("?" in written and (_ASKED.match(written) or _ASKED_BEHIND.search(written))):
        raise ListError(
            "bad-count", "It is in doubt, so it isn’t clear whether it is in the deck.",
            remedy="Take the line out, or what is said of it.",
        )  # fmt: skip
    if not section and written[-1:] in ")]" and _is_split_up(written):
        raise ListError(
            "bad-count", "It isn’t clear how many of the copies are in the deck.",
            remedy="Write those beside the deck on a line of their own.",
        )  # fmt: skip
    written = _SAID_BEHIND.sub("", written) if ";" in written else written
    if "|" in written:
        written = _PIPED.sub(r" (\1)", written)
    name, hint = split_name(written, Limits(name_length=longest), None)
    return name, hint, section


_ASKED = re.compile(r"^[(\[]?\?")  # “3x? Name”, “3 (?) Name”
# “3 Name (?)”, “3 Name [2?]”, “3 Name - ?”, “3 Name (maybe?)”
_ASKED_BEHIND = re.compile(
    r"(?:[(\[][^()\[\]]{0,40}\?[?!]*[)\]]|(?:^|(?<![#/;])\s)(?:[-–—*] ?)?\?[?!]*[*]?)$"
)
IN_DOUBT = re.compile(r"[(\[][xX×]? ?\d{0,2} ?[xX×]? ?\?+[)\]]")  # “Name (?) x3”, “Name (3?)”
_NOT_SURE = frozenset({"not sure", "unsure", "nicht sicher", "unsicher", "pas sûr", "pas sûre"})
_CATEGORY = re.compile(r"\[([^\[\]]{2,200})\](?: ?\^[^^]{0,40}\^)?$")
_IN_BRACKETS = re.compile(r"\(([^()]{2,40})\)$")
_MAY_SAY = re.compile(r" [-–—|/#<→*]")
# “Name - sideboard”, “Name *SB*”, “Name // maybe”
_REMARKED_PART = re.compile(r" +(?:[-–—|]+|//+|#|<-+|→|\*) ?([^\W\d][\w -]{1,20}?) ?[*!.]*$")
_SURELY_BESIDE = re.compile(
    r"^(?:sb|side.*|maybe.*|사이드.*|beilage|réserve|banquillo)$", re.I
)  # no other remark is
_SAID_BEHIND = re.compile(r"(?<=\S) ?; [a-z!?].*$")  # “Name; swap it later”
_PIPED = re.compile(r"(?<=\S)\|([^|()]{1,40})(?:\|[^|]{0,40}){0,3}$")  # “Name|M10|1”, as Forge has it
_LAST_BRACKETS = re.compile(r"[(\[]([^()\[\]]{2,60})[)\]]$")


def _is_split_up(written: str) -> bool:
    """“Name (3 main, 1 side)”, “Name (1 in sideboard)”: the count is not that of the deck."""
    found = _LAST_BRACKETS.search(written)
    if not found or not any(map(str.isdecimal, found[1])):
        return False
    words = (word_of(word) for word in re.findall(r"[^\W\d_]+", found[1]))
    return any(word is not None and word.title in ("Sideboard", "Considered") for word in words)


_CATEGORY_MARK = re.compile(r"\{[^{}]{0,40}\}")


def _part_of_categories(text: str) -> str:
    """“Maybeboard{noDeck}{noPrice}, Ramp” is the maybeboard; “Ramp” is no part of the list, “Wants{noDeck}” one beside
    the deck: the first category is where the card is."""
    for name in _CATEGORY_MARK.sub("", text).split(","):
        word = word_of(name.strip())
        if word is not None and word.role in (Role.PART, Role.ASIDE):
            return name.strip()
    return "Considered" if "{nodeck}" in text.partition(",")[0].lower() else ""


def beside_the_deck(text: str) -> str:
    """“Name (SB)”, “Name (maybe)”: not in the deck. Other parts may be words of a title: “Sun Ce (Commander)”."""
    word = word_of(text.strip())
    return word.title if word is not None and word.title in ("Sideboard", "Considered") else ""


# “3x A, 2x B; Sideboard: 1x C”: where on a line the cards of another heading begin.
_NEXT_HEADING = re.compile(
    r"(?:^[;/#!|]+|[;|.,]) ?([^\W\d][^:;|,.]{1,40}?) ?: ?(?=\d{1,3}(?: ?[xX×] ?| )\S|\S.{0,80}?[xX×] ?\d)"
)


def segments(text: str) -> list[str]:
    """The line parted before each heading that has cards behind it; most lines are one segment.

    >>> segments("3x Rats, 2x Dogs; Sideboard: 1x Cats")
    ['3x Rats, 2x Dogs', 'Sideboard: 1x Cats']
    """
    if ":" not in text:
        return [text]
    opened = [found for found in _NEXT_HEADING.finditer(text) if _opens(found, text)]
    starts = [0, *(found.start(1) for found in opened)]
    ends = [*(found.start() for found in opened), len(text)]
    return [part for start, end in zip(starts, ends, strict=True) if (part := text[start:end].strip())]


def _opens(found: re.Match[str], text: str) -> bool:
    """A full stop and a comma stand in names too: behind them only a word that we know opens a part."""
    known = names_a_part(found[1])
    return known or (text[found.start()] in ";|" and found.start() > 0)
