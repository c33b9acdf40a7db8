"""Static files. They are the same for everybody, so the edge answers them itself, and no thread is taken: whoever asks
for hundreds of them, and reads none, stands in no queue before other people's pages."""

from contextlib import closing
from typing import Any
from wsgiref.headers import Headers

from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Response

from config.headers import PERMISSIONS, POLICY

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": PERMISSIONS,
    "X-Content-Type-Options": "nosniff",
}


class StaticFiles(WhiteNoiseMiddleware):
    """Of STATIC_ROOT, as they were at the start; in development, as they are."""

    def add_mime_headers(self, headers: Headers, path: str, url: str) -> None:
        super().add_mime_headers(headers, path, url)
        for name, value in HEADERS.items():
            headers[name] = value

    def answer(self, environ: dict[str, Any]) -> tuple[int, list[tuple[str, str]], bytes] | None:
        """(status, headers, content); None where it is no request for a file."""
        path = environ["PATH_INFO"]
        found = self.find_file(path) if self.autorefresh else self.files.get(path)
        if found is None or environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return None
        try:
            response: Response = found.get_response(environ["REQUEST_METHOD"], environ)
        except FileNotFoundError:  # taken away since the start
            return None
        if response.file is None:
            return response.status, response.headers, b""
        with closing(response.file) as file:
            return response.status, response.headers, file.read()
