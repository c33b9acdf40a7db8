"""Messages to a browser that is closed (Web Push): encrypted for it alone (RFC 8291), signed as ours (RFC 8292).

A browser names where its maker's push service takes messages for it; we send there through `config.outbound`. Without
WEB_PUSH_KEY none are sent, and no page offers them.
"""

import binascii
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.utils.translation import gettext as _
from py_vapid import Vapid02
from py_vapid.utils import b64urldecode, b64urlencode

from config.errors import UserError
from config.outbound import post, target_of

HOSTS = "WEB_PUSH_HOSTS"
SIGNED_FOR = timedelta(hours=12)
SECRET_BYTES = 16  # RFC 8291, section 3.2


@dataclass(frozen=True, slots=True)
class Browser:
    """What a browser told when it subscribed: where, its public key and the secret it shares with us (base64url)."""

    endpoint: str
    public_key: str
    shared_secret: str


def push_works() -> bool:
    """Whether this installation has a key to sign messages with."""
    return bool(settings.WEB_PUSH_KEY)


def public_key() -> str:
    """Ours, by which browsers know whose messages they take; empty without a key."""
    return _raw(_vapid().public_key) if push_works() else ""


def new_key() -> str:
    """A private key for WEB_PUSH_KEY."""
    secret = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return str(b64urlencode(secret.to_bytes(32, "big")))


def is_key(text: str) -> bool:
    try:
        Vapid02.from_raw(text.encode())
    except (ValueError, binascii.Error):
        return False
    return len(_bytes(text)) == 32


def is_contact(text: str) -> bool:
    """Whether push services take it for whom to write to (RFC 8292, section 2.1): mailto: or https:."""
    kind, _colon, rest = text.partition(":")
    if kind == "mailto":
        name, _at, host = rest.rpartition("@")
        return bool(name and "." in host.strip(".")) and " " not in rest
    return kind == "https" and "." in (urlsplit(text).hostname or "")


def checked(browser: Browser) -> Browser:
    """The same, if messages can be sent there. Raises UserError `invalid`, `bad-address`, `address-not-allowed`."""
    target_of(browser.endpoint, HOSTS)
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(browser.public_key))
    except (ValueError, binascii.Error) as error:
        raise UserError("invalid", _("This isn’t a browser’s public key."), place="public_key") from error
    try:
        fits = len(_bytes(browser.shared_secret)) == SECRET_BYTES
    except (ValueError, binascii.Error):
        fits = False
    if not fits:
        raise UserError("invalid", _("This isn’t a browser’s shared secret."), place="shared_secret")
    return browser


def send(browser: Browser, message: bytes, *, keep: timedelta, now: datetime) -> int:
    """Hand a message to the browser's push service, to be kept so long while the browser is away; the status of the
    answer: 2xx taken, 404 or 410 the browser takes none any more. Raises as `config.outbound.post`."""
    body = http_ece.encrypt(
        message,
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_bytes(browser.public_key),
        auth_secret=_bytes(browser.shared_secret),
        version="aes128gcm",
    )
    target = target_of(browser.endpoint, HOSTS)
    scheme, usual = ("https", 443) if target.secure else ("http", 80)
    audience = f"{scheme}://{target.host}" + (f":{target.port}" if target.port != usual else "")
    claims = {
        "aud": audience,
        "sub": settings.WEB_PUSH_CONTACT,
        "exp": int((now + SIGNED_FOR).timestamp()),
    }
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
        "TTL": str(int(keep.total_seconds())),
        "Urgency": "high",
        **_vapid().sign(claims),
    }
    return post(browser.endpoint, body, headers, HOSTS)


def _vapid() -> Vapid02:
    return Vapid02.from_raw(settings.WEB_PUSH_KEY.encode())


def _raw(key: ec.EllipticCurvePublicKey) -> str:
    return str(b64urlencode(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)))


def _bytes(text: str) -> bytes:
    return bytes(b64urldecode(text.encode()))
