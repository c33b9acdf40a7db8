"""`make bench`: one line a measurement, "bench: NAME VALUE UNIT", with " vs PEER VALUE UNIT ratio R" beside a peer.

What was measured is kept in figures.json, and docs/benchmarks.md is written from it (figures.py): rows of modules that
did not run this time keep their figure and its date. `--look` only prints.

Each module of this folder has `measure()`, yielding (name, value, unit, peer); peer is None or (name, value),
what the best known alternative does on the same work, in the same unit. `soak` takes minutes: only when asked for.
"""

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench import figures

Measurement = tuple[str, float, str, tuple[str, float] | None]


def line(name: str, value: float, unit: str, peer: tuple[str, float] | None) -> str:
    text = f"bench: {name} {figures.number(value)} {unit}"
    if peer is not None:
        other, theirs = peer
        text += f" vs {other} {figures.number(theirs)} {unit} ratio {value / theirs:.3g}"
    return text


def modules() -> Iterator[str]:
    """The measuring modules, or those named on the command line."""
    folder = Path(__file__).parent
    there = sorted(
        file.stem for file in folder.glob("*.py") if "\ndef measure(" in file.read_text(encoding="utf-8")
    )
    wanted = [word for word in sys.argv[1:] if word != "--look"]
    for name in wanted or [name for name in there if name != "soak"]:
        if name not in there:
            sys.exit(f"There is no measurement “{name}”; there are: {', '.join(there)}.")
        yield name


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    with tempfile.TemporaryDirectory(prefix="headjudge-bench-") as folder:
        kept = Path(os.environ.get("HEADJUDGE_VAR") or Path(__file__).resolve().parents[2] / "var")
        os.environ.setdefault("HEADJUDGE_PEERS", str(kept / "peers"))  # what is installed once stays
        os.environ["HEADJUDGE_VAR"] = folder  # a person's own data is neither read nor written
        import django

        django.setup()
        for name in modules():
            run = figures.run()  # how busy others keep the machine, before each part
            for measurement in importlib.import_module(f"tests.bench.{name}").measure():
                print(line(*measurement), flush=True)
                if "--look" not in sys.argv:
                    figures.keep(run, *measurement)


if __name__ == "__main__":
    main()
