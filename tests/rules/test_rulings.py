"""A ruling says what the judge decides, quotes the law as it stood, and never changes afterwards."""

import hashlib
from datetime import datetime
from typing import Any

import pytest
import yaml
from django.db import IntegrityError, transaction

from config.errors import Conflict, UserError
from rules import scenarios, services
from rules.law.system_files import system
from rules.models import Adjudication, Dispute, Ruling
from tournament.models import AuditRow

RULE = "COC-T-31"


def test_a_ruling_quotes_the_law_as_it_stood(answered: Adjudication, judge: Any, now: datetime) -> None:
    ruling = services.ruling_file(
        dispute=answered.dispute,
        by=judge,
        verdict="Bo may use Field Researcher.",
        adjudication=answered,
        agrees=True,
        citations=[RULE, RULE],
        now=now,
    )
    law = system("coc-lcg")
    sentence = law.law[RULE].says
    assert ruling.citations == [
        {
            "system": "coc-lcg",
            "rule": RULE,
            "document": law.law[RULE].document,
            "section": law.law[RULE].section,
            "version": law.version,
            "sentence": sentence,
            "sentence_hash": hashlib.sha256(sentence.encode()).hexdigest(),
        }
    ]
    assert (ruling.event_status, ruling.precedent_status, ruling.agrees) == ("floor", "unverified", True)
    row = AuditRow.objects.filter(verb="ruling_file").get()
    assert (row.actor, row.target_id, row.reason) == (judge, str(ruling.pk), "Bo may use Field Researcher.")


def test_a_judge_may_rule_before_and_without_the_engine(dispute: Dispute, judge: Any, now: datetime) -> None:
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="Play on.", citations=[RULE], now=now)
    assert (ruling.adjudication, ruling.agrees) == (None, None)
    assert ruling.citations[0]["rule"] == RULE


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"verdict": " "}, "verdict-missing", "verdict"),
        ({"verdict": "x" * 301}, "verdict-too-long", "verdict"),
        ({"agrees": None}, "agreement-missing", "agrees"),
        ({"agrees": False}, "explanation-missing", "explanation"),
        ({"adjudication": None}, "nothing-to-agree-with", "agrees"),
        ({"event_side": "flor"}, "bad-side", "event_side"),
        ({"citations": ["COC-T-311"]}, "unknown-rule", "citations"),
    ],
)
def test_what_a_ruling_needs(
    answered: Adjudication, judge: Any, now: datetime, change: dict[str, Any], code: str, place: str
) -> None:
    given = {"verdict": "Bo may.", "adjudication": answered, "agrees": True, **change}
    with pytest.raises(UserError) as refused:
        services.ruling_file(dispute=answered.dispute, by=judge, now=now, **given)
    assert (refused.value.code, refused.value.place) == (code, place)
    assert not Ruling.objects.exists()


def test_a_wrong_rule_gets_the_nearest_ones(dispute: Dispute, judge: Any, now: datetime) -> None:
    with pytest.raises(UserError) as refused:
        services.ruling_file(dispute=dispute, by=judge, verdict="No.", citations=["COCT31"], now=now)
    assert RULE in refused.value.remedy


def test_an_answer_to_another_dispute_cannot_be_agreed_with(
    answered: Adjudication, judge: Any, now: datetime
) -> None:
    other = services.dispute_file(by=judge, title="Other", source=answered.dispute.source, now=now)
    with pytest.raises(UserError) as refused:
        services.ruling_file(
            dispute=other, by=judge, verdict="No.", adjudication=answered, agrees=True, now=now
        )
    assert refused.value.code == "not-an-answer"


def test_a_judge_corrects_a_ruling_by_a_new_one_and_the_final_one_is_the_last(
    dispute: Dispute, judge: Any, now: datetime
) -> None:
    first, second, last = (
        services.ruling_file(dispute=dispute, by=judge, verdict=verdict, event_side=side, now=now)
        for verdict, side in (("one", "floor"), ("two", "floor"), ("three", "final"))
    )
    assert [(one.supersedes, one.change) for one in (first, second, last)] == [
        (None, ""),
        (first, "corrected"),
        (second, "corrected"),
    ]
    for side in ("floor", "final"):
        with pytest.raises(Conflict) as refused:
            services.ruling_file(dispute=dispute, by=judge, verdict="again", event_side=side, now=now)
        assert refused.value.code == "final-ruling"
    assert dispute.rulings.count() == 3


def test_an_appealed_ruling_is_not_corrected_by_its_judge(
    dispute: Dispute, judge: Any, now: datetime
) -> None:
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="one", now=now)
    services.appeal_file(ruling=ruling, by=judge, now=now)
    assert ruling.event_status == "appealed"
    with pytest.raises(Conflict) as refused:
        services.ruling_file(dispute=dispute, by=judge, verdict="two", now=now)
    assert refused.value.code == "appealed"


def test_one_appeal_and_none_against_a_final_ruling(dispute: Dispute, judge: Any, now: datetime) -> None:
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="one", now=now)
    services.appeal_file(ruling=ruling, by=judge, now=now)
    with pytest.raises(Conflict) as refused:
        services.appeal_file(ruling=ruling, by=judge, now=now)
    assert refused.value.code == "already-appealed"
    other = services.dispute_file(by=judge, title="Other", source=dispute.source, now=now)
    final = services.ruling_file(dispute=other, by=judge, verdict="x", event_side="final", now=now)
    with pytest.raises(Conflict) as refused:
        services.appeal_file(ruling=final, by=judge, now=now)
    assert refused.value.code == "final-ruling"


def test_disagreement_freezes_the_case_as_it_was(answered: Adjudication, judge: Any, now: datetime) -> None:
    ruling = services.ruling_file(
        dispute=answered.dispute,
        by=judge,
        verdict="Bo may not.",
        explanation="The card was blank.",
        adjudication=answered,
        agrees=False,
        now=now,
    )
    assert "# A judge disagreed: Bo may not. Because: The card was blank." in ruling.candidate
    case = yaml.safe_load(ruling.candidate)
    assert case["expect"][0] == {"legal": "yes"}, "what the engine answered"
    read = scenarios.read(yaml.safe_dump({key: value for key, value in case.items() if key != "expect"}))
    assert read.hash == answered.scenario_hash


def test_only_a_correction_of_the_law_stands_at_no_table(dispute: Dispute, judge: Any, now: datetime) -> None:
    with pytest.raises(UserError) as refused:
        services.ruling_file(dispute=dispute, by=judge, verdict="x", event_side="none", now=now)
    assert refused.value.code == "bad-side"


def test_the_database_refuses_a_second_final_ruling(dispute: Dispute, judge: Any, now: datetime) -> None:
    rows = [
        Ruling(dispute=dispute, judge=judge, verdict=verdict, event_side="final", issued_at=now)
        for verdict in ("one", "two")
    ]
    with pytest.raises(IntegrityError), transaction.atomic():
        Ruling.objects.bulk_create(rows)


def test_a_ruling_is_written_once(dispute: Dispute, judge: Any, now: datetime) -> None:
    ruling = services.ruling_file(dispute=dispute, by=judge, verdict="Play on.", now=now)
    ruling.verdict = "Something else."
    for change in (
        ruling.save,
        ruling.delete,
        Ruling.objects.all().delete,
        lambda: Ruling.objects.update(verdict="Something else."),
    ):
        with pytest.raises(RuntimeError):
            change()
    assert Ruling.objects.get().verdict == "Play on."
