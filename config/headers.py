"""Security headers of every response: nothing from other sites, no inline script or style, no device sensors."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)

# What our pages never ask for is not there for whatever might get into them.
PERMISSIONS = ", ".join(
    f"{name}=()"
    for name in (
        "accelerometer",
        "browsing-topics",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "serial",
        "usb",
    )
)


def address_is_secret(response: HttpResponse) -> HttpResponse:
    """A page whose address lets in whoever knows it: requests that it makes name our site alone.

    Not `no-referrer`: browsers then send the page's own form as from nowhere (`Origin: null`), and it is refused.
    """
    response["Referrer-Policy"] = "strict-origin"
    return response


class ContentSecurityPolicy:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.setdefault("Content-Security-Policy", POLICY)
        response.setdefault("Permissions-Policy", PERMISSIONS)
        return response
