"""Requests to addresses that people name: only where the deployer allows, never into a private network.

A name is resolved once, every address it has is judged, and the connection goes to the address that was judged: a name
that points elsewhere a moment later gains nothing. Redirects are not followed, answers are not read beyond their start.
"""

import http.client
import socket
import ssl
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from config.errors import UserError

SECONDS = 8.0  # to connect, and for each read
PORTS = {443, 80}
_NAT64 = ip_network("64:ff9b::/96")


class NotAllowed(UserError):
    """`address-not-allowed`: we do not send there."""

    def __init__(self, why: str) -> None:
        super().__init__(
            "address-not-allowed",
            why,
            place="address",
            remedy=_("Ask whoever runs this installation which addresses are allowed (WEBHOOK_HOSTS)."),
        )


@dataclass(frozen=True, slots=True)
class Target:
    """A checked address: https unless it lies in a network the deployer opened."""

    secure: bool
    host: str
    port: int
    path: str


def target_of(address: str) -> Target:
    """The address, its form and name checked, not yet resolved. Raises NotAllowed, UserError `bad-address`."""
    try:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        parts, port = urlsplit(""), 0
    host = (parts.hostname or "").rstrip(".")
    if (
        parts.scheme not in ("http", "https")
        or not host
        or parts.username is not None
        or not address.isascii()
    ):
        raise UserError(
            "bad-address",
            _("This is not the address of a program."),
            place="address",
            remedy=_("Write it like https://hooks.example.org/headjudge."),
        )
    if not any(_fits(host, port, pattern) for pattern in settings.WEBHOOK_HOSTS):
        raise NotAllowed(_("Nothing is sent to %(host)s from here.") % {"host": host})
    path = parts.path or "/"
    return Target(parts.scheme == "https", host, port, f"{path}?{parts.query}" if parts.query else path)


def _fits(host: str, port: int, pattern: str) -> bool:
    """Whether a pattern of the deployer's (hooks.example.org, *.example.org, host:8443) names the host."""
    name, _colon, wanted = pattern.strip().lower().partition(":")
    return fnmatchcase(host, name) and (port == int(wanted) if wanted else port in PORTS)


def post(address: str, body: bytes, headers: dict[str, str]) -> int:
    """Send; the status of the answer. Raises NotAllowed, OSError, http.client.HTTPException."""
    target = target_of(address)
    where = _judged(target)
    connection = _Pinned(target, where)
    try:
        connection.request("POST", target.path, body, headers)
        answer = connection.getresponse()
        answer.read(1_000)
        return answer.status
    finally:
        connection.close()


def _judged(target: Target) -> str:
    """The one address we connect to; all that the name stands for must be allowed."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    for one in addresses:
        if not _may_reach(one, target.secure):
            raise NotAllowed(_("%(host)s lies in a network we do not send to.") % {"host": target.host})
    return addresses[0]


def _may_reach(address: str, secure: bool) -> bool:
    """In a network the deployer opened; or public, and then over TLS alone."""
    where = ip_address(address.partition("%")[0])
    if isinstance(where, IPv6Address) and where.ipv4_mapped is not None:
        where = where.ipv4_mapped
    opened = [ip_network(network) for network in settings.WEBHOOK_NETWORKS]
    if any(where in network for network in opened if network.version == where.version):
        return True
    if isinstance(where, IPv6Address) and (where.sixtofour or where.teredo or where in _NAT64):
        return False  # an IPv4 address in disguise
    return secure and where.is_global and not where.is_multicast


class _Pinned(http.client.HTTPConnection):
    """A connection to one address, that asks for, and over TLS verifies, the name."""

    def __init__(self, target: Target, where: str) -> None:
        super().__init__(target.host, target.port, timeout=SECONDS)
        self.target, self.where = target, where

    def connect(self) -> None:
        self.sock = socket.create_connection((self.where, self.target.port), SECONDS)
        if self.target.secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.target.host)
