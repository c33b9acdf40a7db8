"""Accounts: creating one, and changing one's own settings."""

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from config.languages import shown_language
from tournament.models import User
from tournament.services.checks import name, one_of, text


def account_create(
    *, username: str, password: str, display_name: str, pronouns: str = "", language: str = ""
) -> User:
    """Open an account for whoever asks. Raises UserError for a field that is wrong, Conflict `username-taken`,
    Forbidden `sign-up-closed` where the installation makes accounts another way."""
    if not settings.SIGN_UP:
        raise Forbidden(
            "sign-up-closed", _("You can’t create an account here."), remedy=_("Ask the organizer for one.")
        )
    username = name(username, "username", most=40)  # in the spelling in which the login reads it
    try:
        User.username_validator(username)
    except ValidationError as error:
        raise UserError("invalid", error.messages[0], place="username") from error
    if len(username) < 2:
        raise UserError("invalid", _("A user name must have 2 to 40 characters."), place="username")
    person = User(username=username, **_told(display_name, pronouns, language))
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise UserError("weak-password", " ".join(error.messages), place="password") from error
    person.set_password(password)
    try:
        with transaction.atomic():
            if _is_taken(username):
                raise _taken(username)
            person.save()
            audit("account_create", actor=person, target=person)
    except IntegrityError as error:
        raise _taken(username) from error
    return person


def account_change(*, person: User, display_name: str, pronouns: str = "", language: str = "") -> User:
    """Change what one tells about oneself. Entries made before keep the name they were made under."""
    told = _told(display_name, pronouns, language)
    with transaction.atomic():
        for field, value in told.items():
            setattr(person, field, value)
        person.save(update_fields=list(told))
        audit("account_change", actor=person, target=person)
    return person


def account_language(*, person: User, language: str) -> User:
    """Take a language of the pages for one's own. An account that tells of a language which no page is in keeps
    it: staff sees there what a player would rather speak. Raises UserError for a language that we lack."""
    one_of(language, "language", dict(settings.LANGUAGES))
    if person.language and not shown_language(person.language):
        return person
    with transaction.atomic():
        person.language = language
        person.save(update_fields=["language"])
        audit("account_language", actor=person, target=person)
    return person


def _told(display_name: str, pronouns: str, language: str) -> dict[str, str]:
    return {
        "display_name": name(display_name, "display_name", most=80),
        "pronouns": text(pronouns, "pronouns", most=40) if pronouns.strip() else "",
        "language": one_of(language, "language", dict(settings.SPOKEN_LANGUAGES)) if language else "",
    }


def _is_taken(username: str) -> bool:
    """People don't tell “Ann” and “ann” apart; nor “Äm” and “äm”, which a database may."""
    if username.isascii():
        return User.objects.filter(username__iexact=username).exists()
    others = User.objects.annotate(size=Length("username")).filter(size=len(username))
    return username.casefold() in (other.casefold() for other in others.values_list("username", flat=True))


def _taken(username: str) -> Conflict:
    return Conflict(
        "username-taken",
        _("The user name “%(name)s” is taken.") % {"name": username},
        place="username",
        remedy=_("Choose a different one."),
    )
