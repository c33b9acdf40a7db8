"""Events and the people who run them."""

from datetime import date, datetime
from zoneinfo import available_timezones

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from decks import selectors as deck_selectors
from tournament import policy_files
from tournament.models import Event, Staff, User
from tournament.selectors import ORGANIZER, ORGANIZERS, require
from tournament.services.checks import one_of, slug_of, text


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
    now: datetime,
) -> Event:
    """Open an event for registration; `by` becomes its organizer.

    planned_rounds: Swiss rounds to announce; None leaves them to the policy's table at round 1.
    Raises UserError for a field that is wrong, Conflict when the address is taken.
    """
    name = text(name, "name", most=120)
    slug = slug_of(slug)
    one_of(timezone, "timezone", {"UTC", *available_timezones()})
    one_of(format, "format", deck_selectors.formats())
    policy = policy_files.policy(policy_key)
    if planned_rounds is not None and not 1 <= planned_rounds <= 30:
        raise UserError("invalid", _("An event has 1 to 30 rounds."), place="planned_rounds")
    try:
        with transaction.atomic():
            event = Event.objects.create(
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
            Staff.objects.create(event=event, user=by, role=ORGANIZER)
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
            _("An event with the address “%(slug)s” exists.") % {"slug": slug},
            place="slug",
            remedy=_("Choose another address."),
        ) from error
    return event


def staff_add(*, event: Event, user: User, role: str, by: User, now: datetime) -> Staff:
    """Give `user` a role in the event; giving it twice changes nothing. Raises UserError, Forbidden."""
    require(by, event, ORGANIZERS)
    one_of(role, "role", Staff.Role.values)
    with transaction.atomic():
        staff, created = Staff.objects.get_or_create(event=event, user=user, role=role)
        if created:
            audit("staff_add", actor=by, target=staff, event=event, data={"user": user.pk, "role": role})
    return staff
