"""Series: which registrations count as one player, and the standings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound
from config.row_cache import kept
from tournament.models import Event, Registration, Series, User
from tournament.selectors.access import ORGANIZERS, Person
from tournament.selectors.overview import event_versions
from tournament.selectors.stages import final_standings
from tournament.swiss.seasons import Line, Result, Scale, season


@dataclass(frozen=True, slots=True)
class Member:
    """A person as a series knows them: one account, a guest's name, or several joined. entries: by event."""

    name: str
    entries: tuple[Registration, ...]

    @property
    def twice(self) -> list[Event]:
        """Events in which these entries can't be one person's."""
        seen: dict[int, list[Registration]] = {}
        for one in self.entries:
            seen.setdefault(one.event_id, []).append(one)
        return [ones[0].event for ones in seen.values() if len(ones) > 1]


@dataclass(frozen=True, slots=True)
class SeriesTable:
    """events: the finished ones, in order of day; lines: of Member keys; members: who they are."""

    events: Sequence[Event]
    lines: Sequence[Line]
    members: dict[int, Member]

    def rows(self) -> list[tuple[Line, Member, list[tuple[Event, Result | None]]]]:
        """(line, member, the result in each event or None)."""
        rows = []
        for line in self.lines:
            held = {one.event: one for one in line.results}
            rows.append(
                (line, self.members[line.player], [(event, held.get(event.pk)) for event in self.events])
            )
        return rows


def access_series(slug: str) -> Series:
    """Raises NotFound."""
    found = Series.objects.select_related("made_by").filter(slug=slug).first()
    if found is None:
        raise NotFound(_("series"))
    return found


def may_run(user: Person, series: Series) -> bool:
    return user is not None and user.is_authenticated and user.pk == series.made_by_id


def require_owner(user: User, series: Series) -> None:
    if not may_run(user, series):
        raise Forbidden("not-the-owner", _("Only the person who made this series can change it."))


def scale_of(series: Series) -> Scale:
    plain = series.scale
    return Scale(tuple((last, points) for last, points in plain["steps"]), plain["others"], plain["best"])


def person_of(entry: Registration) -> object:
    """Equal for entries that are taken for one person's: of one account, or of guests of the same name."""
    return entry.user_id or " ".join(entry.name.casefold().split())


def events_of(series: Series) -> QuerySet[Event]:
    return series.events.order_by("starts_on", "pk")


def events_to_add(user: User, series: Series) -> QuerySet[Event]:
    """Events that this person organizes and that do not count yet."""
    organized = Event.objects.filter(staff__user=user, staff__role__in=ORGANIZERS)
    return organized.exclude(series=series).distinct().order_by("-starts_on", "-pk")


def places_of(event: Event, version: tuple[int, int]) -> dict[int, int]:
    """Everybody's final place by registration; made once for each state (`event_version`) of the event."""

    def made() -> dict[int, int]:
        return {one.standing.registration.pk: one.place for one in final_standings(event)}

    return kept(("places", event.pk, version), made)


def series_table(series: Series) -> SeriesTable:
    """The table of the finished events. Entries joined by mistake that played in one event count once there, at the
    better place; `Member.twice` says so."""
    events = list(events_of(series).filter(state=Event.State.FINISHED))
    members = members_of(series, events)
    held = {entry.pk: key for key, member in members.items() for entry in member.entries}
    results, versions = [], event_versions(events)
    for event in events:
        places: dict[int, int] = {}
        for entry, place in sorted(places_of(event, versions[event.pk]).items(), key=lambda one: one[1]):
            places.setdefault(held[entry], place)
        results.append((event.pk, places))
    lines = season(results, scale_of(series))
    return SeriesTable(events, lines, members)


def members_of(series: Series, events: Iterable[Event]) -> dict[int, Member]:
    """Who took part, by the smallest of their entries' keys. Entries are one person's if they have one account, if both
    are guests of the same name, or if the owner joined them."""
    by_event = {event.pk: event for event in events}
    entries = list(Registration.objects.filter(event__in=by_event).order_by("pk"))
    parent: dict[int, int] = {entry.pk: entry.pk for entry in entries}

    def top(pk: int) -> int:
        while parent[pk] != pk:
            parent[pk] = pk = parent[parent[pk]]
        return pk

    def join(one: int, other: int) -> None:
        low, high = sorted((top(one), top(other)))
        parent[high] = low

    known: dict[object, int] = {}
    for entry in entries:
        entry.event = by_event[entry.event_id]
        join(known.setdefault(person_of(entry), entry.pk), entry.pk)
    for one, other in series.joined.values_list("one", "other"):
        if one in parent and other in parent:
            join(one, other)
    groups: dict[int, list[Registration]] = {}
    for entry in entries:
        groups.setdefault(top(entry.pk), []).append(entry)
    return {key: Member(_called(held), tuple(held)) for key, held in groups.items()}


def _called(entries: Sequence[Registration]) -> str:
    """What the latest entry was called, those with an account first."""
    return max(entries, key=lambda entry: (entry.user_id is not None, entry.pk)).name
