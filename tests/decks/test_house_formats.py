"""A house format made field by field, by somebody who writes no files."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from decks import selectors, services
from decks.law import format_files
from decks.law.house import House, house_of, sized, text_of
from decks.legality import Cap
from decks.models import FormatVersion

SHIPPED = sorted(format_files.formats())


def whole(key: str) -> dict[str, Any]:
    return format_files.documents((format_files.FOLDER / f"{key}.yaml").read_text(), name=key)[1]


@pytest.mark.parametrize("key", SHIPPED)
def test_a_form_that_changes_nothing_makes_a_format_that_judges_alike(key: str) -> None:
    said = whole(key)
    house = house_of(said, on=said["default-on"])
    text = text_of(House(**{**_fields(house), "key": "ours", "title": "Ours"}), {"extends": key}, said)
    made, base = format_files.parsed(text, name="ours"), format_files.format_of(key)
    ours, theirs = made.snapshot(base.default_on), base.snapshot(base.default_on)
    assert (ours.sections, ours.copies, ours.quotas) == (theirs.sections, theirs.copies, theirs.quotas)
    for mine, other in zip(ours.restrictions, theirs.restrictions, strict=True):
        for word in ("maximum", "titles", "points", "beside"):
            assert getattr(mine, word, None) == getattr(other, word, None)


def _fields(house: House) -> dict[str, Any]:
    return {word: getattr(house, word) for word in House.__dataclass_fields__}


@pytest.fixture
def page(client: Client, ann: Any) -> Client:
    client.force_login(ann)
    return client


def filled(page: Client, url: str, **changes: Any) -> dict[str, Any]:
    """What the form on the page holds, with changes."""
    form = page.get(url).context["form"]
    said = {name: form[name].value() for name in form.fields}
    base = page.get(url).context["base"]
    return {name: "" if value is None else value for name, value in said.items()} | {"base": base} | changes


NEW = "/decks/formats/form"


def test_what_few_formats_need_is_folded_until_it_holds_something(page: Client) -> None:
    folded, open = '<details class="more" id="seldom" >', '<details class="more" id="seldom" open>'

    def shown(**changes: Any) -> str:
        said = filled(page, NEW, title="Ours", do="check", **changes)
        return " ".join(page.post(NEW, said).content.decode().split())

    assert folded in " ".join(page.get(NEW).content.decode().split())
    assert folded in shown()
    assert open in shown(limits="Dynamite: 1")
    assert open in shown(limits="Dynamite")  # what is wrong there is seen
    assert open in shown(points_most="-1")


def test_an_organizer_changes_size_copies_and_a_dated_list_without_a_file(
    page: Client, fill: Callable[[str, int], str]
) -> None:
    form = filled(page, f"{NEW}?base=coc-lcg", title="Our League", since="2013-06-01", do="publish")
    assert form["least-deck"] == 50
    assert "Museum Curator" in form["restricted"]
    form |= {
        "least-deck": 40,
        "copies": 2,
        "banned": "Dynamite\r\nchess prodigy",
        "restricted": "",
        "limits": "Repo Man: 1",
    }
    assert page.post(NEW, form).status_code == 302
    law = selectors.format_of("our-league")
    assert (
        law.snapshot(date(2013, 5, 31)).restrictions
        == format_files.format_of("coc-lcg").snapshot(date(2013, 5, 31)).restrictions
    )
    judged = services.list_check(
        format="our-league", source=fill("3x Museum Curator\n1x Itinerant Scholar", 39)
    )[1]
    assert {(f.code, f.cards[0].name if f.cards else "", f.allowed) for f in judged.findings} >= {
        ("too-few-cards", "", 40),
        ("too-many-copies", "Museum Curator", 2),
        ("banned", "Chess Prodigy", 0),
        ("limited", "Repo Man", 1),
    }
    assert "restricted" not in {f.code for f in judged.findings}


def test_a_house_format_is_changed_again_and_keeps_its_earlier_lists(page: Client) -> None:
    first = filled(page, NEW, title="Our League", since="2013-06-01", banned="Dynamite", do="publish")
    page.post(NEW, first)
    again = "/decks/formats/our-league/form"
    later = filled(page, again, since="2014-06-01", banned="Dynamite\nBasilisk", do="publish")
    assert (later["title"], later["banned"]) == ("Our League", "Dynamite\nBasilisk")
    answer = page.post(again, later)
    assert answer.status_code == 302, (answer.context["form"].problem, answer.context["form"].errors)
    law = selectors.format_of("our-league")
    banned = [
        sorted(rule.maximum)
        for day in (date(2013, 7, 1), date(2014, 7, 1))
        for rule in law.snapshot(day).restrictions
        if isinstance(rule, Cap) and rule.code == "banned"
    ]
    assert banned == [["dynamite"], ["basilisk", "dynamite"]]
    assert FormatVersion.objects.filter(key="our-league").count() == 2


def test_a_house_format_of_a_form_may_use_points_where_its_base_has_none(page: Client) -> None:
    form = filled(
        page, NEW, title="Points", since="2013-06-01", points="Dynamite: 3", points_most=5, do="publish"
    )
    assert page.post(NEW, form).status_code == 302
    found = services.list_check(format="points", source="2x Dynamite")[1].findings
    (points,) = [finding for finding in found if finding.code == "too-many-points"]
    assert (points.have, points.allowed, points.rule) == (6, 5, "HOUSE-POINTS")


@pytest.mark.parametrize(
    ("changes", "where", "words"),
    [
        ({"limits": "Dynamite"}, "limits", "Line 1"),
        ({"points": "Dynamite: many"}, "points", "Line 1"),
        ({"banned": "Dynamite", "restricted": "Dynamite"}, "", "both banned and restricted"),
        ({"banned": "Dynamite\ndynamite!"}, "banned", "twice"),
        ({"since": "soon"}, "since", "date"),
        ({"copies": 0}, "copies", "1"),
        ({"title": ""}, "title", "required"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    page: Client, changes: dict[str, Any], where: str, words: str
) -> None:
    form = filled(page, NEW, title="Ours", since="2013-06-01", do="check") | changes
    answer = page.post(NEW, form)
    assert answer.status_code == 400
    shown = answer.context["form"]
    said = " ".join(map(str, shown.errors.get(where, []))) if where else str(shown.problem)
    assert words in said
    assert not FormatVersion.objects.exists()


def test_a_title_no_card_has_is_refused_where_the_cards_are_whole_and_told_where_they_are_not(
    page: Client,
) -> None:
    codex = filled(page, f"{NEW}?base=codex", title="C", since="2017-06-01", banned="Fier", do="check")
    wrong = page.post(NEW, codex)
    assert wrong.status_code == 400
    assert "Fire" in str(wrong.context["form"].errors["banned"])
    partial = filled(
        page, f"{NEW}?base=l5r-ccg", title="Ours", since="2013-06-01", banned="Byakhee Swarm", do="check"
    )
    answer = page.post(NEW, partial)
    assert (answer.status_code, answer.context["unknown"]) == (200, ("Byakhee Swarm",))
    assert "Byakhee Swarm" in answer.content.decode()
    text = answer.context["text"].replace("Byakhee Swarm", "Byakhée Swarm")
    upload = SimpleUploadedFile("format.yaml", text.encode("cp1252"))  # as a program of Windows saves it
    answer = page.post("/decks/formats/new", {"text": "", "file": upload, "do": "check"})
    assert answer.status_code == 200 and answer.context["unknown"] == ("Byakhée Swarm",)


def test_another_persons_format_is_not_changed_through_the_form(page: Client, bo: Any) -> None:
    page.post(NEW, filled(page, NEW, title="Ours", since="2013-06-01", do="publish"))
    url = "/decks/formats/ours/form"
    form = filled(page, url, banned="Dynamite", do="publish")
    page.force_login(bo)
    assert page.post(url, form).status_code == 403
    assert FormatVersion.objects.count() == 1


def test_the_same_for_programs(api: Any, ann: Any) -> None:
    api.force_authenticate(ann)
    asked = {"base": "coc-lcg", "key": "ours", "title": "Ours", "since": "2013-06-01", "copies": 2,
             "sizes": {"deck": {"least": 40}}, "banned": ["Dynamite"], "limits": {"Repo Man": 1}}  # fmt: skip
    answer = api.post("/api/v1/formats/compose", asked, format="json")
    law = services.format_read(text=answer.data["text"])
    assert (law.copies.maximum, law.sections[0].minimum, answer.data["unknown"]) == (2, 40, [])
    wrong = api.post("/api/v1/formats/compose", asked | {"base": "nothing"}, format="json")
    assert wrong.status_code == 404


def test_only_sizes_that_the_format_itself_fixes_are_offered() -> None:
    assert [one["key"] for one in sized(whole("l5r-ccg"))] == ["dynasty", "fate"]
    assert sized(whole("arkham")) == []


def test_the_form_begins_with_the_list_one_asks_for(page: Client) -> None:
    assert (
        "Things in the Ground" in filled(page, f"{NEW}?base=coc-lcg")["restricted"]
    )  # the format's own date
    later = f"{NEW}?base=coc-lcg&on=2013-10-18"
    assert "James Logan" in filled(page, later)["restricted"]
    assert 'value="2013-10-18" selected' in page.get(later).content.decode()
    assert page.get(f"{NEW}?base=coc-lcg&on=2013-99-99").context["begun_on"] == date(2013, 8, 15)
