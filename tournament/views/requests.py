"""The request of a logged-in person, for views behind `login_required`."""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from config.errors import UserError
from tournament.models import User


class PersonRequest(HttpRequest):
    user: User


def whole(request: PersonRequest, name: str) -> int:
    """A whole number that was posted. Raises UserError naming the field."""
    try:
        number = int(request.POST.get(name, ""))
    except ValueError:
        raise UserError("invalid", _("Enter a whole number."), place=name) from None
    if abs(number) > 2**31:
        raise UserError("invalid", _("This number is too large."), place=name)
    return number
