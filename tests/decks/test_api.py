"""The API of decks, as a program meets it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config import jobs
from decks import services
from decks.models import Deck, Revision

NOW = datetime(2026, 11, 21, tzinfo=UTC)
LIST = "3x Museum Curator, 1x Itinerant Scholar"
O8D = b"\xef\xbb\xbf<deck><section name='Draw Deck'><card qty='4' id='x'>* Museum Curator</card></section></deck>"


@pytest.fixture
def signed_in(api: Any, ann: Any) -> Any:
    api.force_authenticate(ann)
    return api


def post(api: Any, path: str, body: Any, *, multipart: bool = False) -> Any:
    if multipart:
        return api.post(f"/api/v1/{path}", body, format="multipart")
    return api.post(f"/api/v1/{path}", json.dumps(body), content_type="application/json")


# --- validate ----------------------------------------------------------------------------------------


def test_validating_answers_every_finding_and_stores_nothing(api: Any) -> None:
    answer = post(api, "validate", {"format": "coc-lcg", "text": LIST})
    assert answer.status_code == 200
    report = answer.data["report"]
    assert report["verdict"] == "illegal"
    restricted = next(finding for finding in report["findings"] if finding["code"] == "restricted")
    assert restricted["rule"] == "COC-D-03"
    assert [card["name"] for card in restricted["cards"]] == ["Museum Curator", "Itinerant Scholar"]
    assert answer.data["list"]["count"] == 4
    assert not Deck.objects.exists()


def test_a_file_is_validated_too(api: Any) -> None:
    upload = SimpleUploadedFile("deck.o8d", O8D)
    answer = post(api, "validate", {"format": "coc-lcg", "file": upload}, multipart=True)
    assert (answer.data["list"]["kind"], answer.data["list"]["entries"][0]["card"]) == (
        "o8d",
        "Museum Curator",
    )


def test_a_date_chooses_the_list(api: Any) -> None:
    body = {"format": "coc-lcg", "text": "1x Magah Bird"}
    codes = {
        on: [f["code"] for f in post(api, "validate", body | {"on": on}).data["report"]["findings"]]
        for on in ("2013-10-01", "2016-01-01")
    }
    assert "banned" in codes["2013-10-01"]
    assert "banned" not in codes["2016-01-01"]


def test_a_typo_gets_suggestions_and_is_no_card_where_we_hold_them_all(api: Any) -> None:
    findings = post(api, "validate", {"format": "coc-lcg", "text": "50x Infernal Obession"}).data["report"][
        "findings"
    ]
    unknown = next(finding for finding in findings if finding["code"] == "unknown-card")
    assert (unknown["severity"], unknown["suggestions"][0]) == ("illegal", "Infernal Obsession")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "invalid"),
        ([], 400, "invalid"),
        ({"format": "coc-lcg"}, 400, "invalid"),
        ({"format": "coc-lcg", "text": None}, 400, "invalid"),
        ({"format": "coc-lcg", "text": {"a": 1}}, 400, "invalid"),
        ({"format": "coc-lcg", "text": "1x a\x00b"}, 400, "bad-text"),
        ({"format": "coc-lcg", "text": "1x a\ud800b"}, 400, "bad-text"),
        ({"format": "\ud800", "text": LIST}, 400, "bad-text"),
        ({"format": "coc-lcg", "text": LIST, "on": "tomorrow"}, 400, "invalid"),
        ({"format": "nope", "text": LIST}, 404, "not-found"),
        ({"format": "coc-lcg", "text": ""}, 400, "empty-list"),
        ({"format": "coc-lcg", "text": "-1x Rats"}, 400, "bad-count"),
        ({"format": "coc-lcg", "text": "0x Rats"}, 400, "empty-list"),
        ({"format": "coc-lcg", "text": "99999999999x Rats"}, 400, "bad-count"),
        ({"format": "coc-lcg", "text": "1x Rats\n" * 10_000}, 413, "too-many-lines"),
        ({"format": "coc-lcg", "text": "1x Rats\n" * 130_000}, 413, "too-large"),
        ({"format": "coc-lcg", "text": "1x " + "a" * 10_000}, 400, "line-too-long"),
        ({"format": "coc-lcg", "text": "<!DOCTYPE a [<!ENTITY b 'c'>]><deck>&b;</deck>"}, 400, "bad-xml"),
    ],
)
def test_bad_requests_are_answered_in_one_shape(api: Any, body: Any, status: int, code: str) -> None:
    answer = post(api, "validate", body)
    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert set(answer.data) == {"code", "message", "place", "remedy", "details"}
    assert answer.data["message"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x01",
        b"PK\x03\x04",
        b"\xff\xfe\xff",
        b"1x a\x81",
        b"<deck>",
        b"%PDF-1.7",
        b"1x Rats\n" * 10_000,
    ],
)
def test_bad_files_are_refused(api: Any, content: bytes) -> None:
    upload = SimpleUploadedFile("deck.o8d", content)
    answer = post(api, "validate", {"format": "coc-lcg", "file": upload}, multipart=True)
    assert 400 <= answer.status_code < 500
    assert answer.data["code"] not in ("invalid", "internal")


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"text": "\xff"}', b"not json", b"\x00", b'{"format": NaN}']
)
def test_bodies_that_are_no_json_are_refused(api: Any, body: bytes) -> None:
    answer = api.post("/api/v1/validate", body, content_type="application/json")
    assert 400 <= answer.status_code < 500


# --- decks -------------------------------------------------------------------------------------------


def test_a_deck_is_submitted_listed_and_read_back(signed_in: Any) -> None:
    made = post(signed_in, "decks", {"format": "coc-lcg", "text": LIST, "name": "Two restricted"})
    assert made.status_code == 201
    pk = made.data["id"]
    assert (made.data["verdict"], made.data["revision_number"], made.data["card_count"]) == ("illegal", 1, 4)
    assert signed_in.get("/api/v1/decks").data["results"] == [made.data]
    assert signed_in.get(f"/api/v1/decks/{pk}").data == made.data

    second = post(signed_in, f"decks/{pk}/revisions", {"text": "3x Museum Curator"})
    assert (second.status_code, second.data["number"]) == (201, 2)
    listed = signed_in.get(f"/api/v1/decks/{pk}/revisions").data["results"]
    assert [revision["number"] for revision in listed] == [2, 1]
    first = signed_in.get(f"/api/v1/decks/{pk}/revisions/1").data
    assert first["source"] == LIST
    assert {finding["code"] for finding in first["report"]["findings"]} == {"too-few-cards", "restricted"}


def test_nobody_else_sees_a_deck(signed_in: Any, make_user: Callable[..., Any]) -> None:
    pk = post(signed_in, "decks", {"format": "coc-lcg", "text": LIST}).data["id"]
    signed_in.force_authenticate(make_user("eve"))
    for path in (f"decks/{pk}", f"decks/{pk}/revisions", f"decks/{pk}/revisions/1"):
        assert signed_in.get(f"/api/v1/{path}").status_code == 404
    assert post(signed_in, f"decks/{pk}/revisions", {"text": LIST}).status_code == 404
    assert signed_in.get("/api/v1/decks").data["count"] == 0


def test_decks_need_a_login_and_validating_does_not(api: Any) -> None:
    assert api.get("/api/v1/decks").status_code == 401
    assert post(api, "decks", {"format": "coc-lcg", "text": LIST}).status_code == 401
    assert api.get("/api/v1/decks/1/revisions").status_code == 401
    assert api.get("/api/v1/formats").status_code == 200


@pytest.mark.parametrize("path", ["decks/999999999999999999999", "decks/1/revisions/99999999999999999999999"])
def test_numbers_no_database_holds_are_not_found(signed_in: Any, path: str) -> None:
    assert signed_in.get(f"/api/v1/{path}").status_code == 404


@pytest.mark.parametrize(
    "query", ["limit=-1", "limit=x", "offset=99999999999999999999", "limit=99999999999999999999"]
)
def test_odd_page_numbers_are_told(signed_in: Any, query: str) -> None:
    answer = signed_in.get(f"/api/v1/decks?{query}")
    assert (answer.status_code, answer.json()["place"]) == (400, query.partition("=")[0])


def test_a_refused_deck_leaves_nothing(signed_in: Any) -> None:
    assert post(signed_in, "decks", {"format": "coc-lcg", "text": "-1x Rats"}).status_code == 400
    assert (
        post(signed_in, "decks", {"format": "coc-lcg", "text": LIST, "name": "\u202egnp"}).status_code == 400
    )
    assert not Deck.objects.exists()


@pytest.mark.parametrize("path", ["decks", "decks/{pk}/revisions"])
def test_pages_cost_as_many_queries_however_many_rows_they_show(
    signed_in: Any, ann: Any, now: datetime, path: str
) -> None:
    deck = services.deck_submit(owner=ann, name="", format="coc-lcg", source="1x Rats", now=now).deck

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert signed_in.get("/api/v1/" + path.format(pk=deck.pk)).data["results"]
        return len(seen)

    few = queries()
    for count in range(2, 9):
        services.deck_submit(owner=ann, name="", format="coc-lcg", source=f"{count}x Dogs", now=now)
        services.deck_submit(
            owner=ann, name="", format="coc-lcg", source=f"{count}x Cats", deck=deck, now=now
        )
    assert queries() == few
    assert Revision.objects.count() == 15


# --- formats -----------------------------------------------------------------------------------------


def test_formats_tell_their_timeline_and_their_law(api: Any) -> None:
    (format_,) = (each for each in api.get("/api/v1/formats").data["results"] if each["key"] == "coc-lcg")
    assert (format_["key"], str(format_["default_on"])) == ("coc-lcg", "2013-10-01")
    assert any(period["doubt"] for period in format_["timeline"])
    assert "COC-D-03" in [law["rule"] for law in format_["law"]]


@pytest.mark.parametrize(
    ("on", "banned", "doubtful"), [("", 4, False), ("2016-01-01", 0, False), ("2014-06-01", 4, True)]
)
def test_a_format_on_a_date(api: Any, on: str, banned: int, doubtful: bool) -> None:
    answer = api.get("/api/v1/formats/coc-lcg", {"on": on} if on else {}).data
    cards = [len(rule["cards"]) for rule in answer["restrictions"] if rule["code"] == "banned"]
    assert (sum(cards), bool(answer["doubt"])) == (banned, doubtful)


@pytest.mark.parametrize(("path", "status"), [("formats/nope", 404), ("formats/coc-lcg?on=yesterday", 400)])
def test_what_is_no_format_or_no_date(api: Any, path: str, status: int) -> None:
    assert api.get(f"/api/v1/{path}").status_code == status


# --- what the pages show beside the lists ----------------------------------------------------------------------


@pytest.fixture
def two_lists(signed_in: Any, fill: Callable[[str, int], str]) -> str:
    """A deck with two lists: /decks/PK."""
    deck = post(signed_in, "decks", {"format": "coc-lcg", "text": fill("3x Museum Curator", 50), "name": "D"})
    path = f"decks/{deck.data['id']}"
    second = fill("2x Museum Curator\n1x Magah Bird", 50)
    assert post(signed_in, f"{path}/revisions", {"text": second}).status_code == 201
    return path


def test_what_changed_from_one_list_to_the_next(signed_in: Any, two_lists: str) -> None:
    answer = signed_in.get(f"/api/v1/{two_lists}/revisions/2/changes").data
    assert (answer["earlier"], answer["upgrade"]) == (1, None)
    assert [(one["name"], one["before"], one["after"]) for one in answer["cards"]] == [
        ("Magah Bird", 0, 1),
        ("Museum Curator", 3, 2),
    ]
    assert signed_in.get(f"/api/v1/{two_lists}/revisions/1/changes").status_code == 404


def test_what_an_upgrade_costs(signed_in: Any) -> None:
    slots = {"investigator_code": "01001", "slots": {"a1": 1}, "xp": 3}
    deck = post(signed_in, "decks", {"format": "arkham", "text": json.dumps(slots), "name": "R"})
    post(
        signed_in,
        f"decks/{deck.data['id']}/revisions",
        {"text": json.dumps(slots | {"slots": {"a1": 1, "a2": 1}})},
    )
    upgrade = signed_in.get(f"/api/v1/decks/{deck.data['id']}/revisions/2/changes").data["upgrade"]
    assert (upgrade["cost"], upgrade["earned"]) == (0, 3)
    assert "We don’t know" in upgrade["findings"][0]["message"]


def test_legal_since_and_until(signed_in: Any, two_lists: str, api: Any) -> None:
    spans = signed_in.get(f"/api/v1/{two_lists}/revisions/2/over-time").data
    assert [span["verdict"] for span in spans if span["list"] == "the list of FAQ 3.0"][-1] == "illegal"
    assert spans[-1]["until"] is None
    stored_nothing = post(api, "validate/over-time", {"format": "coc-lcg", "text": "1x Magah Bird"}).data
    assert {span["verdict"] for span in stored_nothing} == {"illegal"}


@pytest.mark.parametrize("kind", ["text", "o8d", "csv", "arkhamdb"])
def test_a_list_leaves_as_a_file_and_comes_back(signed_in: Any, two_lists: str, kind: str) -> None:
    answer = signed_in.get(f"/api/v1/{two_lists}/revisions/2/export/{kind}")
    assert "attachment" in answer["Content-Disposition"]
    if kind != "arkhamdb":  # its codes are another game's
        again = post(signed_in, "validate", {"format": "coc-lcg", "text": answer.content.decode()})
        assert again.data["list"]["hash"] == signed_in.get(f"/api/v1/{two_lists}/revisions/2").data["hash"]
    assert signed_in.get(f"/api/v1/{two_lists}/revisions/2/export/pdf").status_code == 404


def test_another_persons_lists_are_not_there(api: Any, two_lists: str, bo: Any) -> None:
    api.force_authenticate(bo)
    for path in ("changes", "over-time", "export/text"):
        assert api.get(f"/api/v1/{two_lists}/revisions/2/{path}").status_code == 404


HOUSE = """\
extends: coc-lcg
key: our-league
title: Our league
lists:
  league:
    title: our list
    document: Our league
    banned: {rule: COC-D-06, titles: [Dynamite]}
timeline:
  - {from: 2013-01-01, list: league, basis: agreed among us}
"""


@pytest.mark.django_db
def test_a_list_is_judged_by_the_list_that_is_named_whatever_the_date(client: Any) -> None:
    asked = {"format": "coc-lcg", "text": "1x Magah Bird", "on": "2016-01-01"}
    codes = [
        [one["code"] for one in post(client, "validate", asked | more).json()["report"]["findings"]]
        for more in ({}, {"list": "3.0"}, {"list": "4.1"})
    ]
    assert codes == [["too-few-cards"], ["too-few-cards", "banned"], ["too-few-cards"]]
    wrong = post(client, "validate", asked | {"list": "9.9"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "unknown-list")


def test_what_no_card_has_is_said_when_a_format_is_checked_and_when_it_is_put_in_force(
    signed_in: Any,
) -> None:
    text = (
        HOUSE.replace("[Dynamite]", "[Dynamyte]")
        + """\
construction:
  quotas:
    - {code: dear, what: dear cards, where: {price: {at-least: 3}}, at-most: 0, rule: COC-DECK-01}
    - {code: people, what: people, where: {type: charcter}, at-least: 9, rule: COC-DECK-01}
    - {code: colours, what: factions, where: {set: Core Set}, per-fact: fraction, at-most: 2, rule: COC-DECK-01}
"""
    )
    unknown = ["Dynamyte", "fraction", "price", "type: charcter"]
    assert post(signed_in, "formats/check", {"text": text}).json()["unknown"] == unknown
    assert post(signed_in, "formats/publish", {"text": text}).json()["unknown"] == unknown
    assert post(signed_in, "formats/check", {"text": HOUSE}).json()["unknown"] == []
    late = post(signed_in, "formats/check", {"text": HOUSE.replace("2013-01-01", "2025-01-01")}).json()
    assert (late["place"], "2025-01-01" in late["remedy"]) == ("default-on", True)
    missing = signed_in.get("/api/v1/formats/no-such").json()
    assert "our-league" in missing["remedy"], "house formats are named too"


def test_a_house_format_is_checked_tried_and_put_in_force(
    signed_in: Any, fill: Callable[[str, int], str], django_capture_on_commit_callbacks: Any
) -> None:
    assert post(signed_in, "formats/check", {"text": HOUSE}).data["key"] == "our-league"
    wrong = post(signed_in, "formats/check", {"text": HOUSE.replace("titles:", "titels:")})
    assert (wrong.status_code, wrong.json()["details"]["line"]) == (400, 8)
    published = post(signed_in, "formats/publish", {"text": HOUSE, "note": "first"})
    assert (published.status_code, published.data["number"]) == (201, 1)
    assert post(signed_in, "formats/publish", {"text": HOUSE}).data["number"] == 1
    assert signed_in.get("/api/v1/formats/our-league/text").data["text"] == HOUSE
    deck = {"format": "our-league", "text": fill("3x Museum Curator", 50), "name": "D"}
    assert post(signed_in, "decks", deck).data["verdict"] == "illegal"  # Dynamite fills it up
    with django_capture_on_commit_callbacks():
        check = post(signed_in, "formats/what-if", {"text": HOUSE.replace("Dynamite", "Basilisk")})
    assert (check.status_code, check.data["progress"]["total"]) == (202, 1)
    pk = check.data["id"]
    for chunk in services.rechecks.RecheckChunk.objects.filter(recheck=pk):
        jobs.work_off(services.RECHECK, chunk.pk)
    assert signed_in.get(f"/api/v1/rechecks/{pk}").data["progress"]["changes"] == 1
    (change,) = signed_in.get(f"/api/v1/rechecks/{pk}/changes?kind=became-legal").data["results"]
    assert (change["before"], change["after"], change["findings_before"][0]["code"]) == (
        "illegal",
        "legal",
        "banned",
    )
    assert signed_in.get("/api/v1/notices").data["results"] == []  # a question told nobody


def test_findings_are_explained_with_their_rules(api: Any) -> None:
    codes = [one["code"] for one in api.get("/api/v1/findings").data["results"]]
    assert {"banned", "restricted", "wrong-contents", "upgrade-too-dear"} <= set(codes)
    restricted = api.get("/api/v1/findings/restricted").data
    assert restricted["mend"]
    assert "COC-D-03" in [rule["rule"] for rule in restricted["rules"]]
    assert api.get("/api/v1/findings/nothing").status_code == 404


def test_card_data_is_listed_for_all_and_imported_by_administrators(signed_in: Any, ann: Any) -> None:
    games = {one["game"] for one in signed_in.get("/api/v1/catalogs").data["results"]}
    assert {"coc-lcg", "codex", "l5r-ccg"} <= games

    def sent() -> Any:
        file = SimpleUploadedFile("cards.csv", b"title,type\nRats,character\n")
        return post(signed_in, "catalogs/import", {"game": "toy", "file": file}, multipart=True)

    assert sent().status_code == 403
    ann.is_superuser = True
    ann.save()
    assert (sent().data["new"], sent().data["unchanged"]) == (1, 1)
