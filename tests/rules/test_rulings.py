"""A ruling says what the judge decides, quotes the law as it stood, and never changes afterwards."""

import hashlib
from datetime import datetime
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from config.errors import Conflict, UserError
from rules import services
from rules.models import Adjudication, Dispute, Ruling
from rules.system_files import system
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
            "rule": RULE,
            "document": law.law[RULE].document,
            "section": law.law[RULE].section,
            "version": law.version,
            "sentence": sentence,
            "sentence_hash": hashlib.sha256(sentence.encode()).hexdigest(),
        }
    ]
    assert (ruling.event_side, ruling.law_side, ruling.agrees) == ("floor", "unverified", True)
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


def test_an_appeal_adds_a_row_and_the_final_one_is_the_last(
    dispute: Dispute, judge: Any, now: datetime
) -> None:
    for side in ("floor", "appealed", "final"):
        services.ruling_file(dispute=dispute, by=judge, verdict=side, event_side=side, now=now)
    assert dispute.rulings.count() == 3
    for side in ("floor", "final"):
        with pytest.raises(Conflict):
            services.ruling_file(dispute=dispute, by=judge, verdict="again", event_side=side, now=now)
    assert dispute.rulings.count() == 3


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
