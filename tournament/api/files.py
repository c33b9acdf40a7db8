"""The API of an event's files, and of lists of players."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from config.parsers import JSONTextParser, TextParser
from tournament import selectors, services
from tournament.api.pages import EventView
from tournament.files.shape import schema
from tournament.models import FileImport
from tournament.selectors import exports
from tournament.selectors.imports import access_import, import_progress
from tournament.services.outside.imports import names_read


class NamesIn(serializers.Serializer[Any]):
    text = serializers.CharField(
        trim_whitespace=False,
        max_length=1_000_000,
        help_text="One name per line, or columns name, club, pronouns.",
    )
    enter = serializers.BooleanField(default=False, help_text="If false, nothing is stored.")


class NamedOut(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    name = serializers.CharField()
    club = serializers.CharField()
    pronouns = serializers.CharField()
    problem = serializers.CharField(help_text="Why it can't be registered; empty if it can.")


class ImportOut(serializers.Serializer[FileImport]):
    id = serializers.IntegerField()
    kind = serializers.CharField(help_text="event or players.")
    state = serializers.CharField(help_text="queued, running, done or failed.")
    event = serializers.CharField(
        source="event.slug",
        allow_null=True,
        default=None,
        help_text="For an event: its address, once it exists.",
    )
    done = serializers.SerializerMethodField(help_text="Rows or players stored so far.")
    total = serializers.SerializerMethodField(help_text="The total; 0 while it is unknown.")
    failure = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="code, message, place, remedy. Nothing was stored.",
    )
    remarks = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="In the answer to another program's file: what of it was left out or looks wrong.",
    )

    def get_done(self, job: FileImport) -> int:
        return import_progress(job)[0]

    def get_total(self, job: FileImport) -> int:
        return import_progress(job)[1]


class NamesOut(serializers.Serializer[Any]):
    lines = NamedOut(many=True)
    job = ImportOut(allow_null=True, help_text="The import under /imports that shows the progress.")


class FileAsked(serializers.Serializer[Any]):
    bom = serializers.BooleanField(default=False, help_text="CSV files: start with a byte order mark.")


class EventFiles(EventView):
    asks = {"GET": FileAsked}

    @extend_schema(
        operation_id="event_file",
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "text/plain"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponse:
        """event.json (everything), players.csv, standings.csv, results.csv, nrtm.json, event.trf. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        text, media = exports.file_of(self.asker(request), event, name, **self.asked)
        return HttpResponse(text, content_type=f"{media}; charset=utf-8")


class EventFileSchema(EventView):
    @extend_schema(operation_id="event_file_schema", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """The JSON Schema of event.json."""
        return Response(schema())


class ImportAsked(serializers.Serializer[Any]):
    slug = serializers.SlugField(
        required=False, max_length=50, help_text="A different address from the file's."
    )
    policy = serializers.CharField(
        required=False,
        max_length=40,
        help_text="The policy for another program's file (TRF, NRTM, a table).",
    )
    accept = serializers.BooleanField(
        default=False, help_text="Import it even if the points in the file differ from those of its results."
    )


class EventFileRead(EventView):
    permission_classes = [IsAuthenticated]
    asks = {"POST": ImportAsked}
    parser_classes = [JSONTextParser, TextParser]

    @extend_schema(
        operation_id="event_import",
        request={"application/json": OpenApiTypes.OBJECT, "text/plain": OpenApiTypes.STR},
        responses={202: ImportOut},
    )
    def post(self, request: Request) -> Response:
        """Create an event from an event.json, an NRTM file, a report file (TRF) or a table of results (both as
        text/plain). Everything or nothing is stored, and you become its owner. A file whose points differ from those
        of its results is refused (409 `points-differ`) unless you accept that. A worker imports it; its progress is
        under /imports."""
        asked = services.event_import_ask(
            source=request.data if isinstance(request.data, str) else "",  # no body is parsed by neither
            slug=self.asked.get("slug", ""),
            policy_key=self.asked.get("policy", ""),
            accept=self.asked["accept"],
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(ImportOut(asked).data, status=202)


class OneImport(EventView):
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="import_read", responses=ImportOut)
    def get(self, request: Request, pk: int) -> Response:
        """The import of a file you sent: its progress and outcome."""
        return Response(ImportOut(access_import(request.user, pk)).data)


class EventNames(EventView):
    @extend_schema(operation_id="players_enter", request=NamesIn, responses={200: NamesOut, 202: NamesOut})
    def post(self, request: Request, slug: str) -> Response:
        """Read a list of players; on request (202), a worker registers them as guests. For event staff."""
        event = selectors.access_event(request.user, slug, selectors.STAFF)
        asked = self.body(NamesIn, request)
        named = names_read(asked["text"])
        job = (
            services.players_import_ask(
                event=event, source=asked["text"], by=self.asker(request), now=timezone.now()
            )
            if asked["enter"]
            else None
        )
        told = NamesOut({"lines": named, "job": job}).data
        return Response(told, status=202 if job else 200)
