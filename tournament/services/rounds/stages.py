"""The bracket after the Swiss rounds: makes the cut, publishes rounds, handles declined spots."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _
from django.utils.translation import override

from config.audit import audit
from config.errors import Conflict
from tournament.bracket_words import game_title, wave_title
from tournament.models import Event, Match, Registration, Report, Round, Seat, Stage, StageEntry, User
from tournament.selectors import ORGANIZERS, STAFF, require
from tournament.selectors.stages import (
    BracketView,
    Tie,
    beginner,
    bracket_policy_of,
    bracket_view,
    cut_is_due,
    cut_preview,
    stages_of,
    swiss_is_over,
)
from tournament.services.checks import text
from tournament.services.locks import lock_event
from tournament.services.rounds.rounds import SEED_BITS, calls_let_go, finish_round
from tournament.swiss import Outcome
from tournament.swiss.brackets import MOST


def cut_decline(
    *, registration: Registration, plays_on: bool = False, by: User, now: datetime
) -> Registration:
    """Give up one's place in the bracket before it is opened, or take that back; the next takes the place.

    For the player and for staff. Raises Forbidden, Conflict `stage-open`.
    """
    if registration.user_id != by.pk:
        require(by, registration.event, STAFF)
    with transaction.atomic():
        event = lock_event(registration.event)
        if event.stages.exists():
            raise Conflict(
                "stage-open",
                _("The bracket is open, so you can no longer decline your spot."),
                remedy=_("Drop from the event. Your opponent then wins without playing."),
            )
        registration.plays_on = plays_on
        registration.save(update_fields=["plays_on"])
        verb = "cut_accept" if plays_on else "cut_decline"
        audit(verb, actor=by, target=registration, event=event)
    return registration


def stage_open(*, event: Event, seen: Sequence[int] | None = None, by: User, now: datetime) -> Stage:
    """Make the cut and open the bracket. The Swiss rounds must be over.

    seen: the registrations the asker was shown as playing on, in order of seed; when the standings have changed
    since, nothing is opened. Raises Forbidden; Conflict `swiss-not-over`, `no-cut`, `stage-open`, `cut-changed`,
    `too-few-players`, `too-many-players`.
    """
    require(by, event, ORGANIZERS)
    try:
        with transaction.atomic():
            event = lock_event(event)
            _must_be_due(event)
            cut = cut_preview(event)
            must_be_a_bracket(cut.seeds, seen)
            return open_stage(event, cut.seeds, cut.line, by, now)
    except IntegrityError as error:
        raise stage_open_already() from error


def open_stage(event: Event, seeds: Sequence[int], line: str, by: User, now: datetime) -> Stage:
    """Open the bracket of these registrations, in order of seed, inside another service."""
    policy = bracket_policy_of(event)
    stage = Stage.objects.create(
        event=event,
        number=1,
        kind=policy.kind.value,
        third_place=policy.third_place,
        choice=policy.choice,
        cut={"rule": event.cut, "line": line},
        opened_at=now,
    )
    StageEntry.objects.bulk_create(
        StageEntry(stage=stage, registration_id=pk, seed=seed) for seed, pk in enumerate(seeds, start=1)
    )
    audit("stage_open", actor=by, target=stage, event=event, data={"seeds": list(seeds)})
    return stages_of(event).get(pk=stage.pk)


def stage_withdraw(*, stage: Stage, reason: str, by: User, now: datetime) -> None:
    """Take the cut back while nothing was recorded at a table of the bracket and nobody there waits for a judge.

    Raises Forbidden; UserError `missing`; Conflict `stage-begun`, `calls-open`.
    """
    require(by, stage.event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    try:
        with transaction.atomic():
            event = lock_event(stage.event)
            # Held until the end, as a report holds its match: the two take turns.
            matches = Match.objects.select_for_update(no_key=True).filter(round__stage=stage)
            list(matches.values_list("pk", flat=True))
            if Report.objects.filter(match__round__stage=stage).exists():
                raise _begun()
            calls_let_go(
                stage.rounds.all(),
                _("Whoever called can cancel the call on the match page; then you can undo the cut."),
            )
            stage.rounds.all().delete()
            audit("stage_withdraw", actor=by, target=stage, event=event, reason=reason)
            stage.delete()
    except (IntegrityError, ProtectedError) as error:
        raise _begun() from error


def stage_round(
    *, stage: Stage, wave: int | None = None, seed: int | None = None, by: User, now: datetime
) -> Round:
    """Publish the next round of the bracket: every game that can be played now.

    A former round whose results are all in is closed with it. Who has dropped loses without playing.
    wave: the one the asker expects; another one is a Conflict, so that pressing twice is safe.
    Raises Forbidden; Conflict `results-missing`, `no-winner`, `already-paired`, `stage-over`.
    """
    require(by, stage.event, ORGANIZERS)
    try:
        with transaction.atomic():
            event = lock_event(stage.event)
            stage = stages_of(event).get(pk=stage.pk)
            last = stage.rounds.order_by("-wave").first()
            if wave is not None and wave <= (last.wave or 0 if last else 0):
                raise _paired_already()
            if last is not None and last.finished_at is None:
                finish_round(last, by, now)
            lot = secrets.randbits(SEED_BITS) if seed is None else seed
            return _publish(event, stage, last, wave, lot, by, now)
    except IntegrityError as error:
        raise _paired_already() from error


def event_close(*, event: Event, reason: str, by: User, now: datetime) -> Event:
    """End an event whose Swiss rounds are over without the bracket that was announced.

    Raises Forbidden, UserError `missing`, Conflict `swiss-not-over`, `stage-open`, `event-over`.
    """
    require(by, event, ORGANIZERS)
    reason = text(reason, "reason", most=300)
    with transaction.atomic():
        event = lock_event(event)
        _must_be_due(event)
        event.state = Event.State.FINISHED
        event.save(update_fields=["state"])
        audit("event_close", actor=by, target=event, event=event, reason=reason)
    return event


def _publish(
    event: Event, stage: Stage, last: Round | None, wave: int | None, seed: int, by: User, now: datetime
) -> Round:
    """last: the round that the asker saw as the last one."""
    view = bracket_view(stage)
    if stage.rounds.order_by("-wave").first() != last:  # somebody else's has come in between
        raise _paired_already()
    following = view.next_wave
    if following is None:
        raise Conflict("stage-over", _("The bracket has been played to its end."))
    if wave is not None and wave != following:
        raise _paired_already()
    ties = [tie for tie in view.ties if tie.wave == following and tie.state == "ready"]
    number = (event.rounds.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    with override(settings.LANGUAGE_CODE):  # kept in English, whoever publishes; pages translate it
        title, explanation = wave_title(view.bracket, following)[:200], _explanation(view, ties, seed)
    round = Round.objects.create(
        event=event,
        number=number,
        stage=stage,
        wave=following,
        title=title,
        seed=seed,
        explanation=explanation,
        published_at=now,
    )
    matches = Match.objects.bulk_create(
        Match(round=round, table=table, game=tie.game.number) for table, tie in enumerate(ties, start=1)
    )
    Seat.objects.bulk_create(
        Seat(round=round, match=match, registration=side.registration, side=index)
        for match, tie in zip(matches, ties, strict=True)
        for index, side in enumerate(tie.sides, start=1)
    )
    _walkovers(matches, ties, by, now)
    data = {"number": number, "wave": following, "stage": stage.number, "seed": seed}
    audit("stage_round", actor=by, target=round, event=event, data=data)
    return round


def _explanation(view: BracketView, ties: Sequence[Tie], seed: int) -> dict[str, Any]:
    return {
        "pairs": [
            {
                "table": table,
                "game": tie.game.number,
                "first": _player(tie, 0).pk,
                "second": _player(tie, 1).pk,
                "first_score": None,
                "second_score": None,
                "sentence": _sentence(view, tie, seed),
            }
            for table, tie in enumerate(ties, start=1)
        ],
    }


def _player(tie: Tie, side: int) -> Registration:
    player = tie.sides[side].registration
    assert player is not None, "a game that is ready has two players"
    return player


def _sentence(view: BracketView, tie: Tie, seed: int) -> str:
    standing = view.standing[tie.game.number - 1]
    begins = beginner(view.stage, standing, view.standing, seed)
    one, two = tie.sides
    said = _("%(title)s: seed %(one)s vs. seed %(two)s.") % {
        "title": game_title(view.bracket, tie.game),
        "one": one.seed,
        "two": two.seed,
    }
    chooser = next((side.name for side in tie.sides if side.seed == begins), None)
    return said + " " + _("%(name)s chooses who goes first.") % {"name": chooser}


def _walkovers(matches: Sequence[Match], ties: Sequence[Tie], by: User, now: datetime) -> None:
    """Who dropped loses without playing; of two who did, the higher seed goes on, so that the bracket can."""
    for match, tie in zip(matches, ties, strict=True):
        gone = [_player(tie, side).state != Registration.State.ACTIVE for side in (0, 1)]
        if not any(gone):
            continue
        first = (tie.sides[0].seed or 0) < (tie.sides[1].seed or 0) if all(gone) else gone[1]
        reason = (
            _("Both have dropped. The higher seed advances.") if all(gone) else _("The opponent has dropped.")
        )
        Report.objects.create(
            match=match,
            seat=None,
            by=by,
            number=1,
            outcome=Outcome.WIN if first else Outcome.LOSS,
            reason=reason,
            reported_at=now,
        )


def _must_be_due(event: Event) -> None:
    if event.state == Event.State.FINISHED:
        raise Conflict("event-over", _("The event is over."))
    if event.stages.exists():
        raise stage_open_already()
    if not swiss_is_over(event):
        raise Conflict(
            "swiss-not-over",
            _("The Swiss rounds aren’t over."),
            remedy=_("End the last planned round first."),
        )
    if not cut_is_due(event):
        if event.stages.exists():  # by now
            raise stage_open_already()
        raise Conflict("no-cut", _("No cut was announced for this event."))


def must_be_a_bracket(seeds: Sequence[int], seen: Sequence[int] | None) -> None:
    if seen is not None and list(seen) != list(seeds):
        raise cut_changed()
    if len(seeds) < 2:
        raise Conflict("too-few-players", _("A bracket needs at least two players."))
    if len(seeds) > MOST:
        raise Conflict("too-many-players", _("A bracket can have at most %(most)s players.") % {"most": MOST})


def cut_changed() -> Conflict:
    return Conflict(
        "cut-changed",
        _("The standings have changed since you reviewed the cut."),
        remedy=_("Review the cut again, then confirm it."),
    )


def _begun() -> Conflict:
    return Conflict(
        "stage-begun",
        _("Something has already been recorded at a table of the bracket."),
        remedy=_("Let it be played, and correct individual results where they are wrong."),
    )


def stage_open_already() -> Conflict:
    return Conflict("stage-open", _("The bracket is already open."), remedy=_("See the bracket."))


def _paired_already() -> Conflict:
    return Conflict(
        "already-paired",
        _("This bracket round has already been published."),
        remedy=_("Reload the pairings and check."),
    )
