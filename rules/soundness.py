"""What must hold of disputes, the engine's runs and rulings (config.soundness)."""

from collections import Counter
from datetime import timedelta

from django.apps import apps
from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from config.soundness import Check, Found, Level
from rules import scenario, system_files
from rules.models import Adjudication, AdjudicationPart, Dispute, Ruling
from rules.selectors import oldest_queued_seconds
from rules.system_files import keys

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
                "Put the shipped file back, or mend yours.",
            )


def _jobs() -> Found:
    now = timezone.now()
    oldest = oldest_queued_seconds(now)
    if oldest > settings.READY_MAX_QUEUE_SECONDS:
        message = (
            f"A dispute has waited {oldest:.0f} seconds for the engine: no worker is at work, or too few."
        )
        yield (
            Level.WARNING,
            message,
            "rules_adjudication",
            "Start a worker and the clock (beat), or more workers.",
        )
    longest = now + timedelta(seconds=2 * settings.JOB_LEASE_SECONDS)
    for pk in Adjudication.objects.filter(lease_until__gt=longest).values_list("pk", flat=True):
        message = "A lease runs longer than any lease does: the clock was moved."
        yield (
            Level.WARNING,
            message,
            f"rules_adjudication {pk}",
            "Nothing: the sweep puts it back within seconds.",
        )
    odd = Q(state=State.RUNNING, token="") | (~Q(state=State.RUNNING) & ~Q(token=""))
    for pk in Adjudication.objects.filter(odd).values_list("pk", flat=True):
        message = "A run and the worker’s claim on it do not fit together."
        yield (
            Level.ERROR,
            message,
            f"rules_adjudication {pk}",
            "Cancel the run on its dispute’s page and ask again.",
        )
    over = AdjudicationPart.objects.exclude(
        adjudication__state__in=[State.QUEUED, State.RUNNING, State.SPLIT]
    )
    for pk in over.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "A part is left of a run that is over.",
            f"rules_adjudicationpart {pk}",
            "Delete the row.",
        )
    for pk in Adjudication.objects.filter(state=State.SPLIT, parts=None).values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "A run is split into no parts.",
            f"rules_adjudication {pk}",
            "Cancel it and ask again.",
        )
    too_often = Adjudication.objects.filter(runs__gt=settings.JOB_MAX_RUNS)
    for pk in too_often.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "A run was started more often than it may be.",
            f"rules_adjudication {pk}",
            _ASK_ANEW,
        )


def _finished_once() -> Found:
    """A stored answer was stored by one worker once; one copied from store (no runs) by none."""
    trail = apps.get_model(settings.AUDIT_MODEL)._default_manager
    finishes = Counter(
        int(target)
        for target in trail.filter(verb="adjudication_finish")
        .order_by()
        .values_list("target_id", flat=True)
        .iterator()
    )
    widened = Counter(map(int, trail.filter(verb="adjudication_widen").values_list("target_id", flat=True)))
    done = Adjudication.objects.filter(state=State.DONE).order_by().values_list("pk", "runs")
    for pk, runs in done.iterator():
        if finishes[pk] - widened[pk] != (1 if runs else 0):
            message = f"The trail has {finishes[pk]} endings of a run that ended once."
            yield (
                Level.ERROR,
                message,
                f"rules_adjudication {pk}",
                "Keep a backup and report this: it is a fault of ours.",
            )


def _answers() -> Found:
    """What is stored under a hash has that hash."""
    for pk, canonical, stored in (
        Dispute.objects.order_by().values_list("pk", "scenario", "scenario_hash").iterator()
    ):
        if scenario.canonical_hash(canonical) != stored:
            yield (
                Level.ERROR,
                "The situation is not the one that was hashed.",
                f"rules_dispute {pk}",
                _RESTORE,
            )
    rows = Adjudication.objects.order_by().values_list(
        "pk", "scenario", "scenario_hash", "answer__scenario_hash", "state"
    )
    for pk, canonical, stored, answered, state in rows.iterator():
        if scenario.canonical_hash(canonical) != stored:
            yield (
                Level.ERROR,
                "The situation is not the one that was hashed.",
                f"rules_adjudication {pk}",
                _RESTORE,
            )
        elif state == State.DONE and answered not in (None, stored):
            yield Level.ERROR, "The answer is to another situation.", f"rules_adjudication {pk}", _RESTORE


def _disputes() -> Found:
    for pk in Dispute.objects.filter(adjudications=None).values_list("pk", flat=True):
        message = "The engine was never asked about this dispute."
        yield Level.ERROR, message, f"rules_dispute {pk}", "Ask on its page."
    astray = Ruling.objects.filter(adjudication__isnull=False).exclude(adjudication__dispute=F("dispute"))
    for pk in astray.values_list("pk", flat=True):
        yield (
            Level.ERROR,
            "The ruling agrees with an answer to another dispute.",
            f"rules_ruling {pk}",
            _RESTORE,
        )


_ASK_ANEW = "Ask anew on its dispute’s page."
_RESTORE = "Something other than Headjudge has written here: compare with a backup."

CHECKS = [
    Check("systems", "Every timing system and its cards can be read.", _systems, rows=False),
    Check("jobs", "Every run of the engine is waiting, in one worker’s hands, or over.", _jobs),
    Check("finished-once", "No answer was lost or stored twice.", _finished_once),
    Check("answers", "Situations and answers are those that were hashed.", _answers),
    Check("disputes", "Every dispute was asked, and every ruling is about its own dispute.", _disputes),
]
