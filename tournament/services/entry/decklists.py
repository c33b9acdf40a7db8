"""Decklists in an event: checked under its format and date, registered, locked at round 1."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from decks import selectors as deck_selectors
from decks import services as deck_services
from decks.law import format_files
from decks.models import LegalityReport, Revision
from tournament.models import Event, RegisteredList, Registration, User
from tournament.selectors import ORGANIZER, ORGANIZERS, STAFF, must_be_welcome, require, roles_of
from tournament.services.checks import one_of
from tournament.services.locks import lock_event


def deck_register(
    *, registration: Registration, revision: Revision | None, override: str = "", by: User, now: datetime
) -> Registration:
    """Check a list under the event's format and date, and register it for the player.

    An illegal list is refused unless an organizer gives a reason in `override`; an unverified one is taken
    and shown as such. Players register their own lists until round 1 is paired; organizers may for anybody,
    and afterwards only with a reason. An organizer may also admit a player without a list (`revision` None)
    with a reason, say a paper list seen at the desk. Raises UserError `illegal-deck` (with the findings in
    `details`), `wrong-format`, `no-deck`; Forbidden; Conflict `deck-locked`.
    """
    override = " ".join(override.split())
    with transaction.atomic():
        event = lock_event(registration.event)
        organizer = ORGANIZER in roles_of(by, event)
        must_be_welcome(by, event)
        _may_register_deck(registration, revision, by, organizer, override)
        _register(event, registration, revision, override, organizer=organizer, by=by, now=now)
    return registration


def deck_enter(
    *,
    registration: Registration,
    source: str | bytes,
    filename: str = "",
    override: str = "",
    by: User,
    now: datetime,
) -> Registration:
    """Register a list that event staff type in from paper, as `deck_register` does. It becomes a deck of the player's
    account; of a guest's list, of who typed it. Raises as `deck_register` and the reader of lists do."""
    override = " ".join(override.split())
    event = registration.event
    roles = require(by, event, STAFF)
    with transaction.atomic():
        event = lock_event(event)
        revision = deck_services.deck_submit(
            owner=registration.user or by,
            name=f"{registration.name}, {event.name}"[:120],
            format=event.format,
            source=source,
            filename=filename,
            on=event.format_on,
            now=now,
        )
        _register(event, registration, revision, override, organizer=ORGANIZER in roles, by=by, now=now)
    return registration


def _register(
    event: Event,
    registration: Registration,
    revision: Revision | None,
    override: str,
    *,
    organizer: bool,
    by: User,
    now: datetime,
) -> None:
    """Check the list and store it as the player's; for services that hold the event."""
    if (closed := why_closed(event, registration, now)) and not (organizer and override):
        raise Conflict("deck-locked", closed, remedy=_("An organizer can change it, with a reason."))
    report = _report(event, revision, now) if revision is not None else None
    if (
        report is not None
        and report.verdict == LegalityReport.Verdict.ILLEGAL
        and not (organizer and override)
    ):
        raise _illegal(report)
    registration.revision, registration.report = revision, report
    registration.deck_override = override
    registration.save(update_fields=["revision", "report", "deck_override"])
    RegisteredList.objects.create(
        registration=registration,
        number=registration.lists.count() + 1,
        revision=revision,
        report=report,
        override=override,
        by=by,
        at=now,
    )
    audit(
        "deck_register",
        actor=by,
        target=registration,
        event=event,
        reason=override,
        data={"revision": revision and revision.pk, "verdict": report and report.verdict},
    )


def why_closed(event: Event, registration: Registration | None, now: datetime) -> str:
    """Why a player's list cannot change any more, as a sentence; empty while it can."""
    if event.state != Event.State.REGISTRATION:
        return _("Decklists have been locked since round 1 was paired.")
    if event.decks_locked:
        return _("The organizer has locked this event’s decklists.")
    if registration is not None and registration.deck_locked:
        return _("The organizer has locked this decklist.")
    if event.decks_due is not None and now > event.decks_due:
        return _("The decklist deadline has passed.")
    return ""


def decks_lock(
    *, event: Event, locked: bool, registration: Registration | None = None, by: User, now: datetime
) -> None:
    """Freeze the lists of an event, or of one player, or free them again. Raises Forbidden."""
    require(by, event, ORGANIZERS)
    with transaction.atomic():
        event = lock_event(event)
        if registration is None:
            event.decks_locked = locked
            event.save(update_fields=["decks_locked"])
        else:
            registration.deck_locked = locked
            registration.save(update_fields=["deck_locked"])
        audit("decks_lock" if locked else "decks_unlock", actor=by, target=registration or event, event=event)


def decks_arrange(
    *,
    event: Event,
    visibility: str,
    due: datetime | None,
    changes: Mapping[str, Any],
    by: User,
    now: datetime,
) -> Event:
    """Say who sees lists, until when they are handed in, and what the event plays differently from its format.

    changes: see `decks.law.format_files.snapshot_of`; they end with round 1, and the lists handed in so far are judged
    again by them. Raises UserError `bad-override`, `unknown-list`, Forbidden, Conflict `event-running`.
    """
    require(by, event, ORGANIZERS)
    visibility = one_of(visibility, "visibility", Event.ListVisibility.values)
    law = deck_selectors.format_of(event.format)
    format_files.snapshot_of(law, event.format_on, overrides=changes)
    with transaction.atomic():
        event = lock_event(event)
        other = dict(changes) != event.format_changes
        if other and event.state != Event.State.REGISTRATION:
            raise Conflict(
                "event-running",
                _("The format’s rules have been fixed since round 1 was paired."),
                remedy=_("Admit individual decklists with a reason instead."),
            )
        event.list_visibility, event.decks_due, event.format_changes = visibility, due, dict(changes)
        event.save(update_fields=["list_visibility", "decks_due", "format_changes"])
        if other:
            lists_judge_again(event, now)
        audit(
            "decks_arrange",
            actor=by,
            target=event,
            event=event,
            data={"visibility": visibility, "changes": dict(changes)},
        )
    return event


def lists_judge_again(event: Event, now: datetime) -> None:
    """Judge the lists handed in by what the event plays now; for services that hold the event."""
    for registration in event.registrations.filter(revision__isnull=False).select_related("revision__deck"):
        assert registration.revision is not None
        registration.report = _report(event, registration.revision, now)
        registration.save(update_fields=["report"])


def _may_register_deck(
    registration: Registration, revision: Revision | None, by: User, organizer: bool, override: str
) -> None:
    if override and not organizer:
        require(by, registration.event, ORGANIZERS)
    if revision is None:
        if not override:
            raise UserError(
                "no-deck",
                _("There is no decklist to register."),
                place="revision",
                remedy=_("Choose a decklist. An organizer can admit a player without one, with a reason."),
            )
        return
    own = registration.user_id == by.pk
    if not (own or organizer) or revision.deck.owner_id not in (registration.user_id, by.pk):
        raise Forbidden(
            "forbidden",
            _("Players submit their own decklists. An organizer can also submit decklists for others."),
            remedy=_("Submit the deck first, then register it."),
        )


def _report(event: Event, revision: Revision, now: datetime) -> LegalityReport:
    if revision.deck.format != event.format:
        raise UserError(
            "wrong-format",
            _("This decklist is for %(theirs)s. The event’s format is %(ours)s.")
            % {"theirs": revision.deck.format, "ours": event.format},
            place="revision",
            remedy=_("Submit the deck again for the event’s format."),
        )
    return deck_services.report_make(
        revision=revision, on=event.format_on, overrides=event.format_changes, now=now
    )


def _illegal(report: LegalityReport) -> UserError:
    findings: list[dict[str, Any]] = [one for one in report.findings if one.get("severity") == "illegal"]
    return UserError(
        "illegal-deck",
        " ".join([_("This decklist isn’t legal here."), *(str(one["message"]) for one in findings[:3])]),
        place="revision",
        remedy=_("Fix the deck and submit it again; an organizer can admit it as is, with a reason."),
        details={"report": report.pk, "findings": findings},
    )
