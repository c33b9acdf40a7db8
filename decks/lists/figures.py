"""Numbers and signs of other keyboards, written as the readers know them.

A count can be full-width, in a circle, on a key, raised behind its x, or a Korean or Chinese word for a number of
cards; the x can be a Russian or Greek letter that looks the same.
"""

import re
import unicodedata

# Letters, digits and marks as wide as an Eastern letter.
_FULL_WIDTH = {0x3000: " "} | {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_CROSS = "хХχΧ✕✖⨯"
_BEHIND_A_COUNT = re.compile(rf"(?<=\d)( ?)[{_CROSS}](?=[\sA-Za-z\"“'.]|$)", re.M)
_BEFORE_A_COUNT = re.compile(rf"(^|\s|\()[{_CROSS}]( ?)(?=\d)", re.M)
_KEY = re.compile(r"(\d)\ufe0f?\u20e3")
_RINGED = re.compile("[\u2460-\u249b\u24f5-\u24fe\u2776-\u2793]")
_AT_THE_START = re.compile(r"^(\s*(?:[-*•·] )?)\x00(\d+)\x00 ?", re.M)
_ANYWHERE = re.compile(r" ?\x00(\d+)\x00")
_RAISED = re.compile("([xX×*] ?)([⁰¹²³⁴-⁹]{1,3})")
_KOREAN = re.compile(r"(?<!\w)(한|두|세|네|다섯|여섯|일곱|여덟) ?(?=(?:장|매)(?!\w))")
_CHINESE = re.compile("(?<![\u4e00-\u9fff])([一二两兩三四五六七八九十]) ?([张張枚])(?![\u4e00-\u9fff]) ?")
_COUNTED = re.compile("(?<=\\S) ?(?<!\\d)(\\d{1,2}) ?[장매枚張张](?= ?(?:[,;、·/]|$))", re.M)
_WORDS = {
    **{word: at for at, word in enumerate(("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟"), start=1)},
    **{word: at for at, word in enumerate("一二三四五六七八九十", start=1)},
    "两": 2,
    "兩": 2,
}  # fmt: skip


def plain_figures(text: str) -> str:
    """The text with such numbers and signs as digits and an x.

    >>> plain_figures("② Dogs"), plain_figures("Mice 세 장")
    ('2. Dogs', 'Mice 3장')
    """
    if text.isascii():
        return text
    text = text.translate(_FULL_WIDTH)
    text = _KEY.sub("\x00\\1\x00", text)
    text = _RINGED.sub(lambda one: f"\x00{int(unicodedata.numeric(one[0]))}\x00", text)
    if "\x00" in text:  # before a name it may count the lines, as “1.” does
        text = _ANYWHERE.sub(r" \1", _AT_THE_START.sub(r"\g<1>\2. ", text))
    text = _RAISED.sub(lambda one: one[1] + unicodedata.normalize("NFKC", one[2]), text)
    text = _BEFORE_A_COUNT.sub(r"\1x\2", _BEHIND_A_COUNT.sub(r"\1x", text))
    text = _KOREAN.sub(lambda one: str(_WORDS[one[1]]), text)
    text = _CHINESE.sub(lambda one: f"{_WORDS[one[1]]}{one[2]} ", text)
    return "\n".join(map(_each_behind_its_name, text.split("\n"))) if _COUNTED.search(text) else text


def _each_behind_its_name(line: str) -> str:
    """“Rats 3장, Dogs 2장”: several cards on one line, each with its count behind it."""
    return _COUNTED.sub(r" x\1", line) if len(_COUNTED.findall(line)) > 1 else line
