"""Reading disputes, adjudications and rulings. Views get these objects only through `access_*`."""

from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.errors import Forbidden, NotFound
from rules.models import Adjudication, Dispute, Ruling, Table
from rules.selectors.rulings import RULINGS, judged_rulings


class Standing(StrEnum):
    """How somebody stands to a dispute. A judge sees and decides all; a party is one of its players."""

    NONE = ""
    PARTY = "party"
    JUDGE = "judge"


def standing(user: Any, dispute: Dispute) -> Standing:
    """A match's dispute is its event's business (the top app says whose); a free one is its filer's."""
    if not user.is_authenticated:
        return Standing.NONE
    if user.is_staff:
        return Standing.JUDGE
    at_the_match = import_string(settings.DISPUTE_STANDING)(user, dispute)
    if at_the_match is not None:
        return Standing(at_the_match)
    return Standing.JUDGE if dispute.filed_by_id == user.pk else Standing.NONE


def match_of(dispute: Dispute) -> Any:
    """The match at which the dispute arose, as the top app knows it; None where it is free."""
    filed = getattr(dispute, "match_dispute", None)
    return filed.match if filed is not None else None


def access_free_ruling(user: Any, pk: int) -> Ruling:
    """A ruling on a dispute of no match, for who judges it. What was ruled at a table is its event's.

    Raises NotFound.
    """
    ruling = RULINGS.filter(pk__in=judged_rulings(user), pk=pk).first()
    if ruling is None or ruling.dispute is None or match_of(ruling.dispute) or hasattr(ruling, "given"):
        raise NotFound(_("ruling"))
    return ruling


def access_dispute(user: Any, pk: int, *, judging: bool = False) -> Dispute:
    """The dispute, if `user` has to do with it, and may judge it when `judging`.

    Raises NotFound, or Forbidden for a party that asks for what is the judge's.
    """
    dispute = Dispute.objects.select_related("filed_by").filter(pk=pk).first()
    stands = standing(user, dispute or Dispute(pk=pk))  # the same work whether it is there or not
    if dispute is None or stands is Standing.NONE:
        raise NotFound(_("dispute"))
    if judging and stands is not Standing.JUDGE:
        raise Forbidden("not-the-judge", _("Only the event’s judges can do this."))
    return dispute


def access_adjudication(user: Any, pk: int, *, judging: bool = False) -> Adjudication:
    """The engine's run, if `user` may see its answer: judges always, parties once there is a ruling.

    Raises NotFound or Forbidden.
    """
    job = Adjudication.objects.select_related("dispute").defer("answer").filter(pk=pk).first()
    stands = standing(user, job.dispute if job else Dispute(pk=0))
    if job is None or stands is Standing.NONE:
        raise NotFound(_("adjudication"))
    if stands is not Standing.JUDGE and (judging or not answer_open(job.dispute)):
        raise Forbidden("not-ruled-yet", _("The engine’s answer is shown once a judge has ruled."))
    return job


def answer_open(dispute: Dispute) -> bool:
    """Whether the players of a dispute may read the engine's answer: the judge speaks first."""
    return Ruling.objects.filter(dispute=dispute).exists()


def disputes_of(user: Any) -> QuerySet[Dispute]:
    """The disputes `user` filed, newest first; everybody's for the site's own staff."""
    everybody = Dispute.objects.select_related("filed_by").prefetch_related(
        "adjudications", Prefetch("rulings", RULINGS)
    )
    return everybody if user.is_staff else everybody.filter(filed_by=user)


def access_table(user: Any, pk: int) -> Table:
    """A table is its owner's alone; NotFound for everybody else."""
    table = Table.objects.filter(pk=pk, owner=user).first() if user.is_authenticated else None
    if table is None:
        raise NotFound(_("board"))
    return table


def tables_of(user: Any) -> QuerySet[Table]:
    """The tables of a person, the one worked on last first."""
    return Table.objects.filter(owner=user)
