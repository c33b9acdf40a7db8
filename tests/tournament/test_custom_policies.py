"""Policies that organizers write: from a copy, in a form or as a file, versioned, used by events, exported."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest
from django.test import Client

from config.errors import Conflict, Forbidden, UserError
from tests.tournament.factories import NOW, enter, make_event, play
from tournament import services
from tournament.forms.policies import PolicyForm, begin
from tournament.models import PolicyVersion
from tournament.policy import policy_files
from tournament.policy.kinds import CutRule
from tournament.policy.policy_files import FOLDER, cut_of_words, cut_words, exported, policy
from tournament.selectors import policy_of
from tournament.selectors.policies import policies, policy_current

pytestmark = pytest.mark.django_db
KEYS = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def typed(base: str, /, **changes: Any) -> dict[str, Any]:
    """What a browser sends for the form as it begins with that policy."""
    form = PolicyForm(base=policy(base))
    sent = {name: form.initial.get(name, field.initial) for name, field in form.fields.items()}
    return {
        name: value for name, value in (sent | changes).items() if value is not None and value is not False
    }


def own(changes: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    return {**policy("coc-lcg").document, "key": "our-league", "title": "Our league", **changes}


# --- the form -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_the_form_sent_as_it_begins_is_the_same_policy(key: str) -> None:
    form = PolicyForm(typed(key), base=policy(key))
    assert form.is_valid(), form.errors
    again = policy_files.read(form.document(), name="form")
    shipped = policy(key)
    assert again == replace(shipped, document=again.document, status=again.status, source=again.source)
    assert again.status == "house-default", "a copy is nobody's official policy"
    assert " ".join(again.source.split()) == " ".join(policy(key).source.split())


def test_every_part_can_be_changed_in_the_form() -> None:
    sent = typed(
        "coc-lcg",
        key="our-league",
        title="Our league",
        **{
            "points.win": 3,
            "points.timed-win": "",
            "points.timed-loss": "",
            "rounds[1].cut": "x-2",
            "rounds[2].cut": "8 + ties",
            "tie-head-to-head": 2,
            "tie-sos": 3,
            "tie-esos": "",
            "tie-random": 9,
            "bracket.kind": "single-elimination",
            "bracket.third-place": "on",
            "bracket.choice": "lot",
            "time.unfinished": "draw",
            "round-minutes": 35,
            "intentional-draw": "allowed",
            "penalties": "infraction-guide-2019",
        },
    )
    form = PolicyForm(sent, base=policy("coc-lcg"))
    assert form.is_valid(), form.errors
    made = policy_files.read(form.document(), name="form")
    assert made.scoring.points == {"win": 3, "draw": 2, "loss": 0, "double-loss": 0, "bye": 5}
    assert [row.rule for row in made.rounds[:2]] == [CutRule(losses=2), CutRule(8, ties=True)]
    assert [one.key for one in made.tie_breaks] == ["points", "head-to-head", "sos", "random"]
    assert (made.bracket.third_place, made.bracket.choice, made.round_minutes) == (True, "lot", 35)
    assert made.penalties is not None and made.penalties.title.startswith("Infraction procedure")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"points.bye": ""}, "points.bye"),
        ({"points.win": 101}, "points.win"),
        ({"rounds[2].players": "some"}, "rounds[2].players"),
        ({"rounds[2].players": "2"}, "rounds[2].players"),
        ({"rounds[1].rounds": 99}, "rounds[1].rounds"),
        ({"rounds[1].cut": "many"}, "rounds[1].cut"),
        ({"round-minutes": "soon"}, "round-minutes"),
        ({"time.extension-from": 99}, "time.extension-from"),
        ({"deck-checks.percent": 101}, "deck-checks.percent"),
        ({"bracket.kind": "double-elimination", "bracket.third-place": "on"}, "bracket.third-place"),
        ({"key": "Our League"}, "key"),
        ({"tie-sos": "", "tie-omw": 2, "tie-omw-floor": "7"}, None),
        ({"tie-sos": 7, "tie-esos": 7}, "tie-sos"),
    ],
)
def test_a_mistake_stands_beside_the_field_it_was_typed_into(
    changes: dict[str, Any], field: str | None, organizer: Any, client: Client
) -> None:
    client.force_login(organizer)
    sent = typed("coc-lcg", **{"key": "our-league", "title": "Ours"} | changes)
    answer = client.post("/policies/coc-lcg/edit", {"do": "fields", **sent})
    assert answer.status_code == 400
    form = answer.context["form"]
    if field is None:
        assert "must be between 0 and 1" in answer.content.decode()
    else:
        assert field in form.errors, form.errors
    assert not PolicyVersion.objects.exists()


# --- putting it in force --------------------------------------------------------------------------------------


def test_an_organizer_copies_changes_and_uses_a_policy(organizer: Any, client: Client) -> None:
    client.force_login(organizer)
    sent = typed("single-game", key="our-league", title="Our league", **{"points.win": 4})
    assert client.post("/policies/single-game/edit", {"do": "fields", **sent}).status_code == 302
    assert "Our league" in client.get("/policies/").content.decode()
    assert 'value="our-league"' in client.get("/events/new").content.decode()
    event = make_event(organizer, policy_key="our-league", planned_rounds=1)
    assert policy_of(event).scoring.points["win"] == 4
    enter(event, 4)
    play(event, organizer, 1)
    services.policy_publish(source=own({"points": {**own()["points"], "win": 9}}), by=organizer, now=NOW)
    event.refresh_from_db()
    assert policy_of(event).scoring.points["win"] == 4, "pinned with round 1"
    assert policy_current("our-league").scoring.points["win"] == 9
    assert "Fixed since round 1" in client.get("/events/kingsport/policy").content.decode()


def test_versions_are_kept_and_the_same_again_is_none(organizer: Any) -> None:
    for minutes in (50, 50, 60):
        services.policy_publish(source=own({"round-minutes": minutes}), note="pace", by=organizer, now=NOW)
    assert list(PolicyVersion.objects.values_list("number", flat=True)) == [2, 1]
    assert policies()["our-league"].round_minutes == 60


def test_a_shipped_policy_is_nobodys_to_change_and_one_written_is_its_authors(
    organizer: Any, visitor: Any, make_user: Any
) -> None:
    with pytest.raises(Forbidden):
        services.policy_publish(source=own({"key": "coc-lcg"}), by=organizer, now=NOW)
    services.policy_publish(source=own(), by=organizer, now=NOW)
    with pytest.raises(Forbidden):
        services.policy_publish(source=own({"round-minutes": 10}), by=visitor, now=NOW)
    admin = make_user("admin", is_superuser=True)
    services.policy_publish(source=own({"round-minutes": 45}), by=admin, now=NOW)
    assert policy_current("our-league").round_minutes == 45


def test_two_versions_at_once_are_two_numbers_or_a_refusal(
    organizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.policy_publish(source=own(), by=organizer, now=NOW)
    newest = PolicyVersion.objects.get()
    monkeypatch.setattr(PolicyVersion.objects, "filter", lambda **_: PolicyVersion.objects.none())
    with pytest.raises(Conflict) as refused:
        services.policy_publish(source=own({"round-minutes": 45}), by=organizer, now=NOW)
    monkeypatch.undo()
    assert refused.value.code == "published-twice" and list(PolicyVersion.objects.all()) == [newest]


def test_an_unknown_policy_gets_the_nearest_written_one(organizer: Any) -> None:
    services.policy_publish(source=own(), by=organizer, now=NOW)
    with pytest.raises(UserError) as refused:
        policy_current("our-leage")
    assert refused.value.remedy == "Did you mean our-league?"


@pytest.mark.parametrize("wrong", ["x" * 200_000, "key: [", "just words", "a: &b 1", "\x00"])
def test_what_is_no_policy_is_refused_whatever_it_is(wrong: str, organizer: Any) -> None:
    with pytest.raises(UserError):
        services.policy_publish(source=wrong, by=organizer, now=NOW)


# --- as a file ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_an_exported_policy_reads_back_to_the_same(key: str) -> None:
    assert policy_files.parsed(exported(policy(key).document), name=key) == policy(key)


def test_a_file_in_the_form_and_back(organizer: Any, client: Client) -> None:
    client.force_login(organizer)
    text = client.get("/policies/netrunner-nsg/file").content.decode()
    mine = text.replace("key: netrunner-nsg", "key: our-runners", 1)
    bad = mine.replace("round-minutes: 40", "round-minutes: forty")
    refused = client.post("/policies/netrunner-nsg/edit", {"do": "file", "text": bad})
    assert refused.status_code == 400 and "round-minutes must be a whole number" in refused.content.decode()
    assert client.post("/policies/netrunner-nsg/edit", {"do": "file", "text": mine}).status_code == 302
    assert client.get("/policies/our-runners/file").content.decode() == mine


def test_the_same_through_the_api(organizer: Any, client: Client) -> None:
    client.force_login(organizer)
    sent = {"text": exported(own()), "note": "for us"}
    made = client.post("/api/v1/policies", sent, content_type="application/json")
    assert made.status_code == 201 and made.json()["number"] == 1
    read = client.get("/api/v1/policies/our-league").json()
    assert read["document"]["title"] == "Our league"
    assert policy_files.parsed(read["file"], name="api").document == read["document"]
    assert any(one["key"] == "our-league" for one in client.get("/api/v1/policies").json()["results"])


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("none", CutRule()),
        ("8", CutRule(8)),
        ("8 + ties", CutRule(8, ties=True)),
        ("8 and ties", CutRule(8, ties=True)),
        ("X-2", CutRule(losses=2)),
    ],
)
def test_a_cut_is_typed_as_one_says_it(said: str, rule: CutRule) -> None:
    assert policy_files.cut_rule(cut_of_words(said)) == rule
    assert policy_files.cut_rule(cut_of_words(cut_words(rule))) == rule
    short = {key: value for key, value in rule.document.items() if value is not False}
    assert policy_files.cut_rule(short) == rule  # ties are said where they count


def test_the_form_begins_with_every_number_of_the_policy() -> None:
    first = begin(policy("mtg-mtr"))
    assert first["tie-omw"] == 2 and first["tie-omw-floor"] == "1/3" and first["tie-omw-byes"] is True
    assert first["rounds[8].players"] == 226 and first["rounds[10].players"] == "more"
