"""The API of an event's files, and of lists of players."""

import json
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from config.parsers import BoundedJSONParser, TextParser
from tournament import selectors, services
from tournament.api.pages import EventView
from tournament.files.shape import schema
from tournament.models import FileImport
from tournament.selectors import exports
from tournament.selectors.imports import access_import, import_progress
from tournament.services.imports import names_read


class NamesIn(serializers.Serializer[Any]):
    text = serializers.CharField(
        trim_whitespace=False,
        max_length=1_000_000,
        help_text="A name a line, or columns name, club, pronouns.",
    )
    enter = serializers.BooleanField(default=False, help_text="Otherwise nothing is stored.")


class NamedOut(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    name = serializers.CharField()
    club = serializers.CharField()
    pronouns = serializers.CharField()
    problem = serializers.CharField(help_text="Why it cannot be entered; empty if it can.")


class ImportOut(serializers.Serializer[FileImport]):
    id = serializers.IntegerField()
    kind = serializers.CharField(help_text="event or players.")
    state = serializers.CharField(help_text="queued, running, done or failed.")
    event = serializers.CharField(
        source="event.slug", allow_null=True, default=None, help_text="Of a whole event: once it is made."
    )
    done = serializers.SerializerMethodField(help_text="Rows, or players, stored so far.")
    total = serializers.SerializerMethodField(help_text="Of so many; 0 before it is known.")
    failure = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="code, message, place, remedy; nothing was stored.",
    )

    def get_done(self, job: FileImport) -> int:
        return import_progress(job)[0]

    def get_total(self, job: FileImport) -> int:
        return import_progress(job)[1]


class NamesOut(serializers.Serializer[Any]):
    lines = NamedOut(many=True)
    job = ImportOut(allow_null=True, help_text="Under /imports: how far entering them is.")


class FileAsked(serializers.Serializer[Any]):
    bom = serializers.BooleanField(default=False, help_text="Tables: begin with the mark of UTF-8.")


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
        """event.json (all of it), players.csv, standings.csv, results.csv, nrtm.json, event.trf. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        text, media = exports.file_of(self.asker(request), event, name, **self.asked)
        return HttpResponse(text, content_type=f"{media}; charset=utf-8")


class EventFileSchema(EventView):
    @extend_schema(operation_id="event_file_schema", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """The shape of event.json, as JSON Schema."""
        return Response(schema())


class ImportAsked(serializers.Serializer[Any]):
    slug = serializers.SlugField(required=False, max_length=50, help_text="Another address than the file's.")
    policy = serializers.CharField(
        required=False, max_length=40, help_text="The policy a report file (TRF, NRTM) is run by."
    )


class EventFileRead(EventView):
    permission_classes = [IsAuthenticated]
    asks = {"POST": ImportAsked}
    parser_classes = [BoundedJSONParser, TextParser]

    @extend_schema(
        operation_id="event_import",
        request={"application/json": OpenApiTypes.OBJECT, "text/plain": OpenApiTypes.STR},
        responses={202: ImportOut},
    )
    def post(self, request: Request) -> Response:
        """Make an event of an event.json, an NRTM file or a report file (TRF, as text/plain): all of it or nothing; you
        become its owner. A worker reads it: ask again under /imports how far it is."""
        sent = request.data
        asked = services.event_import_ask(
            source=sent if isinstance(sent, str) else json.dumps(sent),
            slug=self.asked.get("slug", ""),
            policy_key=self.asked.get("policy", ""),
            by=self.asker(request),
            now=timezone.now(),
        )
        return Response(ImportOut(asked).data, status=202)


class OneImport(EventView):
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="import_read", responses=ImportOut)
    def get(self, request: Request, pk: int) -> Response:
        """A file you sent: how far it is, and what came of it."""
        return Response(ImportOut(access_import(request.user, pk)).data)


class EventNames(EventView):
    @extend_schema(operation_id="players_enter", request=NamesIn, responses={200: NamesOut, 202: NamesOut})
    def post(self, request: Request, slug: str) -> Response:
        """Read a list of players, and have a worker enter them as guests when asked to (202). For staff."""
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
