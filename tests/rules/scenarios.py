"""Scenarios that tests of the service file; the engine's own tests are the worked cases."""

SHOTGUN = "system: coc-lcg\nsize: 1000\n"
