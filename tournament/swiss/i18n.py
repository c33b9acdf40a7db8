"""Marks texts for translation. The catalogs collect them and pages translate them; nothing changes here."""


def gettext_noop(text: str) -> str:
    return text
