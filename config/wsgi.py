"""The web server's entry point for WSGI."""

import gc
import os
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.urls import get_resolver
from django.utils.http import parse_header_parameters

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
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

# Every page needs all the addresses, and so all the code behind them: loaded before the first one is asked for, or else
# it waits for that, and others beside it.
get_resolver().url_patterns  # noqa: B018  (reading it loads them)

# What start-up made stays for good. Left to itself the collector goes through all of it again in the middle of every
# few long pages, which takes longer than the page.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 20)
