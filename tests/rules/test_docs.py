"""Every scenario that the documents show runs as it stands, and answers what it says it answers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import strict_yaml
from rules import scenarios
from rules.law import lint, system_files
from rules.scenarios import case_files

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown() -> Iterator[case_files.Case]:
    for path in sorted(DOCS.glob("*.md")):
        written = path.read_text(encoding="utf-8")
        for found in BLOCK.finditer(written):
            if found[1].startswith(("system:", "title:")):
                line = written.count("\n", 0, found.start()) + 2
                name = f"{path.name}:{line}"
                yield case_files.Case(name, name, strict_yaml.load(found[1].encode(), name=name))


@pytest.mark.parametrize("case", list(shown()), ids=lambda case: case.name)
def test_a_scenario_in_the_documents_runs_as_it_stands(case: case_files.Case) -> None:
    if "expect" in case.data:
        assert case_files.run(case).failures == []
    else:
        scenarios.read(strict_yaml.dump(dict(case.data)))


def test_the_recipes_say_what_comes_of_them() -> None:
    recipes = [case for case in shown() if case.name.startswith("cards.md")]
    assert len(recipes) >= 20
    assert all("expect" in case.data for case in recipes)


def test_the_skeleton_of_a_system_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [block[1] for block in BLOCK.finditer((DOCS / "systems.md").read_text(encoding="utf-8"))]
    file, scenario = (block for block in found if block.startswith("# skeleton"))
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "skeleton.yaml").write_text(file, encoding="utf-8")
    monkeypatch.setattr(system_files, "FOLDER", tmp_path)
    assert lint.findings("skeleton") == []
    case = case_files.Case("skeleton", "skeleton", strict_yaml.load(scenario.encode(), name="skeleton"))
    assert case_files.run(case).failures == []
    free = {
        **case.data,
        "players": {"Ann": {}, "Bo": {"gold": 0}},
        "expect": [{"legal": "no"}, {"holds": "yes"}],
    }
    assert case_files.run(case_files.Case("skeleton~1", "nothing to pay with", free)).failures == []
