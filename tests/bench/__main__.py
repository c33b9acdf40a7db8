"""`make bench`: one line a measurement, "bench: NAME VALUE UNIT", with " vs PEER VALUE UNIT ratio R" beside a peer.

Each module of this folder has `measure()`, yielding (name, value, unit, peer); peer is None or (name, value),
what the best known alternative does on the same work, in the same unit.
"""

import importlib
import os
import pkgutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

Measurement = tuple[str, float, str, tuple[str, float] | None]


def line(name: str, value: float, unit: str, peer: tuple[str, float] | None) -> str:
    text = f"bench: {name} {number(value)} {unit}"
    if peer is not None:
        other, theirs = peer
        text += f" vs {other} {number(theirs)} {unit} ratio {value / theirs:.3g}"
    return text


def number(value: float) -> str:
    """Four figures that matter, never an exponent."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def modules() -> Iterator[str]:
    """The measuring modules, or those named on the command line."""
    there = sorted(found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)]))
    wanted = sys.argv[1:] or [name for name in there if name != "__main__"]
    for name in wanted:
        if name not in there:
            sys.exit(f"There is no measurement “{name}”; there are: {', '.join(set(there) - {'__main__'})}.")
        yield name


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    with tempfile.TemporaryDirectory(prefix="headjudge-bench-") as folder:
        os.environ["HEADJUDGE_VAR"] = folder  # a person's own data is neither read nor written
        import django

        django.setup()
        for name in modules():
            for measurement in importlib.import_module(f"tests.bench.{name}").measure():
                print(line(*measurement), flush=True)


if __name__ == "__main__":
    main()
