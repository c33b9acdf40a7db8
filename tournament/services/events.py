"""Creates an event and changes its settings."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from decks import selectors as deck_selectors
from tournament.models import Event, Staff, User
from tournament.policy import policy_files
from tournament.policy.model import Policy
from tournament.selectors import ORGANIZERS, OWNER, require
from tournament.selectors.policies import policy_current
from tournament.services.checks import one_of, slug_of, text, time_zones
from tournament.services.entry.decklists import lists_judge_again
from tournament.services.entry.registration import promote_waiting
from tournament.services.locks import lock_event
from tournament.services.policies import may_publish, policy_publish


def event_create(
    *,
    by: User,
    name: str,
    slug: str,
    starts_on: date,
    format: str,
    format_on: date,
    policy_key: str,
    timezone: str = "UTC",
    planned_rounds: int | None = None,
    cut: Mapping[str, Any] | None = None,
    bracket_kind: str = "",
    two_days: Mapping[str, Any] | None = None,
    start: str = "",
    venue: str = "",
    fee: str = "",
    capacity: int | None = None,
    description: str = "",
    now: datetime,
) -> Event:
    """Open an event for registration; `by` becomes its owner.

    planned_rounds: Swiss rounds to announce; None leaves them to the policy's table at round 1.
    cut: who plays on, {places, ties} or {losses}; None leaves it to the same table. bracket_kind: how, "" as the
    policy says. two_days: {rounds, places, ties} of the first day (rounds 0: one day), put into a policy of the
    event's own where the one named says otherwise; None: as that says. start, venue, fee, description: in the
    organizer's words. capacity: None: no limit.
    Raises UserError for a field that is wrong, Conflict when the address is taken.
    """
    name = text(name, "name", most=120)
    slug = slug_of(slug)
    one_of(timezone, "timezone", time_zones())
    one_of(format, "format", deck_selectors.formats())
    policy = policy_current(policy_key)
    rule = None if cut is None else policy_files.cut_rule(dict(cut))
    planned_rounds = _planned_rounds(planned_rounds)
    if bracket_kind:
        one_of(bracket_kind, "bracket_kind", Event.BracketKind.values)
    try:
        with transaction.atomic():
            if two_days is not None:
                policy = _with_days(policy, two_days, planned_rounds, slug, name, by, now)
            event = Event.objects.create(
                cut=rule and rule.document,
                bracket_kind=bracket_kind,
                start=_CHECKS["start"](start),
                venue=_CHECKS["venue"](venue),
                fee=_CHECKS["fee"](fee),
                capacity=_capacity(capacity),
                description=_description(description),
                name=name,
                slug=slug,
                starts_on=starts_on,
                timezone=timezone,
                format=format,
                format_on=format_on,
                policy_key=policy.key,
                planned_rounds=planned_rounds,
                created_by=by,
                created_at=now,
            )
            Staff.objects.create(event=event, user=by, role=OWNER)
            audit(
                "event_create",
                actor=by,
                target=event,
                event=event,
                data={"policy": policy.key, "format": format},
            )
    except IntegrityError as error:
        raise Conflict(
            "slug-taken",
            _("An event with the address “%(slug)s” already exists.") % {"slug": slug},
            place="slug",
            remedy=_("Choose a different address."),
        ) from error
    return event


def _with_days(
    policy: Policy, law: Mapping[str, Any], planned: int | None, slug: str, name: str, by: User, now: datetime
) -> Policy:
    """The policy over the days asked for: itself where it has them, otherwise one of the event's own, published so that
    its organizer can edit it further."""
    has, rounds = policy.two_days, law["rounds"]
    if (rounds or has.rounds) == 0 or (rounds, law.get("places"), law.get("ties")) == (
        has.rounds,
        has.places,
        has.ties,
    ):
        return policy
    if planned is not None and rounds >= planned:
        raise UserError(
            "invalid",
            _("The first day has as many rounds as the whole event: none are left for the second."),
            place="first_day_rounds",
            remedy=_("“Rounds” counts both days. Plan more, or fewer on the first day."),
        )
    key = _own_key(slug, "two-days")
    if not may_publish(by, key):  # another organizer made it
        key = _own_key(slug, f"two-days-{by.pk}")
    title = policy.title if policy.key == key else f"{_(policy.title)}, {name}"[:120]
    start = {"start": has.start} if rounds and has.rounds else {}
    policy_publish(
        source={**policy.document, "key": key, "title": title, "two-days": {**start, **law}}, by=by, now=now
    )
    return policy_current(key)


def _own_key(slug: str, ending: str) -> str:
    """The key of a policy of the event's own, at most 40 characters: a long address is cut and ends in its hash."""
    room = 40 - len(ending) - 1
    if len(slug) > room:
        slug = f"{slug[: room - 7].rstrip('-')}-{hashlib.sha256(slug.encode()).hexdigest()[:6]}"
    return f"{slug}-{ending}"


def event_change(*, event: Event, by: User, now: datetime, **changes: Any) -> Event:
    """Change what the event says of itself; only the fields given.

    name, starts_on, start, timezone, venue, fee, description, list_visibility, capacity (None: no limit),
    registration_opens and registration_closes (aware datetimes or None), adjudication_budget (positions the engine
    may explore for one dispute; None: the service's own number). Until round 1 is paired also
    planned_rounds, policy_key, two_days (as for `event_create`; rounds 0: one day; None: as the policy says), format_on
    (by which the lists handed in are judged again) and, while there are none, format.
    A flight and its final keep format and policy. More room lets in who waits. Raises Forbidden, UserError naming the
    field, Conflict `event-running`, `lists-handed-in`, `flight`.
    """
    require(by, event, ORGANIZERS)
    two_days = changes.pop("two_days", None)
    checked = {field: _CHECKS[field](value) for field, value in changes.items()}
    with transaction.atomic():
        event = lock_event(event)
        if two_days is not None:
            _may_change(event, {"policy_key": ""})
            asked = {"policy_key": event.policy_key, "planned_rounds": event.planned_rounds, **checked}
            policy = policy_current(asked["policy_key"])
            planned, name = asked["planned_rounds"], asked.get("name", event.name)
            checked["policy_key"] = _with_days(policy, two_days, planned, event.slug, name, by, now).key
        before = {field: getattr(event, field) for field in checked}
        changed = {field: value for field, value in checked.items() if value != before[field]}
        _may_change(event, changed)
        for field, value in changed.items():
            setattr(event, field, value)
        _must_open_before_closing(event)
        if not changed:
            return event
        event.save(update_fields=list(changed))
        if "format_on" in changed:
            lists_judge_again(event, now)
        if "capacity" in changed and event.state == Event.State.REGISTRATION:
            promote_waiting(event, by=by)
        data = {field: [_plain(before[field]), _plain(value)] for field, value in changed.items()}
        audit("event_change", actor=by, target=event, event=event, data=data)
    return event


def _may_change(event: Event, changed: dict[str, Any]) -> None:
    if event.state != Event.State.REGISTRATION:
        fixed = sorted(set(changed) & {"planned_rounds", "format", "format_on", "policy_key"})
        if fixed:
            raise Conflict(
                "event-running", _("This has been fixed since round 1 was paired."), place=fixed[0]
            )
    if "format" in changed and event.registrations.filter(revision__isnull=False).exists():
        raise Conflict(
            "lists-handed-in",
            _("Decklists have already been submitted for this format."),
            place="format",
            remedy=_("Create a separate event for the other format."),
        )

    rules = sorted({"format", "policy_key"} & set(changed))
    if rules and (event.final_id is not None or event.flights.exists()):
        raise Conflict(
            "flight",
            _("A flight and its final must have the same policy and format."),
            place=rules[0],
            remedy=_("Give the flight its own bracket first."),
        )


def _must_open_before_closing(event: Event) -> None:
    opens, closes = event.registration_opens, event.registration_closes
    if opens is not None and closes is not None and closes <= opens:
        raise UserError("invalid", _("Registration must close after it opens."), place="registration_closes")


def _planned_rounds(value: int | None) -> int | None:
    if value is not None and not 1 <= value <= 30:
        raise UserError("invalid", _("An event can have 1 to 30 rounds."), place="planned_rounds")
    return value


def _capacity(value: int | None) -> int | None:
    if value is not None and not 2 <= value <= 100_000:
        raise UserError("invalid", _("The player cap must be at least 2."), place="capacity")
    return value


def _adjudication_budget(value: int | None) -> int | None:
    most = settings.ADJUDICATION_BUDGET_MOST
    if value is not None and not 1_000 <= value <= most:
        raise UserError(
            "invalid",
            _("The limit must be between 1,000 and %(most)s game states.") % {"most": f"{most:,}"},
            place="adjudication_budget",
        )
    return value


def _line(value: str, place: str) -> str:
    return text(value, place, most=200) if value.strip() else ""


def _description(value: str) -> str:
    """Several lines; blanks at their ends are dropped."""
    lines = "\n".join(line.rstrip() for line in value.strip().splitlines())
    if any(not one.isprintable() and one not in "\n\t" for one in lines):
        raise UserError("invalid", _("This text has unprintable characters."), place="description")
    if len(lines) > 4_000:
        raise UserError(
            "too-long", _("This is longer than %(most)s characters.") % {"most": 4_000}, place="description"
        )
    return lines


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "name": lambda value: text(value, "name", most=120),
    "starts_on": lambda value: value,
    "timezone": lambda value: one_of(value, "timezone", time_zones()),
    "start": lambda value: _line(value, "start"),
    "venue": lambda value: _line(value, "venue"),
    "fee": lambda value: _line(value, "fee"),
    "description": _description,
    "list_visibility": lambda value: one_of(value, "list_visibility", Event.ListVisibility.values),
    "capacity": _capacity,
    "registration_opens": lambda value: value,
    "registration_closes": lambda value: value,
    "planned_rounds": _planned_rounds,
    "adjudication_budget": _adjudication_budget,
    "format": lambda value: one_of(value, "format", deck_selectors.formats()),
    "format_on": lambda value: value,
    "policy_key": lambda value: policy_current(value).key,
}
