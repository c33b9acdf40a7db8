"""Erases a person, and keeps what happened at events under a pseudonym."""

import secrets
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from decks import services as deck_services
from rules import services as rules_services
from tournament.models import AuditReason, AuditRow, Erasure, Event, Registration, Staff, User
from tournament.selectors import OWNER
from tournament.services.people.closing import log_out_everywhere, must_run_the_site
from tournament.services.people.erasure_places import events_of, names_of, words_forget


def account_erase(*, person: User, by: User | None, now: datetime) -> str:
    """Erase what is known about a person: name, pronouns, club, language, mail, password, sessions, tokens,
    unregistered lists, tables. Pairings, results, penalties and registered lists stay under the pseudonym that is
    answered; it also stands wherever somebody wrote the name (tournament.services.people.erasure_places).

    by: the person, or None from the command line. Nobody logs in to the account any more; it cannot be undone.
    Raises Conflict `still-playing`, `last-owner`, naming the events.
    """
    with transaction.atomic():
        person = User.objects.select_for_update(no_key=True).get(pk=person.pk)
        _must_be_free(person)
        mark = secrets.token_hex(4)
        pseudonym = f"{_('Player')} {mark}"
        names, part = names_of(person, pseudonym, f"Player-{mark}"), list(events_of(person))
        words_forget(person, names)
        log_out_everywhere(person, now)
        Registration.objects.filter(user=person).update(name=pseudonym, pronouns="", club="")
        Staff.objects.filter(user=person).exclude(event__state=Event.State.FINISHED).delete()
        person.invitations.all().delete()
        person.tokens.all().delete()
        person.one_time_secrets.all().delete()
        person.alert_addresses.all().delete()
        person.email_confirmed_at = None
        deck_services.lists_forget(owner=person)
        rules_services.tables_forget(owner=person)
        person.username = f"erased-{person.pk}-{secrets.token_hex(4)}"
        person.display_name = pseudonym
        person.pronouns = person.language = person.email = person.first_name = person.last_name = ""
        person.is_active = person.is_staff = person.is_superuser = False
        person.last_login = None
        person.set_unusable_password()  # which ends every session, too
        person.save()
        audit("account_erase", actor=by, target=person)
        for event in part:  # what is kept of its pages is made anew
            audit("person_forget", actor=None, target=person, event=event)
    return pseudonym


def reason_erase(*, row: AuditRow, by: User | None, now: datetime) -> None:
    """Erase the words that somebody gave as a reason: for what names a person otherwise than `account_erase` can know.
    That it was done, by whom and when, stays. by: a superuser; None from the command line.

    Raises Forbidden, Conflict `no-reason`.
    """
    must_run_the_site(by)
    with transaction.atomic():
        opening = Erasure.objects.create()
        erased = QuerySet(AuditReason).filter(row=row).delete()[0]  # past what the model refuses
        opening.delete()
        if not erased:
            raise Conflict("no-reason", _("This entry of the log has no reason."))
        audit("reason_erase", actor=by, target=row, event=row.event)


def _must_be_free(person: User) -> None:
    running = Registration.objects.filter(
        user=person, state__in=[Registration.State.ACTIVE, Registration.State.WAITING]
    ).exclude(event__state=Event.State.FINISHED)
    if names := list(running.values_list("event__name", flat=True)[:5]):
        raise Conflict(
            "still-playing",
            _("You are still registered for %(events)s.") % {"events": ", ".join(names)},
            remedy=_("Drop from it first, or wait until it is over."),
        )
    owned = Event.objects.filter(staff__user=person, staff__role=OWNER).exclude(state=Event.State.FINISHED)
    alone = [one.name for one in owned if one.staff.filter(role=OWNER).count() == 1]
    if alone:
        raise Conflict(
            "last-owner",
            _("You are the only owner of %(events)s.") % {"events": ", ".join(alone[:5])},
            remedy=_("Make someone else an owner first, or end the event."),
        )
