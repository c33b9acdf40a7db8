"""Pages that renew themselves: a part of the page is asked for again every few seconds, with its version.

The version is cheap to know (one small query) and stands for everything the part shows. When it is what the
browser has, the answer is 304 and nothing is rendered. Without a script the page is simply loaded again.
"""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language


def render_live(
    request: HttpRequest, *, page: str, part: str, version: object, context: Callable[[], dict[str, Any]]
) -> HttpResponse:
    """The page, or for a poll its live part alone, or 304.

    `page` includes `part`, whose outermost element has id="live" and carries `live_headers` in hx-headers.
    `context` is called only when something is rendered.
    """
    tag = _tag(request, version)
    polled = is_poll(request)
    response: HttpResponse
    if polled and request.headers.get("If-None-Match", "").removeprefix("W/") == tag:
        response = HttpResponseNotModified()
    else:
        headers = json.dumps({"If-None-Match": tag})
        response = render(request, part if polled else page, {**context(), "live_headers": headers})
    if polled:
        response["ETag"] = tag
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ["HX-Target", "Cookie"])
    return response


def is_poll(request: HttpRequest) -> bool:
    return request.method == "GET" and request.headers.get("HX-Target") == "live"


def _tag(request: HttpRequest, version: object) -> str:
    asker = request.user.pk if request.user.is_authenticated else None
    seen = repr((request.get_full_path(), asker, get_language(), version))
    return f'"{hashlib.blake2b(seen.encode(), digest_size=12).hexdigest()}"'
