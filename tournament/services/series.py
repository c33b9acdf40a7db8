"""Series: creating one, points for places, which events count, and which registrations are one player."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, NotFound, UserError
from tournament.models import Event, Registration, SamePlayer, Series, SeriesEvent, User
from tournament.selectors import ORGANIZERS, require
from tournament.selectors.series import events_of, members_of, require_owner
from tournament.services.checks import slug_of, text
from tournament.swiss.seasons import Scale

MOST_EVENTS = 100
MOST_STEPS = 100


def series_make(*, name: str, slug: str, scale: Scale, by: User, now: datetime) -> Series:
    """A series without events. Raises UserError for a field that is wrong, Conflict `slug-taken`."""
    name, slug = text(name, "name", most=120), slug_of(slug)
    document = _plain(scale)
    try:
        with transaction.atomic():
            series = Series.objects.create(name=name, slug=slug, scale=document, made_by=by, made_at=now)
            audit("series_make", actor=by, target=series, data={"scale": document})
    except IntegrityError as error:
        raise Conflict(
            "slug-taken",
            _("A series with the address “%(slug)s” already exists.") % {"slug": slug},
            place="slug",
            remedy=_("Choose a different address."),
        ) from error
    return series


def series_change(*, series: Series, name: str, scale: Scale, by: User) -> Series:
    """Its name and what places are worth; the table follows at once. Raises Forbidden, UserError."""
    require_owner(by, series)
    changed: Mapping[str, Any] = {"name": text(name, "name", most=120), "scale": _plain(scale)}
    with transaction.atomic():
        series = Series.objects.select_for_update().get(pk=series.pk)
        data = {
            field: [getattr(series, field), value]
            for field, value in changed.items()
            if getattr(series, field) != value
        }
        for field, value in changed.items():
            setattr(series, field, value)
        series.save(update_fields=list(changed))
        audit("series_change", actor=by, target=series, data=data)
    return series


def series_add(*, series: Series, event: Event, by: User) -> None:
    """Count an event; it brings points once it is finished. For the owner of the series who organizes the event, too.
    Raises Forbidden, Conflict `counts-already`, `too-many`."""
    require_owner(by, series)
    require(by, event, ORGANIZERS)
    try:
        with transaction.atomic():
            Series.objects.select_for_update().get(pk=series.pk)
            if series.events.count() >= MOST_EVENTS:
                most = {"most": MOST_EVENTS}
                raise Conflict("too-many", _("A series can have at most %(most)s events.") % most)
            SeriesEvent.objects.create(series=series, event=event)
            audit("series_add", actor=by, target=series, event=event)
    except IntegrityError as error:
        raise Conflict("counts-already", _("This event already counts."), place="event") from error


def series_leave_out(*, series: Series, event: Event, by: User) -> None:
    """Count an event no longer. Raises Forbidden, NotFound."""
    require_owner(by, series)
    with transaction.atomic():
        if not SeriesEvent.objects.filter(series=series, event=event).delete()[0]:
            raise NotFound(_("event"))
        audit("series_leave_out", actor=by, target=series, event=event)


def players_join(
    *, series: Series, one: Registration, other: Registration, by: User, now: datetime
) -> SamePlayer:
    """Count two entries, with all that is known to be either's, as one person's.

    Raises Forbidden, NotFound, Conflict `one-already`, `both-played`: who played in one event are two people.
    """
    require_owner(by, series)
    with transaction.atomic():
        Series.objects.select_for_update().get(pk=series.pk)
        members = members_of(series, events_of(series))
        held = {entry.pk: member for member in members.values() for entry in member.entries}
        if one.pk not in held or other.pk not in held:
            raise NotFound(_("registration"))
        if held[one.pk] is held[other.pk]:
            raise Conflict("one-already", _("These already count as one player."), place="other")
        together = {entry.event_id for entry in held[one.pk].entries}
        for entry in held[other.pk].entries:
            if entry.event_id in together:
                raise Conflict(
                    "both-played",
                    _("Both played in %(event)s, so they are two people.") % {"event": entry.event},
                    place="other",
                )
        low, high = sorted((one, other), key=lambda entry: entry.pk)
        joined = SamePlayer.objects.create(series=series, one=low, other=high, by=by, at=now)
        audit("players_join", actor=by, target=series, data={"entries": [low.pk, high.pk]})
    return joined


def players_part(*, joined: SamePlayer, by: User) -> None:
    """Take back that two entries are one person's. Raises Forbidden."""
    require_owner(by, joined.series)
    with transaction.atomic():
        data = {"entries": [joined.one_id, joined.other_id]}
        joined.delete()
        audit("players_part", actor=by, target=joined.series, data=data)


def _plain(scale: Scale) -> dict[str, Any]:
    """Checked, as it is stored. Raises UserError `invalid` at `steps`, `others` or `best`."""
    places = [last for last, _points in scale.steps]
    points = [*(points for _last, points in scale.steps), scale.others]
    if not 1 <= len(places) <= MOST_STEPS or places != sorted({*places}) or places[0] < 1:
        raise UserError("invalid", _("Name each place once, from the first on."), place="steps")
    if any(not 0 <= one <= 1_000_000 for one in (*places, *points)):
        raise UserError("invalid", _("Places and points are whole numbers up to 1,000,000."), place="steps")
    if points != sorted(points, reverse=True):
        raise UserError("invalid", _("A better place can’t bring fewer points."), place="steps")
    if scale.best is not None and not 1 <= scale.best <= MOST_EVENTS:
        raise UserError(
            "invalid", _("At least 1 and at most %(most)s results.") % {"most": MOST_EVENTS}, place="best"
        )
    return {"steps": [list(one) for one in scale.steps], "others": scale.others, "best": scale.best}
