"""Rulings found again, and looked at again when their law changes."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from config import jobs
from config.errors import Conflict, NotFound, UserError
from rules import scenarios, services, tasks
from rules.law import system_files
from rules.models import Adjudication, Dispute, LawRun, Ruling
from rules.scenarios import likeness
from rules.selectors import (
    Asked,
    access_precedent,
    changes_of,
    closest_cards,
    nearest,
    rulings_to_review,
    search,
)
from rules.services.law_runs import AT_ONCE
from tests.rules.scenarios import SHOTGUN, different

NOBODY = AnonymousUser()


def ruled(by: Any, now: datetime, verdict: str = "Bo may.", **given: Any) -> Ruling:
    fields = {"question": "May one?", "cards": ["Shotgun Blast"], "system": "coc-lcg", **given}
    return services.ruling_file(by=by, verdict=verdict, now=now, **fields)


@pytest.fixture
def published(dispute: Dispute, judge: Any, now: datetime) -> Ruling:
    ruling = services.ruling_file(
        dispute=dispute, by=judge, verdict="The other player may.", citations=["COC-T-31"], now=now
    )
    services.precedent_publish(ruling=ruling, by=judge, now=now)
    return ruling


def pks(user: Any, **asked: Any) -> list[int]:
    return [hit.ruling.pk for hit in search(user, Asked(**asked))]


# --- the search -----------------------------------------------------------------------------------------


def test_a_ruling_is_found_by_card_two_cards_rule_words_system_and_status(
    published: Ruling, now: datetime
) -> None:
    found = [published.pk]
    assert pks(NOBODY, cards=("field researcher",)) == found, "however it is written"
    assert pks(NOBODY, cards=("Field Researcher", "Shotgun Blast")) == found
    assert pks(NOBODY, cards=("Field Researcher", "Dynamite")) == []
    assert (pks(NOBODY, rule="COC-T-31"), pks(NOBODY, rule="COC-T-3")) == (found, [])
    assert (pks(NOBODY, words="PLAYER other"), pks(NOBODY, words="other nobody")) == (found, [])
    assert (pks(NOBODY, system="coc-lcg"), pks(NOBODY, system="arkham")) == (found, [])
    assert (pks(NOBODY, status="unverified"), pks(NOBODY, status="verified")) == (found, [])
    assert (pks(NOBODY, status="floor"), pks(NOBODY, status="final")) == (found, [])
    assert (pks(NOBODY, scope="global"), pks(NOBODY, scope="event")) == (found, [])


@pytest.mark.parametrize(("place", "value"), [("system", "chess"), ("status", "good"), ("scope", "moon")])
def test_an_unknown_word_of_the_search_is_named(db: None, place: str, value: str) -> None:
    with pytest.raises(UserError) as refused:
        search(NOBODY, replace(Asked(), **{place: value}))  # type: ignore[arg-type]
    assert refused.value.place == place and "Choose from" in refused.value.remedy


def test_a_misspelt_card_gets_the_nearest(published: Ruling) -> None:
    asked = Asked(cards=("Feild Resercher",))
    assert closest_cards(asked)["Feild Resercher"][0] == "Field Researcher"


def test_what_is_not_published_is_its_judges_alone(
    judge: Any, visitor: Any, dispute: Dispute, now: datetime
) -> None:
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="Bo may.", now=now)
    assert pks(judge) == [ruling.pk]
    for somebody in (visitor, NOBODY):
        assert pks(somebody) == []
        with pytest.raises(NotFound):
            access_precedent(somebody, ruling.pk)


def test_outsiders_search_and_read_the_published_words_alone(
    judge: Any, dispute: Dispute, now: datetime
) -> None:
    """Else whether a word is found would tell what the ruling says."""
    ruling = services.ruling_file(
        dispute=dispute, by=judge, verdict="Cleo may.", explanation="Cleo is right.", now=now
    )
    services.precedent_publish(
        ruling=ruling,
        question="May one?",
        verdict="The one may.",
        explanation="",
        names=["Cleo Marsh"],
        by=judge,
        now=now,
    )
    assert (pks(NOBODY, words="cleo"), pks(judge, words="cleo")) == ([], [ruling.pk])
    hit = access_precedent(NOBODY, ruling.pk)
    assert (hit.verdict, hit.explanation) == ("The one may.", "")


@pytest.mark.parametrize("said", ["Cleo drew first.", "MARSH drew.", "It was Marsh’s card.", "cleo-marsh"])
def test_a_name_in_any_form_is_refused(judge: Any, dispute: Dispute, now: datetime, said: str) -> None:
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="One may.", now=now)
    with pytest.raises(UserError) as refused:
        services.precedent_publish(ruling=ruling, explanation=said, names=["Cleo Marsh"], by=judge, now=now)
    assert (refused.value.code, refused.value.place) == ("names-somebody", "explanation")


def test_a_withdrawn_precedent_is_gone_for_everybody_else(
    published: Ruling, judge: Any, now: datetime
) -> None:
    services.precedent_withdraw(precedent=published.precedent, by=judge, now=now)
    assert pks(NOBODY) == []
    with pytest.raises(Conflict):
        services.precedent_withdraw(precedent=published.precedent, by=judge, now=now)


def test_a_ruling_about_a_group_is_found_under_each_of_its_cards(
    published: Ruling, judge: Any, now: datetime
) -> None:
    group = services.card_group_save(name="Explosives", cards=["Dynamite", "Bloodbath"], by=judge, now=now)
    assert pks(NOBODY, cards=("Dynamite",)) == []
    services.ruling_group(ruling=published, group=group, by=judge)
    assert (
        pks(NOBODY, cards=("dynamite",))
        == pks(NOBODY, cards=("Bloodbath", "Shotgun Blast"))
        == [published.pk]
    )
    services.ruling_group(ruling=published, group=group, attached=False, by=judge)
    assert pks(NOBODY, cards=("Dynamite",)) == []


def test_a_reversal_stands_before_what_it_reverses(published: Ruling, judge: Any, now: datetime) -> None:
    newer = ruled(judge, now, verdict="Something newer.")
    services.precedent_publish(ruling=newer, by=judge, now=now)
    righted = services.ruling_right(
        ruling=published, side="reversed", reason="FAQ 4", verdict="Nobody may.", by=judge, now=now
    )
    assert pks(NOBODY)[0] == published.pk, "an unpublished reversal shows that there is one, not what it says"
    assert access_precedent(NOBODY, published.pk).righted is None
    services.precedent_publish(ruling=righted, question="May one?", by=judge, now=now)
    assert pks(NOBODY) == [righted.pk, published.pk, newer.pk]


# --- the nearest ----------------------------------------------------------------------------------------


def test_the_same_situation_is_known_whoever_plays_it() -> None:
    other = SHOTGUN.replace("Ann", "Zoe").replace("Bo", "Yan").replace("researcher", "student")
    assert likeness.form_of(scenarios.read(other).canonical) == likeness.form_of(
        scenarios.read(SHOTGUN).canonical
    )
    blank = SHOTGUN.replace("zone: play", "zone: play, blank: yes")
    assert likeness.form_of(scenarios.read(blank).canonical) != likeness.form_of(
        scenarios.read(SHOTGUN).canonical
    )


def test_precedents_on_the_same_situation_come_before_those_on_the_same_cards(
    answered: Adjudication, judge: Any, now: datetime
) -> None:
    source = SHOTGUN.replace("Ann", "Zoe").replace("Bo", "Yan")
    same = services.dispute_file(by=judge, title="x", source=source, now=now)
    on_form = services.ruling_file(dispute=same, by=judge, verdict="Yan may.", now=now)
    on_cards = ruled(judge, now, cards=["Field Researcher", "Shotgun Blast"])
    ruled(judge, now, cards=["Dynamite"])
    hits = nearest(judge, answered.dispute, answered.answer)
    assert [(hit.ruling.pk, hit.alike) for hit in hits] == [(on_form.pk, "form"), (on_cards.pk, "cards")]
    assert set(hits[1].shared) == {"Field Researcher", "Shotgun Blast"}


def test_the_engines_disagreement_with_a_precedent_is_flagged(
    answered: Adjudication, judge: Any, now: datetime
) -> None:
    services.ruling_file(
        dispute=answered.dispute,
        by=judge,
        verdict="No.",
        explanation="Blank.",
        adjudication=answered,
        agrees=False,
        now=now,
    )
    again = services.dispute_file(by=judge, title="again", source=SHOTGUN, now=now)
    [hit] = nearest(judge, again, answered.answer)
    assert (hit.alike, hit.differs) == ("form", True)


# --- another law ----------------------------------------------------------------------------------------


@pytest.fixture
def changed_law(monkeypatch: pytest.MonkeyPatch) -> Any:
    """changed_law("COC-T-31") changes that rule's sentence, and the version of the system."""

    def change(rule: str) -> None:
        law = system_files.system("coc-lcg")
        sentences = {**law.law, rule: replace(law.law[rule], says="Another sentence.")}
        changed = replace(law, law=sentences, hash="f" * 64, version="faq-next")
        real = system_files.system.__wrapped__

        def system(key: str) -> Any:
            return changed if key == "coc-lcg" else real(key)

        for module in (
            "selectors.rulings",
            "selectors.review",
            "services.law_runs",
            "services.adjudications",
        ):
            monkeypatch.setattr(f"rules.{module}.system_file", system)

    return change


def test_exactly_the_rulings_that_cite_a_changed_sentence_are_to_be_looked_at(
    judge: Any, now: datetime, changed_law: Any
) -> None:
    citing = ruled(judge, now, citations=["COC-T-31", "COC-T-27"])
    ruled(judge, now, citations=["COC-T-27"])
    ruled(judge, now)
    assert rulings_to_review() == []
    before = system_files.system("coc-lcg").law["COC-T-31"].says
    changed_law("COC-T-31")
    [found] = rulings_to_review()
    assert (found.ruling, found.rules) == (citing, (("COC-T-31", before, "Another sentence."),))
    services.ruling_mark(ruling=citing, side="verified", reason="Only the words are new.", by=judge, now=now)
    assert rulings_to_review() == [], "until the sentence changes again"


def test_every_recorded_dispute_is_asked_again_and_the_changed_answers_are_told(
    judge: Any, now: datetime, changed_law: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = []
    for number in range(3):
        dispute = services.dispute_file(
            by=judge, title=str(number), source=different(SHOTGUN, number + 1), now=now
        )
        recorded.append(dispute.adjudications.get())
        tasks.adjudicate(recorded[-1].pk)
    with pytest.raises(Conflict) as refused:
        services.law_run_start(system="coc-lcg", by=judge, now=now)
    assert refused.value.code == "nothing-recorded"
    changed_law("COC-T-31")
    [run] = services.law_changed(now=now)
    assert (run.total, services.law_changed(now=now)) == (3, [])
    assert services.law_runs_sweep(now=now) == 3
    assert services.law_runs_sweep(now=now) == 0, "nothing is laid into the queue twice"
    for number, item in enumerate(run.items.order_by("pk")):
        answer = {**(Adjudication.objects.get(pk=item.before_id).answer or {})}
        if number == 1:
            answer["questions"] = [{**answer["questions"][0], "answer": "no"}, *answer["questions"][1:]]
        assert item.after is not None
        claimed = jobs.claim(services.ADJUDICATION, item.after.pk, now)
        assert claimed is not None
        jobs.finish(services.ADJUDICATION, claimed, now, answer=answer)
    services.law_runs_sweep(now=now)
    run = LawRun.objects.get()
    assert run.finished_at is not None
    assert [item.before for item in changes_of(judge, run)] == [recorded[1]]
    recorded[1].refresh_from_db()
    assert recorded[1].answer is not None, "the recorded run stays"
    assert recorded[1].answer["questions"][0]["answer"] == "yes"


def test_a_run_lays_a_few_disputes_at_a_time_before_those_at_a_table(
    judge: Any, now: datetime, changed_law: Any
) -> None:
    for number in range(AT_ONCE + 3):
        dispute = services.dispute_file(by=judge, title="x", source=different(SHOTGUN, number + 1), now=now)
        Adjudication.objects.filter(dispute=dispute).update(
            state="done", answer={"questions": [], "sentence": ""}, finished_at=now
        )
    changed_law("COC-T-31")
    services.law_run_start(system="coc-lcg", by=judge, now=now)
    assert [services.law_runs_sweep(now=now), services.law_runs_sweep(now=now)] == [AT_ONCE, 0]
    Adjudication.objects.filter(system_hash="f" * 64).update(
        state="done", answer={"questions": [], "sentence": ""}, finished_at=now
    )
    assert services.law_runs_sweep(now=now) == 3
