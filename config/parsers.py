"""Reading the bodies of API requests."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser


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
    """A file of plain text as the body, for the few addresses that take one; UTF-8, with its mark or without."""

    media_type = "text/plain"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return str(stream.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ParseError(f"The text is not in UTF-8 (byte {error.start}).") from error
