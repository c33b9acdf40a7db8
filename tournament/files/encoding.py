"""Decodes uploaded bytes: pairing programs and spreadsheets on Windows don't all write UTF-8."""

import codecs
import re

_SIGNS = "\xa0‘’“”„–—…°·½«»€"
_WIDE = "\u3000-\u3015！-～○×△"
# A code page of Windows -> what stands between its text's ASCII, narrow enough that no other page is taken for it.
PAGES = {
    "949": re.compile(f"[가-힣·{_WIDE}]+"),
    "932": re.compile(f"[ぁ-ヿ一-龯々{_WIDE}]+"),
    "1252": re.compile(f"[À-ÖØ-öø-ÿŠšŽžŸŒœ{_SIGNS}]{{1,3}}"),
    "1250": re.compile(f"[À-ÖØ-öø-ž{_SIGNS}]{{1,4}}"),
    "1251": re.compile(f"[Ѐ-ӿ№{_SIGNS}]+"),
}
# What only text of these pages has: most pairs of Korean, and a kana of Japanese.
_SEEN = {
    "949": re.compile(rb"(?:[\xb0-\xc8][\xa1-\xfe])+"),
    "932": re.compile(rb"\x82[\x9f-\xf1]|\x83[\x40-\x96]"),
}


def text_of(data: bytes) -> tuple[str, str]:
    """(the text without its mark, the code page if that had to be guessed: “Windows-949”, else "").

    UTF-8; UTF-16 by its mark or its zeros; else the first of PAGES that the text can be in; else Windows-1252, the five
    bytes it lacks as Latin-1.
    """
    try:
        return data.decode(_wide(data) or "utf-8-sig"), ""
    except UnicodeDecodeError:
        pass
    page = next((page for page in PAGES if _fits(data, page)), "1252")
    try:
        return data.decode(f"cp{page}"), f"Windows-{page}"
    except UnicodeDecodeError:
        return data.decode("latin-1"), f"Windows-{page}"


def _wide(data: bytes) -> str:
    """The kind of UTF-16 that a text is in, if it is."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return {b"\0": "utf-16-be"}.get(data[:1], "utf-16-le" if data[1:2] == b"\0" else "")


def _fits(data: bytes, page: str) -> bool:
    try:
        text = data.decode(f"cp{page}")
    except UnicodeDecodeError:
        return False
    if page in _SEEN:
        high = len(data) - len(data.translate(None, bytes(range(0x80, 0x100))))
        seen = sum(len(one[0]) for one in _SEEN[page].finditer(data))
        if not seen or (page == "949" and 5 * seen < 4 * high):
            return False
    return all(PAGES[page].fullmatch(run[0]) for run in re.finditer(r"[^\x00-\x7f]+", text))
