"""Lists come in pages; what is asked for is bounded."""

from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request

from config.api import ApiView
from config.pagination import Pages
from tournament.models import User


class EventView(ApiView):
    """What an event shows is public; changing it takes a login, and the services check the rest."""

    permission_classes = [IsAuthenticatedOrReadOnly]

    def asker(self, request: Request) -> User:
        """Who is logged in; only for requests that `permission_classes` lets through with a login."""
        if not isinstance(request.user, User):
            raise NotAuthenticated
        return request.user


class ListView(EventView):
    pagination_class = Pages
