"""Rulings as precedents: verified, reversed or superseded, and what everyone can read of them.

Nothing here touches an event: for it the ruling stands as it was given.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from rules.law.system_files import fold
from rules.models import CardGroup, LawMark, Precedent, Ruling
from rules.scenarios import likeness
from rules.selectors.rulings import law_now
from rules.services.rulings import ruling_file, words_of

Status = Ruling.PrecedentStatus
NAMES_NOBODY = {"player", "active", "other"}  # whatever somebody is called, these words are needed


def ruling_mark(*, ruling: Ruling, side: str, reason: str, by: Any, now: datetime) -> LawMark:
    """Say whether a ruling is right: verified, or unverified again. The law looked at is kept with it, so that the
    ruling leaves the review until another sentence of it changes.

    Superseded and reversed are said with what takes its place (`ruling_right`). Raises UserError, Conflict.
    """
    if side not in (Status.VERIFIED, Status.UNVERIFIED):
        raise UserError(
            "bad-side", _("Say verified or unverified. A reversal needs the correct ruling."), place="side"
        )
    return _mark(ruling, side, reason, by, now)


def ruling_right(
    *,
    ruling: Ruling,
    side: str,
    reason: str,
    verdict: str,
    explanation: str = "",
    citations: Iterable[str] = (),
    by: Any,
    now: datetime,
) -> Ruling:
    """Put what is right beside a ruling: `reversed` where it was wrong, `superseded` where the law is another now.

    A new row; the former stays as it was given, and nothing of its event changes. reason: an appeal to the rules
    team, a new document, an error. Raises UserError; Conflict `superseded`.
    """
    if side not in (Status.REVERSED, Status.SUPERSEDED):
        raise UserError("bad-side", _("Choose reversed or superseded."), place="side")
    with transaction.atomic():
        righted = ruling_file(
            dispute=ruling.dispute,
            by=by,
            verdict=verdict,
            explanation=explanation,
            event_side=Ruling.EventSide.NONE,
            citations=citations,
            question=ruling.question,
            facts=ruling.facts,
            cards=[card.name for card in ruling.cards.all()],
            system=ruling.system,
            supersedes=ruling,
            change=side,
            now=now,
        )
        for group in ruling.groups.all():
            group.rulings.add(righted)
        _mark(ruling, side, reason, by, now)
    return righted


def precedent_publish(
    *,
    ruling: Ruling,
    question: str = "",
    facts: Iterable[Mapping[str, str]] | None = None,
    verdict: str = "",
    explanation: str | None = None,
    names: Iterable[str] = (),
    by: Any,
    now: datetime,
) -> Precedent:
    """Tell a ruling to everybody: its question, facts and reasons, in the words given, else in its own.

    names: of people, which must not stand in any of it. Raises UserError `names-somebody` with the field,
    `missing`; Conflict `published`.
    """
    told: dict[str, Any] = {
        "question": " ".join((question or ruling.question).split())[:200],
        "facts": list(ruling.facts if facts is None else facts),
        "verdict": " ".join((verdict or ruling.verdict).split()),
        "explanation": (ruling.explanation if explanation is None else explanation).strip(),
    }
    if not told["question"]:
        raise UserError("missing", _("Say what the question was."), place="question")
    if len(told["verdict"]) > 300:
        raise UserError("verdict-too-long", _("The verdict is longer than 300 characters."), place="verdict")
    _must_name_nobody(told, names)
    try:
        with transaction.atomic():
            precedent: Precedent = Precedent.objects.create(
                ruling=ruling,
                words=words_of(told, [card.name for card in ruling.cards.all()]),
                published_by=by,
                published_at=now,
                **told,
            )
            audit("precedent_publish", actor=by, target=precedent, data={"ruling": ruling.pk})
    except IntegrityError as error:
        raise Conflict(
            "published",
            _("This ruling has already been published."),
            remedy=_("Its text can’t be changed, but you can withdraw it."),
        ) from error
    return precedent


def precedent_withdraw(*, precedent: Precedent, by: Any, now: datetime) -> None:
    """Take a precedent from everybody's sight. Raises Conflict `withdrawn`."""
    with transaction.atomic():
        if not Precedent.objects.filter(pk=precedent.pk, withdrawn_at=None).update(
            withdrawn_at=now, withdrawn_by=by
        ):
            raise Conflict("withdrawn", _("This precedent has already been withdrawn."))
        audit("precedent_withdraw", actor=by, target=precedent)
    precedent.refresh_from_db()


def card_group_save(
    *, name: str, cards: Iterable[str], by: Any, now: datetime, group: CardGroup | None = None
) -> CardGroup:
    """Make a group of cards that rulings treat alike, or change one. Raises UserError `missing`, `too-long`; Conflict
    `name-taken`."""
    name = " ".join(name.split())
    names = list({fold(one): " ".join(one.split()) for one in cards if fold(one)}.values())
    if not name or len(name) > 80:
        raise UserError("missing", _("A group needs a name of at most 80 characters."), place="name")
    if len(names) < 2:
        raise UserError("missing", _("A group needs at least two cards."), place="cards")
    if len(names) > 500 or any(len(one) > 120 for one in names):
        raise UserError(
            "too-long",
            _("Enter at most 500 cards, each with a name of at most 120 characters."),
            place="cards",
        )
    group = group or CardGroup()
    group.name, group.cards, group.folds = name, names, f"|{'|'.join(map(fold, names))}|"
    group.changed_by, group.changed_at = by, now
    try:
        with transaction.atomic():
            group.save()
            audit("card_group_save", actor=by, target=group, data={"cards": len(names)})
    except IntegrityError as error:
        raise Conflict("name-taken", _("There is already a group with this name."), place="name") from error
    return group


def ruling_group(*, ruling: Ruling, group: CardGroup, attached: bool = True, by: Any) -> None:
    """Find a ruling under every card of a group, or no longer."""
    with transaction.atomic():
        if attached:
            group.rulings.add(ruling)
        else:
            group.rulings.remove(ruling)
        audit("ruling_group", actor=by, target=ruling, data={"group": group.pk, "attached": attached})


def _mark(ruling: Ruling, side: str, reason: str, by: Any, now: datetime) -> LawMark:
    reason = " ".join(reason.split())
    if not reason or len(reason) > 300:
        raise UserError("missing", _("Give a reason of at most 300 characters."), place="reason")
    try:
        with transaction.atomic():
            if ruling.successors.filter(change__in=Ruling.IN_THE_LAW).exists() and side in (
                Status.VERIFIED,
                Status.UNVERIFIED,
            ):
                raise Conflict("superseded", _("A newer ruling has already replaced this precedent."))
            mark: LawMark = LawMark.objects.create(
                ruling=ruling,
                number=ruling.marks.count() + 1,
                side=side,
                reason=reason,
                seen=law_now(ruling),
                by=by,
                at=now,
            )
            audit("ruling_mark", actor=by, target=ruling, reason=reason, data={"side": str(side)})
    except IntegrityError as error:
        raise Conflict(
            "marked-meanwhile",
            _("Someone else just reviewed this ruling."),
            remedy=_("Reload and check."),
        ) from error
    return mark


def _must_name_nobody(told: Mapping[str, Any], names: Iterable[str]) -> None:
    """People are named in whole or by a part of their name; a part counts from three letters on."""
    parts = {part for name in names for part in [likeness.folded(name), *likeness.folded(name).split()]}
    parts -= NAMES_NOBODY
    parts = {part for part in parts if len(part) > 2 or part in {likeness.folded(name) for name in names}}
    for place in ("question", "verdict", "explanation", "facts"):
        said = told[place] if place != "facts" else " ".join(one["text"] for one in told["facts"])
        text = f" {likeness.folded(said)} "
        named = sorted(part for part in parts if part and f" {part} " in text)
        if named:
            raise UserError(
                "names-somebody",
                _("This names a person: %(names)s.") % {"names": ", ".join(named)},
                place=place,
                remedy=_("Write “the active player” and “the other player”. Everyone can read this."),
            )
