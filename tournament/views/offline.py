"""What a browser keeps for a hall without a network: the service worker, and the offline page."""

import hashlib
import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition

FILES = ("alerts.js", "app.css", "app.js", "offline.js", "outbox.js", "vendor/htmx-2.0.11.min.js", "mark.svg")


def _script() -> str:
    files = [static(name) for name in FILES]
    known = {"files": json.dumps(files), "outbox": static("outbox.js"), "icon": static("mark.svg")}
    text = render_to_string("tournament/sw.js", {**known, "version": ""})
    version = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    return render_to_string("tournament/sw.js", {**known, "version": version})


@condition(etag_func=lambda request: f'"{hashlib.blake2b(_script().encode(), digest_size=12).hexdigest()}"')
def service_worker(request: HttpRequest) -> HttpResponse:
    """At the root, as it may only look after what lies below its own address."""
    response = HttpResponse(_script(), content_type="text/javascript")
    patch_cache_control(response, no_cache=True)
    return response


def offline(request: HttpRequest) -> HttpResponse:
    """Shown for a page that is not kept. It is the same for everybody: it stays on the device."""
    return render(request, "tournament/offline.html", {"user": None})
