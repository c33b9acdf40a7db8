"""Scenarios that tests of the service file; the engine's own tests are the worked examples."""

SHOTGUN = """\
title: Shotgun Blast on Field Researcher
system: coc-lcg
players: {Ann: {}, Bo: {}}
active: Ann
cards:
  shotgun:    {is: Shotgun Blast, of: Ann, zone: hand}
  researcher: {is: Field Researcher, of: Bo, zone: play}
did: ["Ann plays shotgun on researcher"]
ask: ["may Bo use researcher?", next]
"""


def different(source: str, number: int) -> str:
    """The same situation with another number in it: another hash, so that it is not answered from store."""
    return source.replace("Ann: {}", f"Ann: {{resources: {number}}}")
