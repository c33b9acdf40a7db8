"""Endings in a bracket: a winner ends a game, its games end a round, the last round ends the stage and the event."""

from datetime import datetime

from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from tournament.models import Event, Match, Round, Stage, User
from tournament.selectors.matches import MatchState, match_state
from tournament.selectors.querysets import MATCHES
from tournament.selectors.stages import bracket_view, stages_of, winner_of
from tournament.swiss import Outcome


def bracket_results_must_stand(round: Round) -> None:
    """Every game of a finished round of the bracket has a winner. Raises Conflict `no-winner`."""
    for match in MATCHES.filter(round=round):
        if winner_of(match_state(match)) is None:
            raise Conflict(
                "no-winner",
                _("Table %(table)s has a result without a winner, but one of the two must advance.")
                % {"table": match.table},
                remedy=_("Decide the match for one of the two, with a reason."),
            )


def stage_finished(round: Round, by: User, now: datetime) -> None:
    """After a round of the bracket was closed: when it was the last, the stage and the event are over."""
    assert round.stage_id is not None
    stage = stages_of(round.event).get(pk=round.stage_id)
    if bracket_view(stage).next_wave is not None:
        return
    Stage.objects.filter(pk=stage.pk).update(finished_at=now)
    round.event.state = Event.State.FINISHED
    round.event.save(update_fields=["state"])
    audit("event_finish", actor=by, target=round.event, event=round.event)


def must_not_undo_the_bracket(match: Match, before: MatchState, said: Outcome) -> None:
    """A winner who has been seated in the next round of the bracket stays. Raises Conflict `bracket-went-on`."""
    if match.game is None or winner_of(before) in (None, 1 if said in _FIRST else 2):
        return
    later = Round.objects.filter(stage=match.round.stage_id, number__gt=match.round.number)
    if later.exists():
        raise Conflict(
            "bracket-went-on",
            _("The next round of the bracket has been published with this winner in it."),
            remedy=_("Past pairings are never changed. Tell the players, and decide the coming matches."),
        )


_FIRST = frozenset({Outcome.WIN, Outcome.TIMED_WIN})
