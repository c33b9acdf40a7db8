"""Registration codes: one to claim a guest's registration, one that a player shows at check-in.

They are derived from the service's secret and never stored, so a slip can be printed again and a stolen
database gives none away. Renewing an entry's codes (`Registration.codes`) voids the former ones.
"""

from django.utils.crypto import constant_time_compare, salted_hmac

from tournament.models import Event, Registration

# Crockford's base 32: no I, L, O, U, which are misread for 1, 1, 0, V.
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD = str.maketrans({"O": "0", "I": "1", "L": "1", "U": "V"})


def claim_code(entry: Registration) -> str:
    """Whoever holds it can take over a guest's entry."""
    return _code("claim", entry)


def presence_code(entry: Registration) -> str:
    """Shown on the player's phone, read by staff at the door."""
    return _code("presence", entry)


def readable_code(code: str) -> str:
    """In two groups, as it is read aloud: “4F2A-91C0”."""
    return f"{code[:4]}-{code[4:]}"


def spoken_code(code: str) -> str:
    """A one-time code in two groups, as it is read out."""
    half = len(code) // 2
    return f"{code[:half]}-{code[half:]}"


def typed_code(typed: str) -> str:
    """A code as somebody typed it: small letters, blanks, dashes and look-alikes forgiven."""
    return "".join(one for one in typed.upper().translate(_MISREAD) if one in LETTERS)


def guest_of_code(event: Event, typed: str) -> Registration | None:
    """The guest whose claim code this is, in one query."""
    code = typed_code(typed)
    for entry in event.registrations.filter(user=None):
        if constant_time_compare(claim_code(entry), code):
            return entry
    return None


def is_presence_code(entry: Registration, typed: str) -> bool:
    return constant_time_compare(presence_code(entry), typed_code(typed))


def _code(kind: str, entry: Registration) -> str:
    digest = salted_hmac(f"headjudge.{kind}", f"{entry.pk}:{entry.codes}", algorithm="sha256").digest()
    number = int.from_bytes(
        digest[:5]
    )  # 40 bits, eight letters; guessing is counted (services.people.attempts)
    return "".join(LETTERS[number >> shift & 31] for shift in range(35, -1, -5))
