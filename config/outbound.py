"""Requests to URLs that people enter: only to hosts the deployer allows, never into a private network.

A name is resolved once, every address it has is judged, and the connection goes to the address that was judged: a name
that points elsewhere a moment later gains nothing. Redirects are not followed, answers are not read beyond their start.
All of it together takes ten seconds at most, whoever does not answer: the name server, the receiver.
"""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from netaddr import IPAddress

from config.errors import UserError

SECONDS = 8.0  # to find where a name points, to connect, and for each read
IN_ALL = 10.0  # seconds, however often something comes
PORTS = {443, 80}
_GLOBAL_UNICAST = ip_network("2000::/3")  # RFC 4291


class NotAllowed(UserError):
    """`address-not-allowed`: we do not send there. setting: what names the hosts to which we do."""

    def __init__(self, why: str, setting: str) -> None:
        super().__init__(
            "address-not-allowed",
            why,
            place="address",
            remedy=_("Ask the administrator of this installation which addresses are allowed (%(setting)s).")
            % {"setting": setting},
        )


@dataclass(frozen=True, slots=True)
class Target:
    """A checked address: https unless it lies in a network the deployer opened."""

    secure: bool
    host: str
    port: int
    path: str


def target_of(address: str, setting: str = "WEBHOOK_HOSTS") -> Target:
    """The address, its form and name checked, not yet resolved. setting: the name of the one that lists the hosts.
    Raises NotAllowed, UserError `bad-address`."""
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
            _("This isn’t a URL a program can receive messages at."),
            place="address",
            remedy=_("Write it like https://hooks.example.org/headjudge."),
        )
    if not any(_fits(host, port, pattern) for pattern in getattr(settings, setting)):
        raise NotAllowed(_("This installation doesn’t send anything to %(host)s.") % {"host": host}, setting)
    path = parts.path or "/"
    return Target(parts.scheme == "https", host, port, f"{path}?{parts.query}" if parts.query else path)


def _fits(host: str, port: int, pattern: str) -> bool:
    """Whether a pattern of the deployer's (hooks.example.org, *.example.org, host:8443) names the host."""
    name, _colon, wanted = pattern.strip().lower().partition(":")
    return fnmatchcase(host, name) and (port == int(wanted) if wanted else port in PORTS)


def post(address: str, body: bytes, headers: dict[str, str], setting: str = "WEBHOOK_HOSTS") -> int:
    """Send; the status of the answer. Raises NotAllowed, OSError, http.client.HTTPException."""
    target = target_of(address, setting)
    until = time.monotonic() + IN_ALL
    connection = _Pinned(target, _judged(target), until)
    try:
        with _at_most(connection):
            connection.request("POST", target.path, body, headers)
            answer = connection.getresponse()
            answer.read(1_000)
            return answer.status
    finally:
        connection.close()


@contextmanager
def _at_most(connection: "_Pinned") -> Iterator[None]:
    """End the connection when its time is over: who sends a byte a second never lets a read wait too long. Raises
    TimeoutError."""

    def end() -> None:
        connection.over.set()
        if (open_ := connection.sock) is not None:
            with suppress(OSError):  # it has ended meanwhile
                socket.socket.shutdown(open_, socket.SHUT_RDWR)

    timer = threading.Timer(connection.left, end)
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException, ValueError) as error:
        if connection.over.is_set():
            raise TimeoutError(f"no answer within {IN_ALL:g} seconds") from error
        raise
    finally:
        timer.cancel()


def _judged(target: Target) -> str:
    """The one address we connect to; all that the name stands for must be allowed."""
    addresses = _resolved(target)
    for one in addresses:
        if not _may_reach(one, target.secure):
            raise NotAllowed(
                _("%(host)s is in a network we don’t send to.") % {"host": target.host}, "WEBHOOK_NETWORKS"
            )
    return addresses[0]


def _resolved(target: Target) -> list[str]:
    """What a name server says, waited for beside a thread of its own: the system gives up only after half a minute and
    more, and cannot be told to end. Raises OSError."""
    found = Future[list[str]]()

    def look_up() -> None:
        try:
            told = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            found.set_result([str(one[4][0]) for one in told])
        except Exception as error:  # raised where it is waited for
            found.set_exception(error)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        return found.result(SECONDS)
    except TimeoutError as error:
        raise TimeoutError(
            f"no name server said within {SECONDS:g} seconds where {target.host} is"
        ) from error


def _may_reach(address: str, secure: bool) -> bool:
    """In a network the deployer opened; or public, and then over TLS alone."""
    where = ip_address(address.partition("%")[0])
    if isinstance(where, IPv6Address) and where.ipv4_mapped is not None:
        where = where.ipv4_mapped
    opened = [ip_network(network) for network in settings.WEBHOOK_NETWORKS]
    if any(where in network for network in opened if network.version == where.version):
        return True
    return secure and _is_public(where)


def _is_public(where: IPv4Address | IPv6Address) -> bool:
    """On the internet by both lists of special-purpose ranges that are kept for us, Python's and netaddr's; of IPv6,
    only what is given out as global unicast: the rest holds IPv4 addresses in disguise, and networks to be."""
    if isinstance(where, IPv6Address) and (where not in _GLOBAL_UNICAST or where.sixtofour or where.teredo):
        return False
    return where.is_global and not where.is_multicast and IPAddress(str(where)).is_global()


class _Pinned(http.client.HTTPConnection):
    """A connection to one address, that asks for, and over TLS verifies, the name. until: the moment, on the steady
    clock, at which it is `over`."""

    def __init__(self, target: Target, where: str, until: float) -> None:
        super().__init__(target.host, target.port, timeout=SECONDS)
        self.target, self.where, self.until = target, where, until
        self.over = threading.Event()

    @property
    def left(self) -> float:
        return max(0.01, self.until - time.monotonic())

    def connect(self) -> None:
        self.sock = socket.create_connection((self.where, self.target.port), min(SECONDS, self.left))
        self.sock.settimeout(SECONDS)
        if self.over.is_set():  # before there was anything to end
            raise TimeoutError
        if self.target.secure:
            secure = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.target.host, do_handshake_on_connect=False
            )
            self.sock = secure  # so that it can be ended in the middle of the handshake
            secure.do_handshake()
