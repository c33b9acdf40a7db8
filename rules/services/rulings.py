"""Recording what a judge decides."""

import difflib
import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.audit import audit
from config.errors import Conflict, UserError
from rules.models import Adjudication, Dispute, Ruling
from rules.system_files import system as system_file


def ruling_file(
    *,
    dispute: Dispute,
    by: Any,
    verdict: str,
    explanation: str = "",
    adjudication: Adjudication | None = None,
    agrees: bool | None = None,
    event_side: str = Ruling.EventSide.FLOOR,
    citations: Iterable[str] = (),
    now: datetime,
) -> Ruling:
    """Record what the judge decides. Rows are final: a correction or an appeal's outcome is a new row.

    `citations` are rule ids of the dispute's system; each is stored with its document, section, version,
    sentence and the sentence's hash. `adjudication` with `agrees` says how the judge stands to the engine;
    a judge who disagrees explains. Raises UserError, or Conflict after a final ruling.
    """
    verdict, explanation = verdict.strip(), explanation.strip()
    _check_ruling(dispute, verdict, explanation, adjudication, agrees, event_side)
    cited = [_citation(rule, dispute, adjudication) for rule in dict.fromkeys(citations)]
    try:
        with transaction.atomic():
            # A lock on the dispute's row: a final ruling and another one cannot pass each other.
            Dispute.objects.select_for_update().get(pk=dispute.pk)
            if dispute.rulings.filter(event_side=Ruling.EventSide.FINAL).exists():
                raise _final()
            ruling = Ruling.objects.create(
                dispute=dispute,
                adjudication=adjudication,
                judge=by,
                verdict=verdict,
                explanation=explanation,
                agrees=agrees,
                citations=cited,
                event_side=event_side,
                issued_at=now,
            )
            audit(
                "ruling_file",
                actor=by,
                target=ruling,
                reason=verdict,
                data={"dispute": dispute.pk, "side": event_side},
            )
    except IntegrityError as error:
        raise _final() from error
    return ruling


def _final() -> Conflict:
    return Conflict(
        "final-ruling",
        _("The final ruling has been given; for this event it stands, even when wrong."),
        remedy=_("Have the law reviewed; the event's result does not change."),
    )


def _check_ruling(
    dispute: Dispute,
    verdict: str,
    explanation: str,
    adjudication: Adjudication | None,
    agrees: bool | None,
    event_side: str,
) -> None:
    if not verdict:
        raise UserError("verdict-missing", _("Say what the ruling is, in one sentence."), place="verdict")
    if len(verdict) > 300:
        raise UserError(
            "verdict-too-long",
            _("The verdict is longer than 300 characters."),
            place="verdict",
            remedy=_("Put the reasons into the explanation."),
        )
    if event_side not in Ruling.EventSide.values:
        sides = ", ".join(Ruling.EventSide.values)
        raise UserError(
            "bad-side", _("A ruling is one of: %(sides)s.") % {"sides": sides}, place="event_side"
        )
    if adjudication is None:
        if agrees is not None:
            raise UserError("nothing-to-agree-with", _("No answer of the engine was named."), place="agrees")
        return
    if adjudication.dispute_id != dispute.pk or adjudication.state != Adjudication.State.DONE:
        raise UserError(
            "not-an-answer", _("This is no answer of the engine to this dispute."), place="adjudication"
        )
    if agrees is None:
        raise UserError("agreement-missing", _("Say whether you agree with the engine."), place="agrees")
    if not agrees and not explanation:
        raise UserError(
            "explanation-missing", _("Say why you do not agree with the engine."), place="explanation"
        )


def _citation(rule: str, dispute: Dispute, adjudication: Adjudication | None) -> dict[str, str]:
    """The rule as it stood for this ruling: the answer's own sentence first, else the law now in force."""
    law = system_file(adjudication.system if adjudication else dispute.scenario["system"])
    answered = (adjudication.answer or {}).get("rules", {}) if adjudication else {}
    if rule in answered:
        text, document, section = (answered[rule][key] for key in ("text", "document", "section"))
        version = adjudication.system_version if adjudication else law.version
    elif rule in law.law:
        found = law.law[rule]
        text, document, section, version = found.says, found.document, found.section, law.version
    else:
        near = difflib.get_close_matches(rule, law.law, n=3)
        raise UserError(
            "unknown-rule",
            _("%(system)s has no rule %(rule)s.") % {"system": law.title, "rule": rule},
            place="citations",
            remedy=_("Did you mean %(near)s?") % {"near": ", ".join(near)} if near else "",
        )
    return {
        "rule": rule,
        "document": document,
        "section": section,
        "version": version,
        "sentence": text,
        "sentence_hash": hashlib.sha256(text.encode()).hexdigest(),
    }
