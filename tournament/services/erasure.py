"""Forgetting a person, and keeping what happened in events under a pseudonym."""

import secrets
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict
from decks import services as deck_services
from rules import services as rules_services
from tournament.models import Event, Registration, Staff, User
from tournament.selectors import OWNER


def account_erase(*, person: User, by: User | None, now: datetime) -> str:
    """Erase what is known about a person: name, pronouns, club, language, mail, password, tokens, unregistered lists,
    tables. Pairings, results, penalties and registered lists stay under the pseudonym that is answered.

    by: the person, or None from the command line. Nobody logs in to the account any more; it cannot be undone.
    Raises Conflict `still-playing`, `last-owner`, naming the events.
    """
    with transaction.atomic():
        person = User.objects.select_for_update(no_key=True).get(pk=person.pk)
        _must_be_free(person)
        pseudonym = f"{_('Player')} {secrets.token_hex(4)}"
        for entry in Registration.objects.filter(user=person).select_related("event"):
            _rename_in_explanations(entry, pseudonym)
        Registration.objects.filter(user=person).update(name=pseudonym, pronouns="", club="")
        Staff.objects.filter(user=person).exclude(event__state=Event.State.FINISHED).delete()
        person.tokens.all().delete()
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
    return pseudonym


def _must_be_free(person: User) -> None:
    running = Registration.objects.filter(
        user=person, state__in=[Registration.State.ACTIVE, Registration.State.WAITING]
    ).exclude(event__state=Event.State.FINISHED)
    if names := list(running.values_list("event__name", flat=True)[:5]):
        raise Conflict(
            "still-playing",
            _("You are still entered in %(events)s.") % {"events": ", ".join(names)},
            remedy=_("Drop there first, or wait until it is over."),
        )
    owned = Event.objects.filter(staff__user=person, staff__role=OWNER).exclude(state=Event.State.FINISHED)
    alone = [one.name for one in owned if one.staff.filter(role=OWNER).count() == 1]
    if alone:
        raise Conflict(
            "last-owner",
            _("You are the only owner of %(events)s.") % {"events": ", ".join(alone[:5])},
            remedy=_("Make somebody else an owner first, or finish the event."),
        )


def _rename_in_explanations(entry: Registration, pseudonym: str) -> None:
    """Why a round was paired as it was names players; the reasons stay, the name does not."""
    for round in entry.event.rounds.all():
        told = _renamed(round.explanation, entry.name, pseudonym)
        if told != round.explanation:
            round.explanation = told
            round.save(update_fields=["explanation"])


def _renamed(value: Any, name: str, pseudonym: str) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(one, name, pseudonym) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, name, pseudonym) for one in value]
    return value.replace(name, pseudonym) if isinstance(value, str) else value
