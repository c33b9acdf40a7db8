"""Formats: the ones organizers write or change, and the restriction lists an import brings."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config import strict_yaml
from config.audit import audit
from config.errors import Conflict, Forbidden, UserError
from decks import selectors
from decks.law import format_files
from decks.law.house import House, text_of
from decks.law.model import Format
from decks.legality import card_of
from decks.lists import ListEntry, fold
from decks.models import FormatVersion, Recheck
from decks.services import rechecks

TEXT_MAX = 400_000


def format_read(*, text: str | bytes, name: str = "format.yaml") -> Format:
    """A format file checked, nothing stored. Raises UserError with the line and the nearest right word."""
    if len(text) > TEXT_MAX:
        raise UserError(
            "too-large", _("A format can have at most %(most)s characters.") % {"most": TEXT_MAX}, status=413
        )
    return format_files.parsed(text, name=name)


def format_unknown(law: Format) -> tuple[str, ...]:
    """The titles, facts and values of facts (“type: charcter”) that the file names and no card of its game has; not
    those of the format it extends."""
    catalog = selectors.catalog(law.game)
    if not len(catalog):
        return ()
    unknown = law.unknown_to(catalog, map(selectors.format_of, format_files.formats()))
    return *unknown.titles, *unknown.facts


def format_publish(
    *, text: str, note: str = "", by: Any, now: datetime
) -> tuple[FormatVersion, Recheck | None]:
    """Put a format in force from now on, and have every deck of it judged again.

    A new key is a house format of its author; later versions come from the author or a site administrator, and only
    an administrator changes a shipped one. The text that is in force already changes nothing.
    Raises UserError (with the line), Forbidden, Conflict `published-twice`.
    """
    law = format_read(text=text)
    newest = FormatVersion.objects.filter(key=law.key).order_by("-number").first()
    if newest is not None and newest.text == text:
        return newest, None
    if not may_publish(by, law.key):
        raise Forbidden(
            "not-your-format",
            _("The format “%(key)s” belongs to someone else.") % {"key": law.key},
            remedy=_("Give yours its own key and title. To build on this one, use “extends”."),
        )
    try:
        with transaction.atomic():
            version = _store(law, text, newest, note, by, now)
            return version, rechecks.recheck_start(format=law.key, text=text, what_if=False, by=by, now=now)
    except IntegrityError as error:
        raise Conflict(
            "published-twice", _("Someone else just published another version. Look at it first.")
        ) from error


def format_what_if(*, text: str, by: Any, now: datetime) -> Recheck:
    """Ask what the text would change for the decks of its format, for those who could put it in force: it judges every
    one of them, and its findings name cards of lists that are nobody else's to see (`selectors.changes_of`).

    Raises as `format_publish`.
    """
    law = format_read(text=text)
    if not may_publish(by, law.key):
        raise Forbidden(
            "not-your-format",
            _("The format “%(key)s” belongs to someone else.") % {"key": law.key},
            remedy=_("Only people who can change a format can ask what a change would do."),
        )
    return rechecks.recheck_start(format=law.key, text=text, what_if=True, by=by, now=now)


def house_text(*, house: House, base: str) -> tuple[str, tuple[str, ...]]:
    """(a format's file with what a form says, titles we do not know): nothing is stored.

    base: the key of the format it builds upon, or its own when it exists already. A title is written as its card's;
    one that no card has is refused where the catalog is whole. Raises UserError with the form's field as place.
    """
    text = selectors.format_text(base)
    own, whole = format_files.documents(text, name=base)
    if house.key != base:
        own = {"extends": base}
        if base not in format_files.formats():
            raise UserError("bad-base", _("A house format must extend a built-in format."), place="base")
    law = selectors.format_of(base)
    catalog, snapshot = selectors.catalog(law.game), format_files.snapshot_of(law)
    unknown: list[str] = []

    def title(written: str, place: str) -> str:
        card = card_of(ListEntry(1, written), snapshot, catalog)
        if card is None and not catalog.partial:
            near = ", ".join(catalog.suggest(fold(written)))
            remedy = _("Did you mean %(near)s?") % {"near": near} if near else _("Check the spelling.")
            raise UserError(
                "unknown-title",
                _("No card is named “%(name)s”.") % {"name": written},
                place=place,
                remedy=remedy,
            )
        if card is None:
            unknown.append(written)
        return card.title if card else written

    house = replace(
        house,
        banned=tuple(title(one, "banned") for one in house.banned),
        restricted=tuple(title(one, "restricted") for one in house.restricted),
        limits={title(one, "limits"): n for one, n in house.limits.items()},
        points={title(one, "points"): n for one, n in house.points.items()},
    )
    made = text_of(house, own, whole)
    try:
        format_read(text=made, name=house.key)
    except UserError as error:
        error.place = _field_at(error.place)
        raise
    return made, tuple(unknown)


def _field_at(place: str) -> str:
    """The form's field for a place in the file it makes."""
    for word in ("banned", "restricted", "limits", "points"):
        if place.startswith("lists.") and word in place:
            return word
    return place if place in ("key", "title") else ""


def may_publish(user: Any, key: str) -> bool:
    """Whether the user may put a version of this format in force."""
    if user.is_superuser:
        return True
    first = FormatVersion.objects.filter(key=key).order_by("number").first()
    if first is None:
        return key not in format_files.formats()
    return first.author_id == user.pk and key not in format_files.formats()


def lists_import(
    *, game: str, lists: Mapping[str, Mapping[str, Any]], by: Any, now: datetime
) -> tuple[tuple[str, ...], int]:
    """Add dated lists to the game's format, when they are not there or say something else: (titles, how many).

    A new version of the format is stored once; the same lists again change nothing.
    """
    law = next((one for one in selectors.formats().values() if one.game == game), None)
    titles = tuple(str(one["title"]) for one in lists.values())
    if law is None or not lists:
        return titles, 0
    said = strict_yaml.load(selectors.format_text(law.key), name=law.key)
    changed = {key: dict(one) for key, one in lists.items() if _differs(said["lists"].get(key), one)}
    if not changed:
        return titles, 0
    said["lists"] |= changed
    text = strict_yaml.dump(said)
    checked = format_read(text=text, name=law.key)
    newest = FormatVersion.objects.filter(key=law.key).order_by("-number").first()
    note = _("Imported: %(titles)s") % {"titles": ", ".join(str(one["title"]) for one in changed.values())}
    _store(checked, text, newest, note[:200], by, now)
    rechecks.recheck_start(format=law.key, text=text, what_if=False, by=by, now=now)
    return titles, len(changed)


def laws_import(
    *, laws: Mapping[str, Mapping[str, Any]], by: Any, now: datetime
) -> tuple[tuple[str, ...], int]:
    """Put whole formats that a source brings in force where their lists or dates say something else than ours:
    (titles of all their lists, how many are new or changed). Raises UserError."""
    titles: list[str] = []
    added = 0
    known = selectors.formats()
    for key, document in laws.items():
        titles += [str(one["title"]) for one in document["lists"].values()]
        said = strict_yaml.load(selectors.format_text(key), name=key) if key in known else {"lists": {}}
        new = [name for name, one in document["lists"].items() if said["lists"].get(name) != one]
        if not new and all(said.get(word) == value for word, value in document.items()):
            continue
        added += len(new)
        text = strict_yaml.dump(dict(document))
        newest = FormatVersion.objects.filter(key=key).order_by("-number").first()
        note = _("Imported: %(titles)s") % {"titles": ", ".join(new)}
        _store(format_read(text=text, name=key), text, newest, note[:200], by, now)
        rechecks.recheck_start(format=key, text=text, what_if=False, by=by, now=now)
    return tuple(titles), added


def _differs(known: Any, said: Mapping[str, Any]) -> bool:
    return known is None or known.get("errata", {}) != said.get("errata", {})


def _store(
    law: Format, text: str, newest: FormatVersion | None, note: str, by: Any, now: datetime
) -> FormatVersion:
    version = FormatVersion.objects.create(
        key=law.key,
        number=newest.number + 1 if newest else 1,
        title=law.title,
        text=text,
        note=" ".join(note.split())[:200],
        author=by,
        made_at=now,
    )
    audit("format_publish", actor=by, target=version, reason=version.note, data={"number": version.number})
    return version
