"""Reading the bodies of API requests."""

from collections.abc import Mapping
from typing import IO, Any

from django.utils.http import parse_header_parameters
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser

CHARSETS = ("utf-8", "utf-16", "windows-1252", "iso-8859-1")


class BoundedJSONParser(JSONParser):
    """DRF's parser; nesting so deep that Python gives up is the sender's mistake, not ours."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error


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
                f"The text is not in {charset} (byte {error.start}): name its charset, such as "
                "“text/plain; charset=windows-1252”."
            ) from error
        return text.removeprefix("\ufeff")
