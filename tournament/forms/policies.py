"""The policy form: a copy of another policy, field by field. It produces the same plain data as a file.

A field is named by its place in the file (`time.extension-from`, `rounds[2].cut`), so a mistake finds its field.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import UserError
from config.forms import ServiceForm
from config.schema_forms import fields_of, initial_of, parts_of, text_field, whole_field, written
from tournament.policy import policy_files
from tournament.policy.kinds import CODE_WORDS, CODES, options
from tournament.policy.model import POLICY, Policy
from tournament.swiss import TIE_BREAKS

SPARE_ROWS = 3


class PolicyForm(ServiceForm):
    """`base`: the policy whose values it begins with, and whose parts without a field it keeps."""

    penalties = forms.ChoiceField(label=gettext_lazy("Penalties"), required=False)
    note = forms.CharField(
        label=gettext_lazy("What is different, in one sentence"), required=False, max_length=200
    )

    def __init__(self, *args: Any, base: Policy, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.base = base
        guide = base.penalties
        kept = _("As in “%(title)s”: %(guide)s") % {
            "title": base.title,
            "guide": guide.title if guide else "",
        }
        self.fields["penalties"].choices = [  # type: ignore[attr-defined]
            *([("", kept)] if guide else []),
            *((key, key) for key in policy_files.guides()),
            ("none", _("None")),
        ]
        self.fields |= fields_of(POLICY)
        for code in CODES:
            self.fields[f"points.{code}"] = whole_field(CODE_WORDS[code], required=False)
        self.rows = len(base.rounds) + SPARE_ROWS
        for row in range(1, self.rows + 1):
            self.fields[f"rounds[{row}].players"] = text_field(_("Up to this many players"), required=False)
            self.fields[f"rounds[{row}].rounds"] = whole_field(_("Rounds"), required=False)
            self.fields[f"rounds[{row}].cut"] = text_field(_("Cut"), required=False)
        for key, kind in TIE_BREAKS.items():
            self.fields[f"tie-{key}"] = whole_field(_(kind.name), required=False)
            for name, word in options(kind).items():
                label = OPTION_WORDS.get(name, name)
                ticked = word.kind.form is bool
                self.fields[f"tie-{key}-{name}"] = (
                    forms.BooleanField(label=label, required=False)
                    if ticked
                    else text_field(label, required=False)
                )
        self.initial = {**begin(base), **self.initial}

    @property
    def parts(self) -> list[Any]:
        """The fields under their headings; the first is about the policy itself."""
        return parts_of(POLICY, self)

    def points(self) -> Iterator[Any]:
        for code in CODES:
            yield self[f"points.{code}"]

    def table(self) -> Iterator[tuple[Any, Any, Any]]:
        for row in range(1, self.rows + 1):
            yield tuple(self[f"rounds[{row}].{name}"] for name in ("players", "rounds", "cut"))  # type: ignore[misc]

    def ties(self) -> Iterator[tuple[str, Any, list[Any]]]:
        """(formula, place in the order, options) of every tie-breaker there is."""
        for key, kind in TIE_BREAKS.items():
            yield (
                _(kind.formula),
                self[f"tie-{key}"],
                [self[f"tie-{key}-{name}"] for name in options(kind)],
            )

    def document(self) -> dict[str, Any]:
        """The plain form of what was typed. Raises UserError with the field as its place."""
        data = self.cleaned_data
        made = written(POLICY, data, self.base.document)
        made["status"] = "house-default"
        made["points"] = {
            code: data[f"points.{code}"] for code in CODES if data[f"points.{code}"] is not None
        }
        made["rounds"] = list(self._rounds())
        made["tie-breakers"] = self._tie_breakers()
        if "games" in made:
            made["games"] = {code: games for code, games in made["games"].items() if code in made["points"]}
        if data["penalties"] == "none":
            made.pop("penalties", None)
        elif data["penalties"]:
            made["penalties"] = data["penalties"]
        return made

    def _rounds(self) -> Iterator[dict[str, Any]]:
        for row in range(1, self.rows + 1):
            players, rounds, cut = (
                self.cleaned_data[f"rounds[{row}].{name}"] for name in ("players", "rounds", "cut")
            )
            if not players and rounds is None and not cut:
                continue
            try:
                rule = policy_files.cut_of_words(cut or "none")
            except UserError as error:
                error.place = f"rounds[{row}].cut"
                raise
            yield {
                "players": int(players) if players.isdecimal() else players,
                "rounds": rounds,
                "cut": rule if "losses" in rule or rule["ties"] else rule["places"],
            }

    def _tie_breakers(self) -> list[dict[str, Any]]:
        data = self.cleaned_data
        chosen = sorted((data[f"tie-{key}"], key) for key in TIE_BREAKS if data[f"tie-{key}"] is not None)
        for (before, first), (place, second) in pairwise(chosen):
            if before == place:
                raise UserError(
                    "bad-policy",
                    _("“%(one)s” and “%(two)s” are both number %(place)s.")
                    % {"one": _(TIE_BREAKS[first].name), "two": _(TIE_BREAKS[second].name), "place": place},
                    place=f"tie-{second}",
                    remedy=_("Number them in the order they count."),
                )
        return [
            {"key": key}
            | {name: value for name in options(TIE_BREAKS[key]) if (value := data[f"tie-{key}-{name}"]) != ""}
            for _place, key in chosen
        ]

    def located(self, error: UserError) -> UserError:
        """The error with a field as its place: its own, or the first of the row or part that is wrong."""
        within = (name for name in self.fields if name.startswith((f"{error.place}.", f"{error.place}[")))
        error.place = error.place if error.place in self.fields else next(within, error.place)
        return error


OPTION_WORDS = {"floor": gettext_lazy("Minimum"), "byes": gettext_lazy("Byes count")}
"""What the form calls an option of a tie-breaker; one without a word here is called as in the file."""


def begin(base: Policy) -> dict[str, Any]:
    """What the form begins with."""
    first: dict[str, Any] = initial_of(POLICY, base.document) | {
        "penalties": "" if base.penalties else "none"
    }
    first |= {f"points.{code}": points for code, points in base.points.items()}
    for row, one in enumerate(base.rounds, start=1):
        first |= {
            f"rounds[{row}].players": one.players or "more",
            f"rounds[{row}].rounds": one.rounds,
            f"rounds[{row}].cut": policy_files.cut_words(one.rule),
        }
    held = {one.key: one for one in base.tie_breaks}
    first |= {f"tie-{one.key}": place for place, one in enumerate(base.tie_breaks, start=1)}
    for key, kind in TIE_BREAKS.items():
        for name, word in options(kind).items():
            value = getattr(held.get(key) or kind(), name)
            first[f"tie-{key}-{name}"] = value if word.kind.form is bool else str(value)
    return first
