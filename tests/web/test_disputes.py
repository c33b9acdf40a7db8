"""A dispute from the table to the ruling, and who sees what when."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.test import Client

from rules import services
from rules.models import Adjudication, Dispute, Ruling
from rules.tasks import adjudicate
from tests.rules.scenarios import SHOTGUN
from tests.web.conftest import World
from tests.web.samples import ANSWER

AsUser = Callable[[Any], Client]


def text(response: Any) -> str:
    return str(response.content.decode())


def ruling(world: World, **changes: Any) -> dict[str, Any]:
    run = world.dispute.adjudications.get().pk
    given = {"run": run, "agrees": "yes", "verdict": "Bo may respond.", "explanation": ""}
    return given | changes


def step(world: World) -> str:
    """The page on which the judge rules on the dispute of the table."""
    return f"/matches/{world.match.pk}/rule?dispute={world.dispute.pk}"


def test_a_judge_files_the_ready_example_and_reads_the_answer(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    where = f"/matches/{world.match.pk}/dispute"
    page = text(client.get(where))
    assert "Shotgun Blast" in page
    example = client.get(where).context["form"]["source"].value()
    response = client.post(where, {"title": "Example", "system": "", "source": example}, follow=True)
    assert "The engine will start in a moment." in text(response)
    dispute = Dispute.objects.get(title="Example")
    adjudicate(dispute.adjudications.get().pk)
    page = text(client.get(f"/rules/disputes/{dispute.pk}"))
    assert "Bo may use Field Researcher." in page
    assert 'class="timeline' in page
    assert 'popover id="law-COC-T-27"' in page


def test_a_system_can_be_chosen_for_the_same_words(world: World, as_user: AsUser) -> None:
    given = {"title": "Old rules", "system": "coc-ccg", "source": SHOTGUN}
    as_user(world.judge).post(f"/matches/{world.match.pk}/dispute", given)
    assert Dispute.objects.get(title="Old rules").scenario["system"] == "coc-ccg"


def test_a_scenario_that_cannot_be_read_says_where_and_keeps_what_was_typed(
    world: World, as_user: AsUser
) -> None:
    broken = SHOTGUN.replace("Field Researcher,", "Feild Researcher,")
    given = {"title": "Kept title", "system": "", "source": broken}
    response = as_user(world.judge).post(f"/matches/{world.match.pk}/dispute", given)
    page = text(response)
    assert response.status_code == 400
    assert "Field Researcher" in page  # the nearest known
    assert 'value="Kept title"' in page
    assert "Feild Researcher" in page


def test_the_same_situation_under_another_system_stands_beside_it(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    where = f"/rules/disputes/{world.dispute.pk}"
    client.post(where, {"do": "ask", "system": "coc-ccg"})
    for job in world.dispute.adjudications.filter(state="queued"):
        adjudicate(job.pk)
    page = text(client.get(where))
    assert "One situation, two sets of rules" in page
    assert 'class="differs"' in page
    assert page.count('class="timeline') == 2


def test_the_same_rules_of_another_day_are_told_apart(world: World, as_user: AsUser) -> None:
    """Asked again after the rules changed: one scenario, one system, two runs."""
    first = world.dispute.adjudications.get()
    again = Adjudication.objects.get()
    again.pk, again.system_hash = None, "0" * 64
    again.save(force_insert=True)
    page = text(as_user(world.judge).get(f"/rules/disputes/{world.dispute.pk}?run={first.pk}&run={again.pk}"))
    for n in (1, 2):
        assert re.search(rf">{n}\. Call of Cthulhu LCG[^<]* · \d+ \w+, \d\d:\d\d UTC<", page)


def test_the_chart_is_there_in_every_language(world: World, as_user: AsUser) -> None:
    page = as_user(world.judge).get(f"/rules/disputes/{world.dispute.pk}", headers={"Accept-Language": "ko"})
    run = world.dispute.adjudications.get().pk
    assert f'href="#run-{run}-chart"' in page.content.decode()


def test_players_read_the_ruling_and_the_answer_only_after_it(world: World, as_user: AsUser) -> None:
    where = f"/rules/disputes/{world.dispute.pk}"
    assert as_user(world.bo).get(where).status_code == 404
    assert "May Bo respond?" not in text(as_user(world.bo).get(f"/matches/{world.match.pk}"))
    assert f'href="{step(world)}&amp;agrees=yes"' in text(as_user(world.judge).get(where))
    page = text(as_user(world.judge).post(step(world), ruling(world), follow=True))
    assert "Your ruling has been saved." in page
    assert "Agrees with the engine" in text(as_user(world.judge).get(where))
    page = text(as_user(world.bo).get(where))
    assert "Bo may respond." in page
    assert "Step by step" in page
    assert "Give the ruling" not in page
    assert "Bo may respond." in text(as_user(world.bo).get("/events/kingsport/match"))


def test_a_ruling_against_the_engine_needs_its_reason(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    where = step(world)
    response = client.post(where, ruling(world, agrees="no", verdict="Bo may not."))
    assert response.status_code == 400
    assert "Say why" in text(response)
    assert "Bo may not." in text(response)
    client.post(where, ruling(world, agrees="no", verdict="Bo may not.", explanation="The card was blank."))
    assert Ruling.objects.get().agrees is False


def test_a_judge_rules_without_the_engine(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    client.post(step(world), ruling(world, agrees=""))
    assert Ruling.objects.get().agrees is None


def test_an_empty_ruling_is_asked_for_again(world: World, as_user: AsUser) -> None:
    response = as_user(world.judge).post(step(world), ruling(world, verdict=" "))
    assert response.status_code == 400
    assert 'id="id_verdict_error"' in text(response)
    assert not Ruling.objects.exists()


def test_every_kind_of_step_and_reason_is_drawn(world: World, as_user: AsUser) -> None:
    """From the sample answer, which holds one of each."""
    job = world.dispute.adjudications.get()
    job.answer = ANSWER
    job.save()
    page = text(as_user(world.judge).get(f"/rules/disputes/{world.dispute.pk}?every=1"))
    for kind in ("initiate", "window", "decision", "occurrence", "check", "step", "end"):
        assert f"of-{kind} " in page, kind
    assert "Power Drain</span>: <u>why not?</u>" in page
    assert "the event has resolved" in page
    assert "It depends on how the rules are interpreted." in page
    assert "This changes the answer" in page


def test_hostile_words_in_a_dispute_are_text(world: World, as_user: AsUser) -> None:
    hostile = "<script>alert(1)</script>"
    source = SHOTGUN.replace("title: Shotgun Blast on Field Researcher", f'title: "{hostile}"')
    client = as_user(world.judge)
    page = text(
        client.post(
            f"/matches/{world.match.pk}/dispute",
            {"title": hostile, "system": "", "source": source},
            follow=True,
        )
    )
    assert hostile not in page
    assert "&lt;script&gt;" in page


def test_a_reading_is_flipped_with_one_tap_beside_the_recorded_run(
    world: World, as_user: AsUser, now: datetime
) -> None:
    client = as_user(world.judge)
    witness = """
  witness: {type: support, of: Ann, abilities: [{kind: response, at: after, of: destroy, do: [{do: draw, who: you}]}]}
did:"""
    both = SHOTGUN.replace("\ndid:", witness)  # two who may respond: who is first has to be asked
    dispute = services.dispute_file(by=world.judge, title="Who is first", source=both, now=now)
    recorded = dispute.adjudications.get()
    adjudicate(recorded.pk)
    recorded.refresh_from_db()
    where = f"/rules/disputes/{dispute.pk}"
    assert 'value="first-response=active"' in text(client.get(where))
    given = {"do": "what-if", "run": recorded.pk, "take": "first-response=active"}
    response = client.post(where, given)
    what_if = dispute.adjudications.exclude(pk=recorded.pk).get()
    assert response["Location"] == f"{where}?run={recorded.pk}&run={what_if.pk}"
    assert what_if.scenario["pinned"] == {"first-response": "active"}
    adjudicate(what_if.pk)
    page = text(client.get(response["Location"]))
    assert "What if: Who may respond first?" in page
    assert "The lines of play diverge here:" in page
    answer = recorded.answer
    recorded.refresh_from_db()
    assert recorded.answer == answer  # the recorded run is as it was


def test_an_unknown_reading_is_refused(world: World, as_user: AsUser) -> None:
    run = world.dispute.adjudications.get().pk
    given = {"do": "what-if", "run": run, "take": "first-response=nobody"}
    response = as_user(world.judge).post(f"/rules/disputes/{world.dispute.pk}", given)
    assert response.status_code == 400
    assert world.dispute.adjudications.count() == 1


def test_a_disputed_fact_is_asked_both_ways_and_one_found_says_who(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    source = SHOTGUN.replace("of: Bo, zone: play", "of: Bo, blank: {disputed: [yes, no]}").replace(
        "of: Ann, zone: hand", "of: Ann, zone: {found: hand, because: she showed it}"
    )
    client.post("/rules/disputes/ask", {"title": "Disputed", "system": "", "source": source})
    dispute = Dispute.objects.get(title="Disputed")
    run = dispute.adjudications.get()
    adjudicate(run.pk)
    page = text(client.get(f"/rules/disputes/{dispute.pk}"))
    assert "established by the judge" in page
    assert "she showed it" in page
    assert 'value="cards.researcher.blank=yes"' in page
    given = {"do": "what-if", "run": run.pk, "take": "cards.researcher.blank=yes"}
    client.post(f"/rules/disputes/{dispute.pk}", given)
    assert dispute.adjudications.count() == 2
    what_if = dispute.adjudications.exclude(pk=run.pk).get()
    assert what_if.scenario["cards"]["researcher"]["blank"] == "yes"


def test_the_same_situation_again_is_answered_from_store_and_says_so(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    client.post("/rules/disputes/ask", {"title": "Again", "system": "", "source": SHOTGUN})
    dispute = Dispute.objects.get(title="Again")
    assert "saved answer" in text(client.get(f"/rules/disputes/{dispute.pk}"))
    assert "saved answer" not in text(client.get(f"/rules/disputes/{world.dispute.pk}"))


def test_a_dispute_is_downloaded_as_a_case_with_its_answer(world: World, as_user: AsUser) -> None:
    run = world.dispute.adjudications.get().pk
    response = as_user(world.judge).get(f"/rules/disputes/{world.dispute.pk}/case.yaml?run={run}")
    assert "expect:\n  - {legal: 'yes'}" in text(response)
    assert as_user(world.judge).get(f"/rules/disputes/{world.dispute.pk}/case.yaml").status_code == 404


def test_the_answer_is_short_and_every_step_a_link_away(world: World, as_user: AsUser) -> None:
    client = as_user(world.judge)
    where = f"/rules/disputes/{world.dispute.pk}"
    short, full = text(client.get(where)), text(client.get(f"{where}?every=1"))
    assert (
        "Action window: players alternate" not in short.partition('id="run-')[2].partition("Where this is")[0]
    )
    assert full.count("step-row of-") > short.count("step-row of-")
    run = world.dispute.adjudications.get().pk
    assert f'href="#run-{run}-step-' in short
