"""The peer of `decks-submit-p95`: a view without any thought that writes the same rows."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@login_required
def bare(request: HttpRequest) -> HttpResponse:
    """The last list written once more: deck, list, report, who did it."""
    from config.audit import audit
    from decks.models import Deck, LegalityReport, Revision

    last = LegalityReport.objects.select_related("revision__deck").order_by("pk").first()
    assert last is not None
    with transaction.atomic():
        deck = Deck.objects.create(
            owner_id=last.revision.deck.owner_id, name=request.POST["name"], format="coc-lcg", created_at=NOW
        )
        revision = Revision.objects.create(**_copied(last.revision, deck_id=deck.pk))
        LegalityReport.objects.create(**_copied(last, revision_id=revision.pk))
        audit("deck_submit", actor=deck.owner, target=deck)
    return redirect("bare")


def _copied(row: Any, **changes: Any) -> dict[str, Any]:
    return {
        field.attname: getattr(row, field.attname) for field in row._meta.fields if field.name != "id"
    } | changes


urlpatterns = [path("bare", bare, name="bare")]
