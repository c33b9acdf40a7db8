"""Charts drawn from the data, the index of who cites a rule, worked cases as examples."""

import pytest
from django.utils import translation

from rules import scenarios
from rules.law import system_files
from rules.reference import charts, citations, examples
from rules.scenarios import case_files
from rules.scenarios.adjudicate import adjudicate
from rules.scenarios.case_files import Case

KEYS = system_files.keys()


def rows(found: tuple[charts.Row, ...]) -> list[charts.Row]:
    return [one for row in found for one in (row, *rows(row.children))]


@pytest.mark.parametrize("key", KEYS)
def test_every_named_chart_that_does_something_is_drawn(key: str) -> None:
    drawn = charts.charts(key)
    assert len(drawn) >= 5
    for chart in drawn:
        texts = [row.text for row in rows(chart.rows)]
        assert texts
        assert all(text and "{" not in text for text in texts)
    linked = {row.chart for chart in drawn for row in rows(chart.rows) if row.chart}
    assert linked <= set(system_files.system(key).charts)


def test_a_chart_is_drawn_in_its_order_with_its_rules() -> None:
    [action] = [chart for chart in charts.charts("coc-lcg") if chart.title == "An action, in seven steps"]
    steps = [row.text for row in rows(action.rows) if row.shape in ("window", "checkpoint")]
    order = ["Step 2: Disrupts", "Step 4: passive abilities", "Step 5: Forced Responses", "Step 6: Responses"]
    assert [step for step in steps if step in order][:4] == order
    [disrupts] = [row for row in rows(action.rows) if row.text == "Step 2: Disrupts"]
    assert disrupts.cites == ("COC-T-27", "COC-T-13")


def test_the_step_where_a_line_stops_is_marked() -> None:
    case = next(
        one for one in citations.worked("coc-lcg") if citations.short(one) == "shotgun-and-researcher"
    )
    standing = charts.standing("coc-lcg", examples.answer_of(case)["trace"])
    assert standing[0].title.startswith("Action window")
    assert [row.text for row in rows(standing[0].rows) if row.here] == ["Whose action is it?"]
    assert not any(row.here for chart in charts.charts("coc-lcg") for row in rows(chart.rows))


def test_a_chart_speaks_the_language_of_its_reader_whoever_came_first() -> None:
    def words() -> list[str]:
        return [row.text for chart in charts.charts("coc-lcg") for row in rows(chart.rows)]

    with translation.override("ko"):
        korean = words()
    assert words() != korean
    assert "Its choices are made" in words()


@pytest.mark.parametrize("key", KEYS)
def test_the_index_knows_every_rule_and_only_what_cites_it(key: str) -> None:
    index = citations.index(key)
    assert set(index) == set(system_files.system(key).law)
    for case in citations.worked(key):
        for rule in case.data.get("cites") or ():
            assert (citations.short(case), case.title) in index[rule].cases


def test_a_reading_stands_beside_the_rules_it_is_about() -> None:
    assert "first-response" in [key for key, _ask in citations.index("coc-lcg")["COC-T-31"].readings]


@pytest.mark.parametrize("key", KEYS)
def test_a_dispute_becomes_a_case_that_passes(key: str) -> None:
    """With the answer it got as the one expected; every tenth of the worked cases, as if it had been a dispute."""
    from config import strict_yaml

    for case in citations.worked(key)[::10]:
        read = examples.situation(case)
        answer = adjudicate(read.canonical, budget=20_000)
        text = examples.as_case(read.canonical, answer, title=case.title)
        result = case_files.run(Case("new", case.title, strict_yaml.load(text, name="new")))
        assert result.passed, (case.name, result.failures)
        assert scenarios.read(text).hash == read.hash
