"""A mark for texts that people read: the catalogs take them up, the pages translate them. Here nothing changes."""


def gettext_noop(text: str) -> str:
    return text
