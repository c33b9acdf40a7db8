"""All URLs: pages by app, the API under /api/v1/, health checks for machines."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import include, path

from config import health


def favicon(request: HttpRequest) -> HttpResponse:
    """The mark, where browsers ask for it beside a page that names none (/metrics, a file)."""
    return redirect(static("mark.svg"))


urlpatterns = [
    path("favicon.ico", favicon),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("api/v1/", include("tournament.api.urls")),
    path("api/v1/", include("decks.api.urls")),
    path("api/v1/", include("rules.api.urls")),
    path("decks/", include("decks.urls")),
    path("rules/", include("rules.urls")),
    path("", include("tournament.urls")),
]

handler400 = "config.errors.bad_request"
handler404 = "config.errors.page_not_found"
handler500 = "config.errors.server_error"
