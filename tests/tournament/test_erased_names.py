"""Who is erased is named nowhere any more: not in what others wrote, not in the log, not in what was told onwards."""

import json
from contextlib import suppress
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.test import Client
from django.utils import timezone

from config.fields import JSONText
from config.invariants import checks
from config.models import KeptAnswer
from rules.models import Adjudication, Dispute
from rules.scenarios.reading import read
from tests.access.world import people, world
from tests.rules.scenarios import SHOTGUN
from tests.tournament.factories import NOW
from tournament import services
from tournament.models import Event, Registration, Round, User
from tournament.services.people.erasure_places import PLACES, Names

pytestmark = pytest.mark.django_db

# Texts that hold no words of people: keys, codes, hashes, states, the law's and the cards' own words, what the program
# says. `tournament.auditrow.data`, answers kept for requests and disputes are erased by functions of their own.
NO_WORDS = {
    "config": {"keptanswer": "key route body_hash token content_type content", "count": "key"},
    "decks": {
        "catalog": "game name version shipped_version",
        "card": "title key facts",
        "printing": "set_name number descriptor code",
        "deck": "format",
        "revision": "source_kind entries hash",
        "legalityreport": "snapshot catalog_version verdict findings",
        "formatversion": "key text",
        "recheck": "format text",
        "textreading": "state token failure lane",
        "recheckchunk": "state token failure lane",
        "verdictchange": "before after findings_before findings_after",
    },
    "rules": {
        "dispute": "title source scenario scenario_hash found",
        "adjudication": "system system_version system_hash scenario scenario_hash state token failure answer lane",
        "adjudicationpart": "choices state token found",
        "ruling": "system citations form event_side change",
        "rulingcard": "name fold",
        "cardgroup": "cards folds",
        "lawmark": "side seen",
        "lawrun": "system system_version system_hash",
        "lawrunitem": "failure",
        "table": "filing_at",
        "importedcard": "system key name rows facts grammar meaning",
    },
    "tournament": {
        "event": "slug timezone checkin_code format list_visibility policy_key policy cut bracket_kind state",
        "staff": "role",
        "series": "slug scale",
        "invite": "role token_hash",
        "policyversion": "key document",
        "auditrow": "verb target_type target_id data request_id",
        "registration": "name pronouns club state",
        "fileimport": "kind slug policy_key state token lane",
        "stage": "kind choice cut",
        "clockentry": "kind",
        "extension": "cause",
        "report": "outcome games how",
        "deckcheck": "differences",
        "penalty": "infraction infraction_title level level_title effect suggested",
        "judgecall": "subject",
        "remark": "kind",
        "pinnedreading": "system reading option",
        "fault": "where message request_id",
        "process": "name kind",
        "user": "password username first_name last_name email display_name pronouns language",
        "apitoken": "start token_hash scopes",
        "onetimesecret": "purpose secret_hash address",
        "webhook": "address kinds salt",
        "delivery": "kind state token lane",
        "alertaddress": "way kinds site language endpoint service public_key shared_secret",
        "alert": "kind state token lane failure",
        "invitation": "role state",
    },
}
TEXTS = (models.CharField, models.TextField, models.JSONField, models.BinaryField)


def texts(model: type[models.Model]) -> set[str]:
    return {field.name for field in model._meta.concrete_fields if isinstance(field, TEXTS)}


def test_every_text_is_erased_or_holds_no_words() -> None:
    swept: dict[type[models.Model], set[str]] = {}
    for place in PLACES:
        swept.setdefault(place.model, set()).update(place.fields)
    for app, holding in NO_WORDS.items():
        for model in apps.get_app_config(app).get_models():
            told = swept.get(model, set()), set(holding.get(model._meta.model_name or "", "").split())
            assert not told[0] & told[1] and told[0] | told[1] == texts(model), (
                f"{model.__name__}: put each text into PLACES of tournament/services/people/erasure_places.py, where "
                f"somebody may write a name, or else here: {texts(model) ^ (told[0] | told[1])}"
            )


NAME, LOGIN, MAIL = "Zoë Zweigova", "zweigova77", "zoe@zweig.example.org"


def everything() -> str:
    """Every row of every table, as text."""
    with connection.cursor() as cursor:
        told = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            told += [f"{table} {row}" for row in cursor.fetchall()]
    return "\n".join(told)


@pytest.fixture
def well_known(settings: Any) -> User:
    """Somebody who played, is written about wherever one can write, and may be erased."""
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    person = people()
    world(person)
    zoe = person["player"]
    User.objects.filter(pk=zoe.pk).update(username=LOGIN, display_name=NAME, email=MAIL)
    zoe.refresh_from_db()
    Registration.objects.filter(user=zoe).update(name="Zoe Z.")
    entry = Registration.objects.get(user=zoe)
    services.player_change(registration=entry, name=NAME, club="Zweig Club", by=person["owner"], now=NOW)
    told = f"Then {NAME} ({LOGIN}, {MAIL}), formerly Zoe Z., said: zoË   zweigova's turn."
    services.call_close(
        call=services.call_claim(
            call=services.table_call_open(
                event=entry.event, table=3, subject="other", words=told[:200], by=person["judge"], now=NOW
            ),
            by=person["judge"],
            now=NOW,
        ),
        outcome=told,
        by=person["judge"],
        now=NOW,
    )
    services.dispute_file(
        match=entry.seats.get().match,
        by=person["judge"],
        title="Zoë Zweigova asks",
        source=SHOTGUN.replace("Ann", LOGIN),
        now=NOW,
    )
    KeptAnswer.objects.create(
        user=person["owner"],
        key="k",
        status=200,
        made_at=0,
        content=json.dumps({"name": NAME, "by": LOGIN}),
    )
    _one_of_each(zoe, person["judge"], entry)
    elsewhere = told.replace(f"{LOGIN}, ", "")  # where one had no part, one word alone is anybody's
    bare = set()
    for place in PLACES:
        for field in place.fields:
            with suppress(IntegrityError), transaction.atomic():  # where nothing may stand, nothing does
                rows: Any = models.QuerySet(place.model)
                if not rows.update(**{field: _saying(elsewhere, place.model, field)}):
                    bare.add(place.model.__name__)
                for way in place.of:
                    keys = list(rows.filter(**{way: entry.event_id}).values_list("pk", flat=True))
                    rows.filter(pk__in=keys).update(**{field: _saying(told, place.model, field)})
    assert bare == set(), "The world has no such row to try it with."
    Event.objects.update(state=Event.State.FINISHED)
    return zoe


def _one_of_each(zoe: User, judge: User, entry: Registration) -> None:
    """Rows that the world has none of, written as they are stored."""
    own = {model.__name__: model for app in NO_WORDS for model in apps.get_app_config(app).get_models()}
    match, event = entry.seats.get().match, entry.event
    by: dict[str, Any] = {"by": judge, "at": NOW}
    ruling = own["Ruling"](dispute=Dispute.objects.all()[0], judge=judge, verdict="x", issued_at=NOW)
    for row in (
        ruling,
        own["Appeal"](ruling=ruling, **by),
        own["LawMark"](ruling=ruling, number=1, side="verified", reason="x", **by),
        own["Precedent"](ruling=ruling, published_by=judge, published_at=NOW, verdict="x"),
        own["CardGroup"](changed_by=judge, changed_at=NOW),
        own["PinnedReading"](event=event, system="coc-lcg", reading="x", number=1, **by),
        own["FormatVersion"](key="x", number=1, made_at=NOW),
        own["PolicyVersion"](key="x", number=1, author=judge, document={}, made_at=NOW),
        own["FileImport"](
            kind="players", event=event, asked_by=judge, asked_at=NOW, queued_at=NOW, sent_at=NOW
        ),
        own["Remark"](event=event, match=match, kind="note", text="x", **by),
        own["Statement"](match=match, registration=entry, text="x", **by),
        own["Report"](
            match=match,
            number=1,
            outcome="draw",
            games={},
            how="played",
            reason="x",
            by=judge,
            reported_at=NOW,
        ),
        own["Extension"](match=match, minutes=1, cause="other", reason="x", **by),
        own["ClockEntry"](round=match.round, number=1, kind="start", **by),
        own["AwardedBye"](registration=entry, number=2, reason="x", **by),
        own["LegalityReport"](
            revision=entry.revision,
            snapshot="x",
            catalog_version="x",
            verdict="legal",
            findings=[],
            checked_at=NOW,
        ),
    ):
        row.save()


def _saying(told: str, model: type[models.Model], field: str) -> Any:
    """A value of the field that says it."""
    column = model._meta.get_field(field)
    if field == "explanation" and model is Round:
        return {**Round.objects.all()[0].explanation, "said": told}
    if isinstance(column, models.JSONField | JSONText):
        return {"said": [told]}
    return told[: getattr(column, "max_length", None)]


def test_no_row_of_any_table_holds_the_name(well_known: User) -> None:
    client = Client()
    client.force_login(well_known)
    Registration.objects.filter(user=well_known).update(state="dropped")
    services.account_erase(person=well_known, by=None, now=timezone.now())
    left = everything()
    for word in ("weigova", "Zoë", "Zo\\u00eb", "Zoe Z", "zoe@", "Zweig Club", LOGIN):
        at = left.lower().find(word.lower())
        assert at < 0, left[max(0, at - 300) : at + 100]
    assert (
        Client(headers={"cookie": f"sessionid={client.cookies['sessionid'].value}"})
        .get("/account")
        .status_code
        == 302
    )
    for dispute in Dispute.objects.all():
        assert read(dispute.source).hash == dispute.scenario_hash, "what is stored is what its text says"
    assert not [one for check in checks() if check.key == "answers" for one in check.findings()]
    assert Adjudication.objects.filter(scenario__contains="Player-").count() == 1


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("Al", "Al said that Alan and Val saw al.", "X said that Alan and Val saw X."),
        (
            "Ann Zweig",
            "ann  zweig's card, Ann-Zweig and Ann_Zweig; Ann Zweigert",
            "X's card, X and X; Ann Zweigert",
        ),
        ("김철수", "김철수가 말했다", "X가 말했다"),
        ("ann@example.org", "to ann@example.org.", "to X."),
        ("Mr. A+", "Mr. A+ won", "X won"),
    ],
)
def test_a_name_is_a_whole_word_however_it_is_written(name: str, text: str, told: str) -> None:
    assert Names((name,), "X", "X").without(text) == told
