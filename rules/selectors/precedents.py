"""Searches precedents by card, two cards, rule, words, system and status; and finds those closest to a dispute.

Everybody finds what was published, by its published words alone; a judge also finds the rulings of the events judged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from rules.law.system_files import cards, fold, keys
from rules.models import Adjudication, Dispute, Precedent, Ruling, RulingCard
from rules.scenarios import likeness
from rules.selectors.rulings import RULINGS, judged_rulings

EVENT, GLOBAL = "event", "global"
MOST = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for; empty: whatever. status: a law side, or an event side (floor, appealed, final).
    scope: event (rulings of one's events, not published) or global (published)."""

    cards: tuple[str, ...] = ()
    rule: str = ""
    words: str = ""
    system: str = ""
    status: str = ""
    scope: str = ""

    @property
    def anything(self) -> bool:
        return bool(self.cards or self.rule or self.words or self.system or self.status or self.scope)


@dataclass(frozen=True, slots=True)
class Hit:
    """A ruling as the asker may read it: in its own words for its judges, in the published ones for everybody else.

    alike: why it was offered for a dispute: "form", "cards" or "occurrences"; differs: the engine now answers
    otherwise than it was ruled.
    """

    ruling: Ruling
    judged: bool
    alike: str = ""
    shared: tuple[str, ...] = ()
    differs: bool = False

    @property
    def precedent(self) -> Precedent | None:
        found = getattr(self.ruling, "precedent", None)
        return found if found is not None and found.withdrawn_at is None else None

    @property
    def scope(self) -> str:
        return GLOBAL if self.precedent else EVENT

    @property
    def _told(self) -> Any:
        return self.precedent if self.precedent is not None and not self.judged else self.ruling

    @property
    def question(self) -> str:
        return str(self._told.question)

    @property
    def facts(self) -> list[dict[str, str]]:
        return list(self._told.facts)

    @property
    def verdict(self) -> str:
        return str(self._told.verdict)

    @property
    def explanation(self) -> str:
        return str(self._told.explanation)

    @property
    def righted(self) -> "Hit | None":
        """What took its place in the law, if the asker may read it."""
        after = self.ruling.righted
        if after is None:
            return None
        found = Hit(after, self.judged)
        return found if self.judged or found.precedent else None


MOST_WORDS = 12  # that are searched for: each is a condition of its own


def search(user: Any, asked: Asked) -> list[Hit]:
    """The rulings that fit, newest first; of one that was reversed or superseded the later one comes first.

    At most 200. Raises UserError for an unknown system, status or scope, and for too many words.
    """
    _check(asked)
    own = judged_rulings(user).values("pk")
    # `appealed` is dealt with below; a ruling that another took the place of at its event is history, no precedent.
    found = RULINGS.exclude(successors__change__in=Ruling.AT_THE_EVENT)
    for card in asked.cards:
        key = fold(card)
        found = found.filter(
            Q(pk__in=RulingCard.objects.filter(fold=key).values("ruling"))
            | Q(groups__folds__contains=f"|{key}|")
        )
    if asked.rule:
        found = found.filter(citations__icontains=f'"{asked.rule}"')
    if asked.system:
        found = found.filter(system=asked.system)
    published, judged = Q(precedent__withdrawn_at=None, precedent__isnull=False), Q(pk__in=own)
    for word in likeness.folded(asked.words).split():
        published &= Q(precedent__words__contains=word)
        judged &= Q(words__contains=word)
    found = found.filter(
        {EVENT: judged & ~_published(), GLOBAL: published}.get(asked.scope, published | judged)
    )
    found = _of_status(found, asked.status)
    rows = list(found.distinct().order_by("-issued_at", "-pk")[:MOST])
    mine = set(judged_rulings(user).filter(pk__in=[one.pk for one in rows]).values_list("pk", flat=True))
    return _reversals_first([Hit(one, one.pk in mine) for one in rows])


def _published() -> Q:
    return Q(precedent__isnull=False, precedent__withdrawn_at=None)


def _of_status(found: QuerySet[Ruling], status: str) -> QuerySet[Ruling]:
    if status == Ruling.EventSide.APPEALED:
        return found.filter(appeal__isnull=False)
    if status in Ruling.EventSide.values:
        return found.filter(event_side=status)
    if status in Ruling.PrecedentStatus.values:
        pks = [
            one.pk
            for one in found.prefetch_related(None).prefetch_related("marks")
            if one.precedent_status == status
        ]
        return found.filter(pk__in=pks)
    return found


def _reversals_first(hits: list[Hit]) -> list[Hit]:
    """What was reversed stands right behind its reversal, and such pairs before the rest."""
    at = {hit.ruling.pk: hit for hit in hits}
    ordered: dict[int, Hit] = {}

    def put(hit: Hit) -> None:
        if hit.ruling.pk in ordered:
            return
        if (after := hit.ruling.righted) is not None and after.pk in at:
            put(at[after.pk])
        ordered[hit.ruling.pk] = hit

    for hit in sorted(hits, key=lambda one: one.ruling.righted is None):
        put(hit)
    return list(ordered.values())


def _check(asked: Asked) -> None:
    known: Mapping[str, Iterable[str]] = {
        "system": keys(),
        "status": [*Ruling.EventSide.values, *Ruling.PrecedentStatus.values],
        "scope": [EVENT, GLOBAL],
    }
    if len(asked.words.split()) > MOST_WORDS:
        raise UserError("too-long", _("Search for at most %(most)s words.") % {"most": MOST_WORDS}, place="q")
    for place, names in known.items():
        value = getattr(asked, place)
        if value and value not in names:
            raise UserError(
                "unknown",
                _("“%(value)s” isn’t known here.") % {"value": value},
                place=place,
                remedy=_("Choose from: %(names)s.") % {"names": ", ".join(names)},
            )


def closest_cards(asked: Asked) -> dict[str, list[str]]:
    """For each card asked for that no ruling and no library knows, the names that come nearest."""
    known = dict(RulingCard.objects.order_by().values_list("fold", "name").distinct())
    for key in [asked.system] if asked.system in keys() else keys():
        known |= {folded: str(card["name"]) for folded, card in cards(key).items()}
    found = {}
    for card in asked.cards:
        if fold(card) not in known:
            found[card] = [known[near] for near in get_close_matches(fold(card), known, n=3, cutoff=0.7)]
    return found


def access_precedent(user: Any, pk: int) -> Hit:
    """A ruling by its permalink: for its judges, and once published for everybody. Raises NotFound."""
    ruling = RULINGS.filter(pk=pk).first()
    if ruling is None:
        raise NotFound(_("precedent"))
    return hit_of(user, ruling)


def hit_of(user: Any, ruling: Ruling) -> Hit:
    hit = Hit(ruling, judged_rulings(user).filter(pk=ruling.pk).exists())
    if not hit.judged and hit.precedent is None:
        raise NotFound(_("precedent"))
    return hit


def rulings_citing(user: Any, system: str, rule: str) -> list[Hit]:
    """Rulings that cite a rule, as far as the asker may read them, newest first."""
    return search(user, Asked(rule=rule, system=system))[:50]


def nearest(user: Any, dispute: Dispute, answer: Mapping[str, Any] | None, most: int = 5) -> list[Hit]:
    """The rulings nearest to a dispute: first those on the same situation whoever plays it, then those that share
    most cards and things that happen. The engine's disagreement with one is flagged."""
    names = likeness.cards_of(dispute.scenario)
    folds = {fold(name) for name in names}
    form = likeness.form_of(dispute.scenario) if dispute.scenario else ""
    happens = set(likeness.happens_of(answer, names))
    by_group = Q()
    for key in folds:
        by_group |= Q(groups__folds__contains=f"|{key}|")
    alike = Q(form=form) & ~Q(form="") | Q(cards__fold__in=folds)
    found = RULINGS.filter(alike | by_group if folds else alike)
    found = found.exclude(dispute=dispute).exclude(successors__change__in=Ruling.AT_THE_EVENT)
    found = found.filter(_published() | Q(pk__in=judged_rulings(user).values("pk")))
    rows = list(found.distinct()[:MOST])
    mine = set(judged_rulings(user).filter(pk__in=[one.pk for one in rows]).values_list("pk", flat=True))
    ranked = []
    for ruling in rows:
        shared = tuple(card.name for card in ruling.cards.all() if card.fold in folds)
        same = sorted(happens & set(ruling.happens))
        level = "form" if form and ruling.form == form else "occurrences" if same else "cards"
        rank = (level != "form", -len(shared), -len(same), -ruling.issued_at.timestamp())
        hit = Hit(ruling, ruling.pk in mine, level, shared, _differs(ruling, level, answer))
        ranked.append((rank, hit))
    best = [hit for _rank, hit in sorted(ranked, key=lambda pair: pair[0])[:most]]
    return [replace(hit) for hit in _reversals_first(best)] if any(h.ruling.righted for h in best) else best


def _differs(ruling: Ruling, level: str, answer: Mapping[str, Any] | None) -> bool:
    """Whether the engine does not agree with what was ruled: it did not then, or on the same situation it now answers
    otherwise than when the judge agreed."""
    if ruling.agrees is False:
        return True
    then: Adjudication | None = ruling.adjudication
    if level != "form" or answer is None or then is None or then.answer is None:
        return False
    return outcomes(then.answer) != outcomes(answer)


def outcomes(answer: Mapping[str, Any]) -> list[tuple[str, str, str, tuple[tuple[str, str], ...]]]:
    """What an answer says, question by question: kind, status, answer, and what follows from which choice.

    Names of players stand in it: compare answers to situations of the same form only.
    """
    return [
        (
            one["kind"],
            one["status"],
            str(one["answer"]),
            tuple(
                (branch["option"], str(branch["answer"]))
                for each in one["depends"]
                for branch in each["branches"]
            ),
        )
        for one in answer["questions"]
    ]
