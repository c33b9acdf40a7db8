"""The request of somebody who is logged in, for views behind `login_required`."""

from django.http import HttpRequest

from tournament.models import User


class PersonRequest(HttpRequest):
    user: User
