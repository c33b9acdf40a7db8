"""Parses the bodies of API requests."""

import codecs
from collections.abc import Mapping
from typing import IO, Any

from django.utils.http import parse_header_parameters
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser

from config import strict_json
from config.text import refuse_bad_text

CHARSETS = ("utf-8", "utf-16", "windows-1252", "iso-8859-1")


class BoundedJSONParser(JSONParser):
    """As DRF's, but stricter (config.strict_json); nesting so deep that Python gives up, and texts that cannot be
    stored, are the sender's mistake."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        charset = (parser_context or {}).get("encoding") or "utf-8"
        try:
            document = strict_json.loads(codecs.decode(stream.read(), charset))
            refuse_bad_text(document)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except strict_json.Repeated as error:
            raise ParseError(f"The JSON has “{error.name}” twice in one object.") from error
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        return document


class TextParser(BaseParser):
    """A file of plain text as the body, for the few addresses that take one; UTF-8, with its mark or without, unless
    the request names another charset."""

    media_type = "text/plain"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        charset = dict(parse_header_parameters(media_type or "")[1]).get("charset", "utf-8").lower()
        if charset not in CHARSETS:
            raise ParseError(f"The charset must be one of {', '.join(CHARSETS)}.")
        try:
            text = str(stream.read().decode(charset))
        except UnicodeDecodeError as error:
            raise ParseError(
                f"The text is not in {charset} (byte {error.start}). Send its charset, for example "
                "“text/plain; charset=windows-1252”."
            ) from error
        return text.removeprefix("\ufeff")


class JSONTextParser(TextParser):
    """JSON as the text it is, for the few addresses that read large files themselves, with places by line.

    Where DRF reads JSON, the body is bounded by what Django allows a form, whatever the address allows.
    """

    media_type = "application/json"
