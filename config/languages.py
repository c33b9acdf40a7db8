"""Chooses a page's language: the person's own, otherwise this browser's choice, otherwise what the browser requests."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.translation.trans_real import get_supported_language_variant, parse_accept_lang_header

from config.clients import PERSON

YEAR = 365 * 24 * 60 * 60


class PersonLanguage(LocaleMiddleware):
    """Django's choice (cookie, then Accept-Language) unless the account says otherwise. Stands after
    authentication. The API speaks English whoever asks, but for the engine's answers (rules.api.views)."""

    def __call__(self, request: HttpRequest) -> Any:
        try:
            return super().__call__(request)
        finally:
            translation.deactivate()  # what refuses the next request before it comes here has no language yet

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        if request.path.startswith("/api/"):
            self._speak(request, settings.LANGUAGE_CODE)
            return
        if request.user.is_authenticated:
            request.META[PERSON] = request.user.pk
        if own := shown_language(getattr(request.user, "language", "")):
            self._speak(request, own)

    def _speak(self, request: HttpRequest, language: str) -> None:
        translation.activate(language)
        request.LANGUAGE_CODE = language


def shown_language(language: str) -> str:
    """The language of LANGUAGES that serves who speaks `language` (en-gb: en); empty when there is none."""
    try:
        return get_supported_language_variant(language) if language else ""
    except LookupError:
        return ""


def accepted_language(header: str) -> str:
    """The first language of LANGUAGES that an Accept-Language header names, else the language of the texts."""
    named = (shown_language(language) for language, _weight in parse_accept_lang_header(header.lower()))
    return next(filter(None, named), settings.LANGUAGE_CODE)


def remember_language(response: HttpResponse, language: str) -> None:
    """Keep a choice in this browser."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=YEAR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
