"""What a rules change affects: rulings that cite a changed rule, and answers that are different now."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound
from rules.law.system_files import keys
from rules.law.system_files import system as system_file
from rules.models import Adjudication, LawRun, LawRunItem, Ruling
from rules.selectors.precedents import outcomes
from rules.selectors.rulings import RULINGS, judged_disputes, judged_rulings, law_now


@dataclass(frozen=True, slots=True)
class Changed:
    """A ruling whose law is another now. rules: (rule, the sentence it quotes, the sentence now or "" where it is
    gone)."""

    ruling: Ruling
    rules: tuple[tuple[str, str, str], ...]


def may_review(user: Any) -> bool:
    """The site's own staff, and people whom its operator has named. Leading the judges of an event is not enough:
    anybody can create an event, and these rights are for the whole site."""
    return bool(user.is_authenticated and (user.is_staff or user.username in settings.RULES_REVIEWERS))


def must_review(user: Any) -> None:
    """Raises Forbidden for everybody else."""
    if not may_review(user):
        raise Forbidden("forbidden", _("Only people named by the operator of this site can do this."))


def rulings_to_review(user: Any = None, system: str = "") -> list[Changed]:
    """Exactly the rulings that cite a rule whose sentence is another than the one they quote, or was last looked at
    under; the newest first. user None: all of them (the command).

    A ruling that another took the place of, in its event or in the law, is not looked at again.
    """
    rows = RULINGS.exclude(citations=[]).exclude(successors__isnull=False)
    if user is not None:
        rows = rows.filter(pk__in=judged_rulings(user).values("pk"))
    if system:
        rows = rows.filter(system=system)
    return list(_changed(rows))


def _changed(rows: Any) -> Iterator[Changed]:
    for ruling in rows:
        marks = list(ruling.marks.all())
        seen = {one["rule"]: one["sentence_hash"] for one in ruling.citations} | (
            marks[-1].seen if marks else {}
        )
        current = law_now(ruling)
        changed = [one for one in ruling.citations if current[one["rule"]] != seen[one["rule"]]]
        if changed:
            yield Changed(
                ruling, tuple((one["rule"], one["sentence"], _sentence(one, ruling)) for one in changed)
            )


def _sentence(citation: dict[str, str], ruling: Ruling) -> str:
    key = citation.get("system") or ruling.system
    law = system_file(key).law if key in keys() else {}
    return str(law[citation["rule"]].says) if citation["rule"] in law else ""


def access_law_run(user: Any, pk: int) -> LawRun:
    """Raises NotFound; Forbidden for who does not review."""
    must_review(user)
    run = LawRun.objects.filter(pk=pk).first()
    if run is None:
        raise NotFound(_("run"))
    return run


def run_counts(run: LawRun) -> dict[str, int]:
    """How far a run is: asked, answered, of how many."""
    done = Q(after=None) | Q(after__state__in=[Adjudication.State.DONE, Adjudication.State.FAILED,
                                              Adjudication.State.CANCELLED])  # fmt: skip
    found: dict[str, int] = run.items.aggregate(asked=Count("pk"), answered=Count("pk", filter=done))
    return {**found, "total": run.total}


def changes_of(user: Any, run: LawRun) -> list[LawRunItem]:
    """The disputes of a run, as far as the asker judges them, whose answer is another now or is none any more."""
    items = run.items.select_related("before__dispute", "after").filter(
        before__dispute__in=judged_disputes(user).values("pk")
    )
    return [item for item in items if _is_changed(item)]


def _is_changed(item: LawRunItem) -> bool:
    if item.after is None or item.after.state == Adjudication.State.FAILED:
        return True
    if item.after.answer is None or item.before.answer is None:
        return False
    return outcomes(item.after.answer) != outcomes(item.before.answer)
