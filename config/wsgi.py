"""The web server's entry point for WSGI."""

import gc
import os
from typing import Any

import django
from django.apps import apps
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.urls import reverse
from django.utils.http import parse_header_parameters

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
gc.disable()  # until all is loaded: most of it stays, and looking through it again and again takes a second
django.setup(set_prefix=False)

from config.parsers import CHARSETS  # noqa: E402  (it needs what was set up)


class Request(WSGIRequest):
    """A request whose body is in an encoding of text that people use.

    Django takes any codec of Python's: one that is none of text (“hex”) breaks off before there is a request that an
    error could answer, others take long over little.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        kind, said = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        if said.get("charset", CHARSETS[0]).lower() in CHARSETS:
            super()._set_content_type_params(meta)  # type: ignore[misc]  # the stubs lack it
        else:
            self.content_type, self.content_params = kind, {**said, "charset": CHARSETS[0]}


class Handler(WSGIHandler):
    request_class = Request


application = Handler()

# Loaded before the first page is asked for, or else its reader waits for that, and others beside it: all addresses with
# the code behind them, and what each app reads once in a process (`preload` of its config).
reverse("event-list")
for app in apps.get_app_configs():
    getattr(app, "preload", lambda: None)()

# What start-up made stays for good. Left to itself the collector goes through all of it again in the middle of every
# few long pages, which takes longer than the page.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 20)
gc.enable()
