"""The timing engine: from a scenario to every legal line of play and the answer it gives (docs/engine.md).

Pure: the standard library alone. Each room imports only rooms that stand below it in pyproject.toml's contract.
Start reading at `rules.engine.machine.interpreter`, then `rules.engine.search.explore`.
"""
