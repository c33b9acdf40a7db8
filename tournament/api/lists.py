"""The API of an event's decklists: the organizer's table, card usage, locks, arrangements, deck checks."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.errors import Forbidden
from tournament import selectors, services
from tournament.api.pages import EventView, ListView
from tournament.models import DeckCheck, Event, Registration
from tournament.selectors import decklists


class ListRowOut(serializers.ModelSerializer[Registration]):
    standing = serializers.SerializerMethodField(help_text="legal, illegal, unverified, override or no-deck.")
    hash = serializers.SerializerMethodField(
        help_text="A short code of the decklist, for players to compare; empty without one."
    )
    deck = serializers.CharField(source="revision.deck.name", default="")
    card_count = serializers.IntegerField(source="revision.card_count", default=None, allow_null=True)

    class Meta:
        model = Registration
        fields = [
            "id",
            "name",
            "state",
            "standing",
            "hash",
            "deck",
            "card_count",
            "deck_override",
            "deck_locked",
        ]

    def get_standing(self, entry: Registration) -> str:
        return decklists.list_standing(entry)

    def get_hash(self, entry: Registration) -> str:
        return entry.revision.short_hash if entry.revision else ""


class HandedInOut(serializers.Serializer[Any]):
    number = serializers.IntegerField(source="row.number")
    at = serializers.DateTimeField(source="row.at")
    by = serializers.CharField(source="row.by.username")
    verdict = serializers.CharField(source="row.report.verdict", default="")
    override = serializers.CharField(source="row.override")
    hash = serializers.CharField(source="row.revision.short_hash", default="")
    changes = serializers.SerializerMethodField(help_text="[{name, section, before, after}]")

    def get_changes(self, one: decklists.HandedIn) -> list[dict[str, Any]]:
        return [
            {"name": c.name, "section": c.section, "before": c.before, "after": c.after} for c in one.changes
        ]


class UsageRow(serializers.Serializer[Any]):
    name = serializers.CharField()
    faction = serializers.CharField()
    copies = serializers.IntegerField()
    decks = serializers.IntegerField(help_text="In how many decklists.")


class FactionRow(serializers.Serializer[Any]):
    name = serializers.CharField()
    copies = serializers.IntegerField()


class UsageOut(serializers.Serializer[Any]):
    lists = serializers.IntegerField(help_text="Counted.")
    cards = UsageRow(many=True)
    factions = FactionRow(many=True)


class LockIn(serializers.Serializer[Any]):
    locked = serializers.BooleanField()
    registration = serializers.IntegerField(
        required=False, allow_null=True, default=None, help_text="One player's decklist; default: all."
    )


class ArrangeIn(serializers.Serializer[Any]):
    visibility = serializers.ChoiceField(Event.ListVisibility.choices)
    due = serializers.DateTimeField(allow_null=True, help_text="The deadline for decklists.")
    changes = serializers.DictField(
        help_text="What differs from the format: rule -> number or null; `list` -> the key of a restriction list."
    )


class ArrangeOut(serializers.ModelSerializer[Event]):
    visibility = serializers.CharField(source="list_visibility")
    due = serializers.DateTimeField(source="decks_due", allow_null=True)
    changes = serializers.DictField(source="format_changes")

    class Meta:
        model = Event
        fields = ["visibility", "due", "changes", "decks_locked"]


class DeckCheckIn(serializers.Serializer[Any]):
    registration = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Whose deck; default: at random, one of those checked least.",
    )


class DeckCheckEnd(serializers.Serializer[Any]):
    matches = serializers.BooleanField(default=False, help_text="The deck matches the decklist.")
    seen = serializers.CharField(
        required=False, allow_blank=True, default="", trim_whitespace=False, help_text="The cards as counted."
    )
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=300)


class DeckCheckOut(serializers.ModelSerializer[DeckCheck]):
    player = serializers.CharField(source="registration.name")
    judge = serializers.CharField(source="judge.username")

    class Meta:
        model = DeckCheck
        fields = [
            "id", "registration", "player", "judge", "started_at", "finished_at", "differences", "extension", "note"
        ]  # fmt: skip


class EventLists(ListView):
    @extend_schema(operation_id="event_lists", responses=ListRowOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Every player's decklist with its verdict. For people who may see all decklists."""
        return self.page(decklists.registered_lists(_visible(request, slug)), ListRowOut, request)


class EventCardUsage(EventView):
    @extend_schema(operation_id="event_card_usage", responses=UsageOut)
    def get(self, request: Request, slug: str) -> Response:
        """Which cards and factions the submitted decklists play."""
        cards, factions, counted = decklists.card_usage(_visible(request, slug))
        rows = [{"name": name, "copies": copies} for name, copies in factions]
        return Response(UsageOut({"lists": counted, "cards": cards, "factions": rows}).data)


class RegistrationLists(ListView):
    @extend_schema(operation_id="registration_lists", responses=HandedInOut(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The decklists a player submitted for the event, newest first, each with what changed."""
        entry = decklists.access_list(request.user, slug, pk)
        return self.page(list(decklists.history(entry)), HandedInOut, request)


class EventListsLock(EventView):
    @extend_schema(operation_id="event_lists_lock", request=LockIn, responses=ArrangeOut)
    def put(self, request: Request, slug: str) -> Response:
        """Lock or unlock the decklists of all players or of one. For organizers."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(LockIn, request)
        one = asked["registration"]
        entry = selectors.access_registration(request.user, slug, one) if one is not None else None
        services.decks_lock(
            event=event,
            locked=asked["locked"],
            registration=entry,
            by=self.asker(request),
            now=timezone.now(),
        )
        event.refresh_from_db()
        return Response(ArrangeOut(event).data)


class EventListsArrange(EventView):
    @extend_schema(operation_id="event_lists_arranged", responses=ArrangeOut)
    def get(self, request: Request, slug: str) -> Response:
        """The decklist settings: who sees decklists, the deadline, and which rules differ from the format."""
        return Response(ArrangeOut(selectors.access_event(request.user, slug)).data)

    @extend_schema(operation_id="event_lists_arrange", request=ArrangeIn, responses=ArrangeOut)
    def put(self, request: Request, slug: str) -> Response:
        """Change the decklist settings. If a rule changes, submitted decklists are rechecked. For organizers, before
        round 1."""
        event = selectors.access_event(request.user, slug, selectors.ORGANIZERS)
        asked = self.body(ArrangeIn, request)
        event = services.decks_arrange(event=event, by=self.asker(request), now=timezone.now(), **asked)
        return Response(ArrangeOut(event).data)


class DeckChecks(ListView):
    @extend_schema(operation_id="deck_checks", responses=DeckCheckOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The deck checks of an event, latest first. For judges."""
        event = selectors.access_event(request.user, slug, selectors.JUDGES)
        found = DeckCheck.objects.filter(registration__event=event).select_related("registration", "judge")
        return self.page(found, DeckCheckOut, request)

    @extend_schema(operation_id="deck_check_start", request=DeckCheckIn, responses={201: DeckCheckOut})
    def post(self, request: Request, slug: str) -> Response:
        """Start a deck check and its clock. For judges."""
        event = selectors.access_event(request.user, slug, selectors.JUDGES)
        asked = self.body(DeckCheckIn, request)["registration"]
        by = self.asker(request)
        if asked is None:
            entry = services.deck_check_draw(event=event, by=by)
        else:
            entry = selectors.access_registration(request.user, slug, asked)
        check = services.deck_check_start(registration=entry, by=by, now=timezone.now())
        return Response(DeckCheckOut(check).data, status=201)


class OneDeckCheck(EventView):
    @extend_schema(operation_id="deck_check", responses=DeckCheckOut)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One deck check. For judges."""
        return Response(DeckCheckOut(decklists.access_deck_check(request.user, slug, pk)).data)

    @extend_schema(operation_id="deck_check_finish", request=DeckCheckEnd, responses=DeckCheckOut)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """End a deck check: the deck matches, or this is what the judge counted. The match gets the time back."""
        check = decklists.access_deck_check(request.user, slug, pk)
        asked = self.body(DeckCheckEnd, request)
        check = services.deck_check_finish(check=check, by=self.asker(request), now=timezone.now(), **asked)
        return Response(DeckCheckOut(check).data)


def _visible(request: Request, slug: str) -> Event:
    """The event, for those who may see everybody's lists. Raises NotFound, Forbidden."""
    event = selectors.access_event(request.user, slug)
    if not decklists.may_see_lists(request.user, event):
        raise Forbidden(
            "lists-private",
            "You can't see decklists in this event.",
            remedy="The organizer sets who can see decklists.",
        )
    return event
