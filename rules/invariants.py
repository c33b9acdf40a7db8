"""Invariants of disputes, engine runs and rulings (config.invariants)."""

from collections import Counter
from datetime import timedelta

from django.apps import apps
from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from config.invariants import Check, Found, Level
from config.jobs.turns import slow
from rules import scenarios
from rules.law import system_files
from rules.law.system_files import keys
from rules.models import Adjudication, Dispute, Ruling

State = Adjudication.State


def _systems() -> Found:
    for key in keys():
        try:
            system_files.system(key)
            system_files.library(key)
        except Exception as error:  # each broken file is told, not the first alone
            yield (
                Level.ERROR,
                f"{error}",
                f"rules/systems/{key}.yaml",
                "Restore the shipped file, or fix yours.",
            )


def _jobs() -> Found:
    now = timezone.now()
    for lane, seconds in slow(now).items():
        message = f"A job has waited {seconds:.0f} seconds: its lane has no running worker, or too few."
        yield (
            Level.WARNING,
            message,
            f"lane {lane}",
            "Start a worker and the scheduler (beat), or more workers.",
        )
    longest = now + timedelta(seconds=2 * settings.JOB_LEASE_SECONDS)
    for pk in Adjudication.objects.filter(lease_until__gt=longest).values_list("pk", flat=True):
        message = "A lease lasts longer than leases do: the clock was moved."
        yield (
            Level.WARNING,
            message,
            f"rules_adjudication {pk}",
            "Do nothing: the sweep requeues the job within seconds.",
        )
    odd = Q(state=State.RUNNING, token="") | (~Q(state=State.RUNNING) & ~Q(token=""))
    for pk in Adjudication.objects.filter(odd).values_list("pk", flat=True):
        message = "The state of a run contradicts its worker’s claim."
        yield (
            Level.ERROR,
            message,
            f"rules_adjudication {pk}",
            "Cancel the run on its dispute’s page and ask again.",
        )
    too_often = Adjudication.objects.filter(runs__gt=settings.JOB_MAX_RUNS)
    for pk in too_often.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "A run was started more often than the limit allows.",
            f"rules_adjudication {pk}",
            _ASK_ANEW,
        )


def _finished_once() -> Found:
    """A stored answer was stored by one worker once; one copied from store (no runs) by none."""
    rows = apps.get_model(settings.AUDIT_MODEL)._default_manager
    finishes = Counter(
        int(target)
        for target in rows.filter(verb="adjudication_finish")
        .order_by()
        .values_list("target_id", flat=True)
        .iterator()
    )
    widened = Counter(map(int, rows.filter(verb="adjudication_widen").values_list("target_id", flat=True)))
    done = Adjudication.objects.filter(state=State.DONE).order_by().values_list("pk", "runs")
    for pk, runs in done.iterator():
        if finishes[pk] - widened[pk] != (1 if runs else 0):
            message = f"The audit log has {finishes[pk]} endings of a run that ended once."
            yield (
                Level.ERROR,
                message,
                f"rules_adjudication {pk}",
                "Keep a backup and report this: it is a bug in Headjudge.",
            )


def _answers() -> Found:
    """What is stored under a hash has that hash."""
    for pk, canonical, stored in (
        Dispute.objects.order_by().values_list("pk", "scenario", "scenario_hash").iterator()
    ):
        if scenarios.canonical_hash(canonical) != stored:
            yield (
                Level.ERROR,
                "The stored situation doesn’t match its hash.",
                f"rules_dispute {pk}",
                _RESTORE,
            )
    rows = Adjudication.objects.order_by().values_list(
        "pk", "scenario", "scenario_hash", "answer__scenario_hash", "state"
    )
    for pk, canonical, stored, answered, state in rows.iterator():
        if scenarios.canonical_hash(canonical) != stored:
            yield (
                Level.ERROR,
                "The stored situation doesn’t match its hash.",
                f"rules_adjudication {pk}",
                _RESTORE,
            )
        elif state == State.DONE and answered not in (None, stored):
            yield (
                Level.ERROR,
                "The answer belongs to a different situation.",
                f"rules_adjudication {pk}",
                _RESTORE,
            )


def _disputes() -> Found:
    for pk in Dispute.objects.filter(adjudications=None).values_list("pk", flat=True):
        message = "The engine was never asked about this dispute."
        yield Level.ERROR, message, f"rules_dispute {pk}", "Ask the engine on its page."
    astray = Ruling.objects.filter(adjudication__isnull=False).exclude(adjudication__dispute=F("dispute"))
    for pk in astray.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "The ruling agrees with an answer to a different dispute.",
            f"rules_ruling {pk}",
            _RESTORE,
        )


_ASK_ANEW = "Ask again on the dispute’s page."
_RESTORE = "Another program has written here. Compare with a backup."

CHECKS = [
    Check("systems", "Every timing system and its cards can be read.", _systems, rows=False),
    Check("jobs", "Every run of the engine is waiting, claimed by one worker, or done.", _jobs),
    Check("finished-once", "No answer was lost or stored twice.", _finished_once),
    Check("answers", "Stored situations and answers match their hashes.", _answers),
    Check(
        "disputes",
        "The engine was asked about every dispute; every ruling is about its own.",
        _disputes,
    ),
]
