"""From the bytes of an upload to text: pairing programs and spreadsheets of Windows do not all write UTF-8."""

import codecs


def text_of(data: bytes) -> tuple[str, bool]:
    """(the text without its mark, whether its encoding had to be guessed).

    UTF-8, UTF-16 by its mark; anything else is read as Windows-1252, the five bytes it lacks as Latin-1.
    """
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig"), False
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252"), True
    except UnicodeDecodeError:
        return data.decode("latin-1"), True
