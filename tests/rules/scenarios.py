"""Scenarios that tests of the service file; the engine's own tests are the worked cases."""

SHOTGUN = "system: coc-lcg\nsize: 1000\n"


def different(source: str, number: int) -> str:
    """The same situation under another name: another hash, so that it is not answered from store."""
    return f"{source}name: variant {number}\n"
