"""Limits password guessing: by name and address, by name from anywhere, by address for any name.

Every try is counted before the password is looked at, so that a hundred at once are a hundred; the right password
takes the count back. Who guesses wrong on purpose to lock a judge out does not lock out the devices that judge has
come in from, by whatever way: those carry a signed cookie and are counted for themselves.
"""

import hashlib
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.limits import Limit, address_of, count, forgive, take_back
from tournament.models import User

COOKIE = "known_device"
SALT = "tournament.logins"
KNOWN_FOR = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Attempt:
    name: str
    address: str
    device: str  # of a device this person has logged in from; else empty

    @classmethod
    def of(cls, request: HttpRequest, name: str) -> "Attempt":
        name = _name(name)
        return cls(name, address_of(request), _device(request, name))

    def count(self) -> None:
        """Raises TooMany when there were too many wrong ones."""
        if self.device:
            count(Limit(*settings.LIMITS["login"]), "login-device", self.name, self.device)
            return
        count(Limit(*settings.LIMITS["login"]), "login", self.name, self.address)
        count(Limit(*settings.LIMITS["login-name"]), "login-name", self.name)
        count(Limit(*settings.LIMITS["login-address"]), "login-address", self.address)

    def right(self, person: Any, response: HttpResponse) -> None:
        """The password was right: the tries before it were slips, and this device is known from now on."""
        forgive("login-device", self.name, self.device)
        forgive("login", self.name, self.address)
        take_back("login-name", self.name)
        take_back("login-address", self.address)
        device_known(person, response)


def device_known(person: Any, response: HttpResponse) -> None:
    """Somebody came in on this device: by a password, a code, a mailed link, or by opening the account."""
    response.set_signed_cookie(
        COOKIE,
        f"{uuid.uuid4().hex}:{_owner(_name(person.username))}",
        salt=SALT,
        max_age=KNOWN_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _name(typed: str) -> str:
    return User.normalize_username(typed.strip()).casefold()[:150]  # as the form reads it


def _device(request: HttpRequest, name: str) -> str:
    held = request.get_signed_cookie(COOKIE, default="", salt=SALT, max_age=KNOWN_FOR) or ""
    device, _, owner = held.partition(":")
    return device if owner == _owner(name) else ""


def _owner(name: str) -> str:
    """The name as a cookie can hold it, in whatever script it is."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]
