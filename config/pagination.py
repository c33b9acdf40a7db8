"""How lists of the API are cut into pages."""

from rest_framework.pagination import LimitOffsetPagination


class Pages(LimitOffsetPagination):
    """?limit= and ?offset=; nobody can ask for everything at once."""

    default_limit = 50
    max_limit = 200
