"""Text that tries to be a page: stored in every field people write into, then shown on every page there is."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet, Value
from django.db.models.fields import CharField, TextField
from django.db.models.functions import Cast, Concat

from rules.models import Dispute, Table
from tests.access import table
from tests.access.world import people, world
from tournament.models import Delivery, FileImport, Registration, User, Webhook
from tournament.services.people.erasure_places import PLACES

# (the row's number goes into the middle: names are unique)
BEFORE, AFTER = "\"'><img src=x onerror=alert(", ")>{{7*7}}"
# People are called so wherever they appear.
NAMES: list[tuple[type[Model], str]] = [
    (User, "display_name"), (User, "pronouns"), (Registration, "name"), (Registration, "club"),
    (Registration, "pronouns"), (Dispute, "title"), (Webhook, "address"),
]  # fmt: skip
# Read by us before they are kept: a text of no shape never gets there.
SHAPED = {(FileImport, "source"), (Table, "scenario"), (Table, "found"), (Table, "lines"), (Delivery, "body")}
FIELDS = NAMES + [
    (place.model, name)
    for place in PLACES
    for name in place.fields
    if isinstance(place.model._meta.get_field(name), CharField | TextField)
    and (place.model, name) not in SHAPED
]


def store_hostile_text() -> None:
    """Put it into every field of FIELDS, in every row there is; where the database wants some empty, in the others."""
    for model, name in FIELDS:
        every: Any = QuerySet(model)  # the database's own, which rows that are written once do not refuse
        text = {name: Concat(Value(BEFORE), Cast("pk", CharField()), Value(AFTER))}
        try:
            with transaction.atomic():
                every.update(**text)
        except IntegrityError:
            every.exclude(**{name: ""}).update(**text)


@pytest.mark.django_db
def test_no_page_takes_it_for_its_own(settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    person = people()
    words = world(person)
    sessions = {who: table.session_of(person[who]) for who in ("player", "judge", "owner")}
    store_hostile_text()
    shown = 0
    for row in table.rows():
        if row.method != "GET" or row.address.startswith("/api/v1/"):
            continue
        for session in sessions.values():
            answer = table.answer(row, session, words)
            assert answer.status_code < 500, row
            if answer.get("Content-Type", "").startswith("text/html"):
                text = answer.content.decode()
                assert "<img src" not in text, row
                shown += "&lt;img src" in text
    assert shown > 60
