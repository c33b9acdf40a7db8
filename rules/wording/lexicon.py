"""A system's words, checked against the system, as rules of the grammar.

A words file says what verbs, nouns, adjectives, icons, keywords, places and times of a game's texts are in the data
language. What the system lacks is an error there and then: an occurrence or role, a fact, a zone, a kind of ability.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from rules.wording.grammar import Grammar, Rule, rules_of, rules_of_line
from rules.wording.lexing import Lexer

SUBJECT = "§"  # in a condition of ours: the card that it is about


class WordsError(ValueError):
    """A words file that cannot be used; `place`: where in it."""

    def __init__(self, place: str, text: str) -> None:
        super().__init__(f"{place}: {text}")
        self.place, self.text = place, text


class Unsaid(Exception):
    """The data language, the system or its words file has no words for it; `what` names the concept."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class _Parts(dict[str, Any]):
    """The parts of a words file: a construction that needs one that the file lacks is declined."""

    def __missing__(self, part: str) -> Any:
        raise Unsaid(f"this game has no word for “{part}”")


@dataclass(frozen=True, slots=True)
class SystemWords:
    """What of a system a words file may name."""

    key: str
    occurrences: Mapping[str, frozenset[str]]  # kind of occurrence or family -> its roles
    stats: frozenset[str]  # facts of a card that effects change
    facts: frozenset[str]  # facts of a card, of a player, of the game; values derived
    nouns: frozenset[str]
    zones: frozenset[str]
    kinds: frozenset[str]
    flags: frozenset[str] = frozenset()
    compulsory: frozenset[str] = frozenset()  # kinds of ability that come by themselves
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # a word for several occurrences


@dataclass(frozen=True, slots=True)
class Verb:
    """`do`: the occurrence; `agent`: the role of who does it, or a way to them; `fixed`: roles that are always
    the same.
    """

    says: str
    do: str
    agent: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)
    unplaced: bool = False  # what it is done to is elsewhere when that has happened
    own: bool = False  # one does it to what one controls
    told: Mapping[str, Any] = field(default_factory=dict)  # roles that have a value when it is told of
    whose: Mapping[str, str] = field(default_factory=dict)  # roles that are yours, by owner or controller
    told_only: bool = False  # abilities answer it; nobody can do it
    until: str = ""  # the role that says for how long
    place: str = ""  # where what it is done to is
    nouns: tuple[str, ...] = ()  # what alone it is said of
    acts: bool = False  # the occurrence tells who does it
    barred: tuple[str, ...] = ()  # what it is never done to
    whence: bool = False  # the sentence itself says where it comes from
    on: tuple[str, ...] = ()  # the types of card whose texts say it
    lies: str = ""  # in which zone what it is done to must be known to lie
    sort: str = ""  # is it said of a card of which more is told than whose it is (`some`), or not (`none`)?
    most: str = ""  # when it is paid: how much of it there can be
    forbidden: bool = True  # can a text say that it cannot happen?
    plain: bool = False  # only where an ability answers nothing is it done at once
    done: str = ""  # its participle
    fact: str = ""  # no occurrence: a fact of the card that becomes `to`
    to: str = ""
    counter: str = ""  # no occurrence: a fact of the card that goes up, or down
    sign: int = 1
    also: Mapping[str, str] = field(default_factory=dict)  # another occurrence that the same words tell

    @property
    def moved(self) -> str:
        """The role of what comes out of a place: the first in the sentence."""
        found = re.search(r"\{([\w-]+)\}", self.says)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Noun:
    word: str
    noun: str  # the system's word for those in play, if it has one
    test: str
    place: str = ""  # where they are, when that is nowhere in play


class Lexicon:
    """A words file that was checked; the grammar with its words in it."""

    def __init__(self, data: Mapping[str, Any], system: SystemWords, english: Mapping[str, str]) -> None:
        """data: the words file; english: the grammar's files, name -> text. Raises WordsError, GrammarError."""
        self.data = _Parts(data)
        self.data |= {part: _Parts(data[part]) for part in ("search", "story") if part in data}
        self.system = system
        self._atoms: dict[str, dict[str, Any]] = {}
        self.verbs: dict[str, Verb] = {}
        self.nouns: dict[str, Noun] = {}
        self.traits: dict[str, str] = {}  # a word that a card can be -> the condition
        self.subtypes: dict[str, tuple[str, str]] = {}  # a word that a card can gain -> fact, value
        self.names = {_atom(name.lower()): name for name in data.get("names", ())}  # cards that others name
        self.facts_of: dict[str, str] = {}  # such a word -> the fact that has one value only
        self.keywords: Mapping[str, Mapping[str, str]] = data.get("keywords", {})
        self.stats: Mapping[str, Mapping[str, str]] = data.get("stats", {})
        self.icons: Mapping[str, Mapping[str, str]] = data.get("icons", {})
        self.lexer = Lexer(
            data.get("glyphs", {}),
            data.get("headings", {}),
            bool(data.get("reminders")),
            symbol=data.get("symbol", [""])[0],
            symbol_word="".join(data.get("symbol", ())[2:]),
            lines=data.get("lines") == "abilities",
            rules=data.get("no-reminders", ()),
        )
        lines = list(self._lines())
        rules: list[Rule] = []
        for text in english.values():
            rules += rules_of(_numbered(text), len(rules))
        self.english = len({rule.number for rule in rules})
        for number, line in enumerate(lines, len(rules) + 10_000):
            rules += rules_of_line(line, number)
        self.grammar = Grammar(_without_orphans(rules))

    # --- looking up

    def entry(self, part: str, atom: str) -> Any:
        """An entry of a part of the words file, by its word as it stands in a meaning."""
        if part not in self._atoms:
            self._atoms[part] = {_atom(word): value for word, value in self.data.get(part, {}).items()}
        return self._atoms[part][atom]

    def phrase(self, part: str, atom: str) -> str:
        """A condition that stands for a phrase."""
        return str(self.entry(part, atom))

    def cancels(self, what: str, answers: str) -> bool:
        """Is what a text calls so what such an ability answers?"""
        return answers in self.data.get("cancels", {}).get(what, ())

    # --- checks

    def _known(self, place: str, what: str, word: str, known: Iterable[str]) -> str:
        if word not in known:
            raise WordsError(place, f"the system {self.system.key} has no {what} {word!r}")
        return word

    def _test(self, place: str, text: Any) -> str:
        """A condition on a card, as ours: the facts it names are the system's."""
        text = {True: "yes", False: "no"}.get(text, str(text)) if isinstance(text, bool) else str(text)
        for path in re.findall(r"\b(?:it|this)\.([\w-]+)", text):
            self._known(place, "fact", path, self.system.facts)
        for path in re.findall(r"\b(?:you|active)\.([\w-]+)", text):
            self._known(place, "fact", path, self.system.facts)
        return re.sub(r"\bit\b", SUBJECT, text)

    # --- words as rules

    def _lines(self) -> Iterator[str]:
        data = self.data
        yield from _numbers(pairs="both" in data)
        for word, entry in data.get("headings", {}).items():
            self._known(f"headings.{word}", "kind of ability", entry["kind"], self.system.kinds)
            yield f"heading: {_row(word)} = {_atom(word)}"
        for word, noun in data.get("nouns", {}).items():
            yield from self._noun(word, noun)
        for word, test in data.get("adjectives", {}).items():
            self.traits[_atom(word)] = self._test(f"adjectives.{word}", test)
            yield f"property: {_row(word)} = {_atom(word)}"
        for i, entry in enumerate(data.get("lists", ())):
            yield from self._list(f"lists[{i}]", entry)
        yield from self._numbers_of_cards()
        for word in data.get("elsewhere", ()):
            self._known("elsewhere", "occurrence", word, self.system.occurrences)
        for word in data.get("zones", {}):
            for zone in zones_of(data["zones"][word]):
                self._known(f"zones.{word}", "zone", zone, self.system.zones)
            yield f"zone: {_row(word)}|{_row(word + 's')} = {_atom(word)}"
        for word, zone in data.get("areas", {}).items():
            self._known(f"areas.{word}", "zone", zone, self.system.zones)
            yield f"area: {_row(word)} = {_atom(word)}"
        for word, period in data.get("periods", {}).items():
            yield f"duration: until (the) end of the|this|that {word} = {period}"
            yield f"duration: until (the) end of {word} = {period}"
            yield f"duration: this {word} = {period}"
            yield f"span: {word} = {period}"
        for phrase, entry in data.get("durations", {}).items():
            yield f"duration: {_row(phrase)} = {entry}"
        for word, test in data.get("conditions", {}).items():
            self._test(f"conditions.{word}", test["if"] if isinstance(test, Mapping) else test)
            yield f"fact: {_row(word)} = {_atom(word)}"
        for words, entry in data.get("player-facts", {}).items():
            self._known(f"player-facts.{words}", "changeable fact", entry["stat"], self.system.stats)
            for one in _alternatives(words):
                yield f"player-fact: {_row(one)} = {_atom(words)}"
        for words, entry in data.get("world", {}).items():
            self._known(f"world.{words}", "changeable fact", entry["stat"], self.system.stats)
            self._test(f"world.{words}", entry["of"])
            yield f"world: {_row(words)} = {_atom(words)}"
        for word, icon in data.get("consequence", {}).get("effects", {}).items():
            self._known(f"consequence.{word}", "icon", icon, self.icons)
            yield f"consequence-word: {_row(word)} = {_atom(word)}"
        for word in data.get("plays-as", {}):
            yield f"plays-as: {_row(word)} = {_atom(word)}"
        for kind, entry in data.get("past", {}).items():
            self._known(f"past.{kind}", "occurrence", kind, self.system.occurrences)
            self._test(f"past.{kind}", entry["if"])
            self._known(f"past.{kind}", "zone", entry["zone"], self.system.zones)
        for word in data.get("times", {}):
            yield f"time: {_row(word)} = {_atom(word)}"
        for word, entry in data.get("moments", {}).items():
            self._known(f"moments.{word}", "occurrence", entry["of"], self.system.occurrences)
            yield f"moment: {_row(word)} = {_atom(word)}"
            if word.endswith((" begins", " ends")):
                at = "at|after" if word.endswith(" begins") else "at"
                yield f"moment0: {at} the {' '.join(Lexer.plain(_moment(word)))} = {_atom(word)}"
        for word, entry in data.get("later", {}).items():
            self._known(f"later.{word}", "occurrence", entry["of"], self.system.occurrences)
            yield f"later: {_row(word)} = {_atom(word)}"
        for word in data.get("texts", {}):
            yield f"phrase: {' '.join(Lexer.plain(word))} = {_atom(word)}"
        for word, test in data.get("stations", {}).items():
            self._test(f"stations.{word}", test)
            yield f"station: {_row(word)} = {_atom(word)}"
        for word, facts in data.get("qualities", {}).items():
            for fact in facts if isinstance(facts, list) else [facts]:
                self._known(f"qualities.{word}", "changeable fact", fact, self.system.stats)
            if " " in word:
                yield f"quality-word: {_row(word)} = {_atom(word)}"
        for word, path in data.get("kept", {}).items():
            self._test(f"kept.{word}", f"you.{path}")
            yield f"kept-word: {_row(word)} = {_atom(word)}"
        for word, fact in data.get("blank-but", {}).items():
            self._known(f"blank-but.{word}", "changeable fact", fact, self.system.stats)
            yield f"left-word: {_row(word)} = {_atom(word)}"
        for part, category in (("standing-orders", "standing-order"), ("falls", "fall-word")):
            for word, fact in data.get(part, {}).items():
                self._known(f"{part}.{word}", "changeable fact", fact, self.system.stats)
                yield f"{category}: {' '.join(Lexer.plain(word))} = {_atom(word)}"
        for word, entry in data.get("unable", {}).items():
            occurrence = self._known(f"unable.{word}", "occurrence", entry["kind"], self.system.occurrences)
            for key in ("of", "by", "on-way"):
                if key in entry:
                    roles = self.system.occurrences[occurrence]
                    self._known(f"unable.{word}.{key}", f"role of {occurrence}", entry[key], roles)
            yield f"unable: {_row(word)} = {_atom(word)}"
        for word, entry in data.get("pursuing", {}).items():
            self._known(f"pursuing.{word}", "fact", entry["fact"], self.system.facts)
            yield f"pursuing: {_row(word)} = {_atom(word)}"
        if maker := data.get("maker"):
            for fact in (*maker["body"], maker["fact"]):
                self._known("maker", "fact", fact, self.system.facts)
            yield f"making: {maker['verb']}|{third(maker['verb'])} = {maker['run']}"
            for n in range(13):
                for m in range(13):
                    yield f"body: {n}/{m} = (body {n} {m})"
        for word in data.get("players", {}):
            yield f"player-word: {_row(word)} = {_atom(word)}"
        for word in data.get("quantities", {}):
            yield f"quantity-word: {_row(word)} = {_atom(word)}"
        for word, entry in data.get("totals", {}).items():
            self._known(f"totals.{word}", "changeable fact", entry["stat"], self.system.stats)
            yield f"total: {_row(word)} = {_atom(word)}"
        if fact := data.get("deck-rules"):
            self._known("deck-rules", "fact", fact, self.system.facts)
        for word, kinds in data.get("choosable", {}).items():
            for kind in kinds:
                self._known(f"choosable.{word}", "keyword", kind, self.keywords)
            yield f"choosable: {_row(word)} = {_atom(word)}"
        for word, entry in data.get("permits", {}).items():
            self._known(f"permits.{word}", "changeable fact", entry["stat"], self.system.stats)
            self._test(f"permits.{word}", entry["of"])
            yield f"permit: {_row(word)} = {_atom(word)}"
        if currency := data.get("currency"):
            yield f"currency: {_row(currency)} = {_atom(currency)}"
        for atom, name in self.names.items():
            yield f"proper: {_row(name)} = {atom}"
        for i, entry in enumerate(data.get("verbs", ())):
            yield from self._verb(f"verbs[{i}]", entry)

    def _noun(self, word: str, entry: Mapping[str, Any]) -> Iterator[str]:
        place = f"nouns.{word}"
        noun = entry.get("noun", "")
        if noun:
            self._known(place, "noun", noun, self.system.nouns)
        test = self._test(place, entry["is"]) if "is" in entry else ""
        self.nouns[_atom(word)] = Noun(word, noun, test, entry.get("place", ""))
        plural = entry.get("plural", word + "s")
        yield f"head.s: {_row(word)} = {_atom(word)}"
        yield f"head.p: {'|'.join(_row(one) for one in plural.split('|'))} = {_atom(word)}"

    def _list(self, place: str, entry: Mapping[str, Any]) -> Iterator[str]:
        fact = self._known(place, "fact", entry["fact"], self.system.facts)
        values = entry["values"]
        if name := entry.get("name"):
            yield f"list-name: {_row(name)} = {fact}"
        for word, value in values.items() if isinstance(values, Mapping) else ((v, v) for v in values):
            key = word.lower()
            has = "has" if entry.get("subtype") else "="
            self.traits[_atom(key)] = f"{SUBJECT}.{fact} {has} '{value}'"
            yield f"property: {_row(key)} = {_atom(key)}"
            if entry.get("subtype"):
                self.subtypes[_atom(key)] = (fact, value)
                yield f"subtype: {_row(key)} = {_atom(key)}"
            else:
                self.facts_of[_atom(key)] = fact
            if entry.get("heads"):
                self.nouns.setdefault(_atom(key), Noun(key, "", self.traits[_atom(key)]))
                yield f"head.s: {_row(key)} = {_atom(key)}"
                yield f"head.p: {_row(key + 's')} = {_atom(key)}"

    def _numbers_of_cards(self) -> Iterator[str]:
        data = self.data
        for word, entry in self.stats.items():
            self._test(f"stats.{word}", entry["value"])
            if "stat" in entry:
                self._known(f"stats.{word}", "changeable fact", entry["stat"], self.system.stats)
            yield f"stat: {_row(word)} = {_atom(word)}"
            if word.endswith(" value"):  # `the income and reserve values`
                yield f"value-name: {_row(word.removesuffix(' value'))} = {_atom(word)}"
        for word, entry in self.icons.items():
            for key in ("stat", "story"):
                if key in entry:
                    self._known(f"icons.{word}", "changeable fact", entry[key], self.system.stats)
            self.traits[_atom(f"{word} icon")] = f"{SUBJECT}.{entry['stat']} > 0"
            yield f"icon: {_row(word)} = {_atom(word)}"
            yield f"trait: {_row(word)}|{_row(word + ' icon')} = {_atom(word + ' icon')}"
        if self.icons:
            self.traits["icon"] = " or ".join(f"{SUBJECT}.{one['stat']} > 0" for one in self.icons.values())
            yield "trait: icon|icons = icon"
        for word, entry in self.keywords.items():
            if "stat" in entry:
                self._known(f"keywords.{word}", "changeable fact", entry["stat"], self.system.stats)
            else:
                self._known(f"keywords.{word}", "fact", entry["fact"], self.system.facts)
            lent = (
                "keyword" if "stat" in entry else "printed-keyword"
            )  # can effects lend it, or is it printed only?
            self.traits[_atom(word)] = self._test(f"keywords.{word}", entry["is"])
            yield f"keyword-name: {_row(word)} = {_atom(word)}"
            if shared := entry.get("shares"):  # `a military, an intrigue, and a power icon`
                yield f"sharing-name: {_row(word.removesuffix(shared))} = {_atom(word)}"
                counts = f"(keyword-by {_atom(word)} 1)" if "by" in entry else f"(keyword {_atom(word)})"
                yield f"sharing: {_row(word.removesuffix(shared))} = {counts}"
            if entry.get("by") == "one":  # it counts, and nobody says the number
                yield f"{lent}: {_row(word)} = (keyword-by {_atom(word)} 1)"
            elif "by" in entry:
                yield f"{lent}: {_row(word)} <n:signed> = (keyword-by {_atom(word)} $n)"
                yield f"{lent}: {_row(word)} <n:num> = (keyword-by {_atom(word)} $n)"
            else:
                yield f"{lent}: {_row(word)} = (keyword {_atom(word)})"
        for word, test in data.get("measures", {}).items():
            self._test(f"measures.{word}", test)
            yield f"measured: {_row(word)} = {_atom(word)}"

    def _verb(self, place: str, entry: Mapping[str, Any]) -> Iterator[str]:
        says, *others = _alternatives(entry["says"])
        do = entry.get("do", "")
        if fact := entry.get("counter") or entry.get("fact"):
            self._known(place, "fact", fact, self.system.facts)
            roles = frozenset({"of", "amount"})
        else:
            self._known(place, "occurrence", do, self.system.occurrences)
            roles = self.system.occurrences[do]
        agent = str(entry.get("agent", ""))
        named = [agent.split(".")[0]] if agent else []
        spoken = " ".join([says, *entry.get("tails", ())])
        named += [*re.findall(r"\{([\w-]+)(?:'s|>=)?\}", spoken), *entry.get("with", {})]
        for role in set(named) - set(self.data.get("related", {})):
            self._known(place, f"role of {do}", role, roles)
        if also := entry.get("also"):
            for role in (also["role"], *([agent] if agent else [])):
                other = self._known(f"{place}.also", "occurrence", also["do"], self.system.occurrences)
                self._known(f"{place}.also", f"role of {other}", role, self.system.occurrences[other])
        verb = Verb(
            says,
            do,
            agent,
            fixed=entry.get("with", {}),
            own=bool(entry.get("own")),
            unplaced=bool(entry.get("unplaced")),
            told=entry.get("told", {}),
            whose=entry.get("whose", {}),
            told_only=bool(entry.get("event")),
            until=str(entry.get("until", "")),
            place=str(entry.get("place", "")),
            nouns=tuple(_atom(one) for one in entry.get("of", ())),
            acts=bool(agent and "." not in agent),
            barred=tuple(_atom(one) for one in entry.get("never", ())),
            whence=bool(entry.get("whence")),
            on=tuple(entry.get("on", ())),
            lies=str(entry.get("lies", "")),
            sort=str(entry.get("sort", "")),
            most=str(entry.get("most", "")),
            plain=bool(entry.get("plain")),
            forbidden=entry.get("cannot", "yes") == "yes",
            done=_participle_of(says),
            fact=str(entry.get("fact", "")),
            to=str(entry.get("to", "")),
            counter=str(entry.get("counter", "")),
            sign=int(entry.get("sign", 1)),
            also=entry.get("also", {}),
        )
        key = _atom(f"{says} or {also['do']}" if also else f"{says} {verb.sort}")
        self.verbs[key] = verb
        if (unit := unit_of(says)) and not verb.told_only:
            yield (
                f"unit: {unit}|{entry.get('one') or unit} = {unit}"
                if " " not in entry.get("one", "")
                else (f"unit: {unit} = {unit}")
            )
        yield f"done: {verb.done} = {verb.done}"
        if do and not says.startswith("{"):
            yield f"gerund: {gerund(says.split(' ')[0])} = {do}"
        event = bool(entry.get("event"))
        if tells := entry.get("tells"):  # it is told of in this sentence alone
            before, role, after = re.split(r"\{([\w-]+)\}", tells)
            words = " ".join(_row(part) for part in (before,) if part)
            yield f"event: {words} <{role}:party> {_row(after)} = (subject (verb {key} {role}) ${role})".replace(
                "  ", " "
            )
            return
        for frame in (says, *others):
            for said in _singular(frame, entry.get("one", "")):
                yield from _frames(said, key, entry, event, bool(entry.get("from")))


def _without_orphans(rules: list[Rule]) -> list[Rule]:
    """Without what needs a category that this game has no word for."""
    needs = [({s.category for s in rule.symbols if not isinstance(s, str)}, rule) for rule in rules]
    while True:
        made = {rule.category for _, rule in needs}
        kept = [(wanted, rule) for wanted, rule in needs if wanted <= made]
        if len(kept) == len(needs):
            return [rule for _, rule in kept]
        needs = kept


def _numbered(text: str) -> str:
    """The lines of a grammar with `.@` in them, once for the singular and once for the plural."""
    lines: list[str] = []
    for line in text.splitlines():
        lines += [line.replace(".@", ".s"), line.replace(".@", ".p")] if ".@" in line else [line]
    return "\n".join(lines)


_SAID = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


_SIZES = (40, 50, 60, 75, 80, 100)  # of decks


def _numbers(*, pairs: bool) -> Iterator[str]:
    for n in (*range(31), *_SIZES):
        words = f"{n}|{_SAID[n]}" if n < len(_SAID) else str(n)
        yield f"num: {words} = {n}"
        if n > 1:
            yield f"num2: {words} = {n}"
        yield f"signed: +{n} = {n}"
        yield f"signed: -{n} = -{n}"
    for n in range(-9, 10) if pairs else ():
        for m in range(-9, 10):
            yield f"both: {n:+}/{m:+} = (both {n} {m})"


def _row(words: str) -> str:
    """Words that stand one after another, as one alternative of a pattern."""
    return "_".join(Lexer.plain(words))


def _atom(words: str) -> str:
    """A word of ours as an atom of a meaning."""
    return re.sub(r"[\s(){}\[\]$*]+", "~", words).strip("~") or words


def _moment(word: str) -> str:
    """`your turn begins` as `beginning of your turn`."""
    subject, _, verb = word.rpartition(" ")
    return f"{ {'begins': 'beginning', 'ends': 'end'}[verb] } of {subject}"


def _alternatives(says: str) -> list[str]:
    """A frame in all its wordings: `put|place {card} on (the) top` is four; `_` stands for a space."""
    options = []
    for word in says.split(" "):
        if word.startswith("("):
            options.append(["", *word.strip("()").split("|")])
        else:
            options.append(word.split("|"))
    return [" ".join(word for word in row if word).replace("_", " ") for row in product(*options)]


def _singular(says: str, one: str) -> Iterator[str]:
    """A frame, and how it is said of one thing: `draw {amount} cards` and `draw a card`."""
    if one:
        head, _, tail = says.partition("{amount}")
        rest = tail.strip().split(" ")
        length = len(one.split())
        if one.startswith("the "):  # "the top {amount} cards of" -> "the top card of"
            before = head.rsplit("the ", 1)[0]
            after = tail.split(" of ", 1)[1]
            yield f"{before}{one} {after}|ONE"
        else:
            yield f"{head}{{one}} {one} {' '.join(rest[length:])}".strip()
    yield says


def zones_of(value: Any) -> tuple[str, ...]:
    """The zones that a word stands for: one, or several."""
    return (value,) if isinstance(value, str) else tuple(value)


_ENDINGS = ("s", "x", "z", "ch", "sh", "o")


def third(verb: str) -> str:
    """`wound` -> `wounds`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb][0]
    if verb.endswith(_ENDINGS):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


def _participle_of(says: str) -> str:
    """Of the verb of a frame; `drive {card} insane` is `insane`, as `{card} go insane` is."""
    words = [word for word in says.split(" ") if not word.startswith("{")]
    return words[-1] if words[0] in ("drive", "make", "go", "become") else participle(words[0])


def participle(verb: str) -> str:
    """`wound` -> `wounded`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb][1]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + ("ted" if verb in _DOUBLED else "ed")


def gerund(verb: str) -> str:
    """`destroy` -> `destroying`."""
    if verb.endswith("e"):
        return verb[:-1] + "ing"
    return verb + ("ting" if verb in (*_DOUBLED, "put") else "ing")


def unit_of(says: str) -> str:
    """Of what a verb's number is: `gain {amount} gold`."""
    found = re.search(r"\{amount\} ([a-z]+)", says)
    return found[1] if found else ""


_DOUBLED = ("commit", "uncommit")
_IRREGULAR = {
    "put": ("puts", "put"), "take": ("takes", "taken"), "drive": ("drives", "driven"), "go": ("goes", "gone"),
    "become": ("becomes", "become"), "make": ("makes", "made"), "draw": ("draws", "drawn"), "leave": ("leaves", "left"),
    "win": ("wins", "won"), "come": ("comes", "come"), "deal": ("deals", "dealt"), "give": ("gives", "given"),
    "steal": ("steals", "stolen"), "lose": ("loses", "lost"), "have": ("has", "had"), "die": ("dies", "died"),
    "be": ("is", "been"), "kneel": ("kneels", "knelt"), "stand": ("stands", "stood"),
}  # fmt: skip


_EITHER = {
    "his": "his|her|your|their|his_or_her",
    "a": "a|an",
    "its": "its|his|her|their|it_'s",
    "Nx": "1|one",
}


def _frames(says: str, key: str, entry: Mapping[str, Any], event: bool, source: bool) -> Iterator[str]:
    """The rules that a verb's frame makes: done by somebody, done to something, happening by itself; told and
    ordered.
    """
    says, _, one = says.partition("|")
    words = says.split(" ")
    if words[0].startswith("{"):  # its subject is what it happens to
        subject, verb, rest = words[0].strip("{}"), words[1], words[2:]
        pattern, holes = _pattern(rest, "party")
        yield f"happening: {third(verb)}|{verb} {pattern} = (verb {key} {subject} {holes})"
        yield f"happening.base: {verb} {pattern} = (verb {key} {subject} {holes})"
        yield f"happened: {participle(verb)} {pattern} = (verb {key} {subject} {holes})"
        yield f"happening.ing: {gerund(verb)} {pattern} = (verb {key} {subject} {holes})"
        if not rest:
            yield f"ongoing: {gerund(verb)} = (verb {key} {subject})"
        return
    verb, rest = words[0], words[1:]
    for tail in entry.get("tails", ()):
        yield from _frames(f"{says} {tail}", key, {**entry, "tails": ()}, event, source)
        for more in entry["tails"]:
            if more != tail:
                yield from _frames(f"{says} {tail} {more}", key, {**entry, "tails": ()}, event, source)
    objects, holes = _pattern(rest, "ref-obj" if entry.get("known") else "obj")
    if one:
        holes += " (amount (num 1))"
    if not event:
        yield f"vp: {verb}|{third(verb)} {objects} = (verb {key} {holes})"
        if source:
            out_of = "from <w:poss> <z:zone>"
            yield f"vp: {verb}|{third(verb)} {objects} {out_of} = (verb {key} {holes} (from $w $z))"
            yield f"vp: {verb}|{third(verb)} {objects} {out_of} <p:posts> = (verb {key} {holes} (from $w $z $p))"
            areas = "from <z:area>"  # a place of which nobody says whose it is
            yield f"vp: {verb}|{third(verb)} {objects} {areas} = (verb {key} {holes} (from (unsaid) $z))"
            if " play " in objects:  # `into play from your hand, committed to ..`
                sooner = objects.replace(" play ", f" play {out_of} (,) ", 1)
                yield f"vp: {verb}|{third(verb)} {sooner} = (verb {key} {holes} (from $w $z))"
    if not event and not one and len(rest) > 2 and rest[0] == "{amount}" and rest[-1].startswith("{"):
        said, role = "_".join(rest[1:-1]), rest[-1].strip("{}")
        if not re.search("[{}]", said) and not role.endswith(
            "'s"
        ):  # `deal 3 damage to this or 2 damage to that`
            yield (
                f"act: {verb} <a:amount> {said} <o:obj> or <b:amount> {said} <p:obj>"
                f" = (by-kind {key} {role} $a $o $b $p)"
            )
    if not event and (tail := re.fullmatch(r"([^{]+) \{([\w-]+)\}", " ".join(rest))):
        shared = "verb-of-" + re.sub(r"\W+", "-", tail[1])  # `add or remove a rune from a card`
        yield f"{shared}: {verb} = (verb {key} {tail[2]})"
        yield f"act: <v:{shared}> or <w:{shared}> {_row(tail[1])} <o:obj> = (either-of $v $w $o)"
    if not event and len(rest) > 2:  # `deal 2 damage to this and 1 damage to that`
        yield f"gap-{verb}: {objects} = (verb {key} {_pattern(rest, 'obj')[1]})"
        yield f"act: {verb} <a:gap-{verb}> and <b:gap-{verb}> = (both-at-once $a $b)"
        yield f"act: {verb} <a:gap-{verb}> or <b:gap-{verb}> = (either-thing $a $b)"
    parties, holes = _pattern(rest, "party")
    if one:
        holes += " (amount (num 1))"
    if entry.get("agent"):
        yield f"deed: {third(verb)}|{verb} {parties} = (verb {key} {holes})"
        yield f"deed.base: {verb} {parties} = (verb {key} {holes})"
        yield f"deed.done: {participle(verb)} {parties} = (verb {key} {holes})"
    at = next((i for i, word in enumerate(rest) if word.startswith("{") and not word.endswith("'s}")), None)
    if at is not None and rest[at] not in ("{amount}", "{one}"):
        passive, holes = _pattern(rest[:at] + rest[at + 1 :], "party")
        done = participle(verb)
        yield f"passive: {done} {passive} = (verb {key} {rest[at].strip('{}')} {holes})"
    if rest == ["{card}"] or rest == ["{to}"]:
        yield f"bare-verb: {verb} = (verb {key} {rest[0].strip('{}')})"


def _pattern(words: list[str], category: str) -> tuple[str, str]:
    """A frame's words as a pattern, and the roles it fills."""
    pattern, holes = [], []
    for word in words:
        if not word.startswith("{"):
            pattern.append(_EITHER.get(word) or "_".join(Lexer.plain(word)))
            continue
        role = word.strip("{}")
        if role == "amount":
            pattern.append("<amount:amount>")
            holes.append("(amount $amount)")
        elif role.endswith(">="):
            pattern.append(f"<{role[:-2]}:num>")
            holes.append(f"({role[:-2]}>= ${role[:-2]})")
        elif role == "icon":
            pattern.append("<icon:icon-alt>")
            holes.append("(icon $icon)")
        elif role == "participant":
            pattern.append("<participant:ref>")
            holes.append("(participant $participant)")
        elif role == "one":
            pattern.append("a|an|one|1")
            holes.append("(amount (num 1))")
        elif role.endswith("'s"):
            pattern.append(f"<{role[:-2]}:poss>")
            holes.append(f"({role[:-2]} $%s)" % role[:-2])
        elif role == "at" and category == "obj":
            pattern.append("<at:story-obj>")
            holes.append("(at $at)")
        else:
            pattern.append(f"<{role}:{category}>")
            holes.append(f"({role} ${role})")
    return " ".join(pattern), " ".join(holes)
