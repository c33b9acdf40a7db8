"""The form of a policy: a copy of another, field by field. What is typed becomes the same plain form as a file."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import UserError
from config.forms import ServiceForm
from tournament import policy_files
from tournament.policy_model import UNFINISHED, BracketKind, Policy
from tournament.policy_reading import CHOICES, CODES
from tournament.swiss import TIE_BREAKS

SPARE_ROWS = 3
_NUMBER = forms.NumberInput(attrs={"inputmode": "numeric"})
CODE_WORDS = {
    "win": gettext_lazy("Win"),
    "timed-win": gettext_lazy("Win on time"),
    "draw": gettext_lazy("Draw"),
    "timed-loss": gettext_lazy("Loss on time"),
    "loss": gettext_lazy("Loss"),
    "double-loss": gettext_lazy("Both lose"),
    "bye": gettext_lazy("Bye"),
}
_PLACES = {  # where a mistake stands in the plain form -> the field it was typed into
    r"points: ([a-z-]+)": "points-{0}",
    r"points": "points-win",
    r"rounds, row (\d+)": "rounds-{0}-players",
    r"rounds, row (\d+): (players|rounds|cut).*": "rounds-{0}-{1}",
    r"time: ([a-z-]+)": "{0}",
    r"bracket: ([a-z-]+)": "{0}",
    r"deck-checks: ([a-z-]+)": "{0}",
    r"late-entries: ([a-z-]+)": "late-{0}",
    r"penalties.*": "penalties",
}


def _text(label: Any, *, rows: int = 0, required: bool = True, help_text: Any = "") -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows, "class": "short"}) if rows else None
    return forms.CharField(
        label=label, required=required, max_length=2000, help_text=help_text, widget=widget or forms.TextInput
    )


def _whole(label: Any, *, required: bool = True, help_text: Any = "") -> forms.IntegerField:
    return forms.IntegerField(label=label, required=required, help_text=help_text, widget=_NUMBER)


class PolicyForm(ServiceForm):
    """`base`: the policy whose values it begins with, and whose parts without a field it keeps."""

    title = _text(gettext_lazy("Title"))
    key = _text(
        gettext_lazy("Key"),
        help_text=gettext_lazy("A short word of small letters, digits and dashes, such as our-league."),
    )
    version = _text(gettext_lazy("Version"))
    match = _text(gettext_lazy("What a match is"))
    source = _text(gettext_lazy("Where these numbers come from"), rows=3)
    round_minutes = _whole(gettext_lazy("Minutes of a Swiss round"))
    procedure = _text(gettext_lazy("When time is called, read aloud"), rows=3, required=False)
    unfinished = forms.ChoiceField(
        label=gettext_lazy("An unfinished match is"),
        choices=list(
            zip(
                UNFINISHED,
                (
                    gettext_lazy("a draw"),
                    gettext_lazy("won or lost on time"),
                    gettext_lazy("lost by both"),
                    gettext_lazy("for a judge to decide"),
                ),
                strict=True,
            )
        ),
    )
    unreported = forms.ChoiceField(
        label=gettext_lazy("A table that reports nothing"),
        required=False,
        choices=[
            ("", gettext_lazy("is waited for")),
            ("double-loss", gettext_lazy("is lost by both when the round is ended")),
            ("draw", gettext_lazy("is a draw when the round is ended")),
        ],
    )
    extension_from = _whole(gettext_lazy("Interruptions are given back from so many minutes on"))
    intentional_draw = forms.ChoiceField(
        label=gettext_lazy("Draws agreed without playing"),
        choices=[
            ("allowed", gettext_lazy("are allowed")),
            ("needs-judge", gettext_lazy("are agreed in front of a judge")),
            ("forbidden", gettext_lazy("are forbidden")),
        ],
    )
    decklists = forms.ChoiceField(
        label=gettext_lazy("Deck lists"),
        choices=[
            ("required", gettext_lazy("are required before round 1")),
            ("optional", gettext_lazy("are optional")),
        ],
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Bracket"),
        choices=[
            (BracketKind.SINGLE.value, gettext_lazy("Single elimination")),
            (BracketKind.DOUBLE.value, gettext_lazy("Double elimination")),
        ],
    )
    third_place = forms.BooleanField(label=gettext_lazy("A match for third place"), required=False)
    choice = forms.ChoiceField(
        label=gettext_lazy("Who begins is chosen by"),
        choices=list(
            zip(
                CHOICES,
                (
                    gettext_lazy("the higher seed"),
                    gettext_lazy("who lost the last game, else the higher seed"),
                    gettext_lazy("lot"),
                ),
                strict=True,
            )
        ),
    )
    elimination_minutes = _whole(gettext_lazy("Minutes of a match in the bracket (0: no limit)"))
    elimination = _text(gettext_lazy("At its end"), rows=2, required=False)
    percent = _whole(gettext_lazy("Decks checked over the event, in percent"))
    extra_minutes = _whole(gettext_lazy("Minutes a table gets back beside what a check took"))
    penalties = forms.ChoiceField(label=gettext_lazy("Penalties"), required=False)
    avoid_club = forms.BooleanField(
        label=gettext_lazy("Players of one club meet only if nothing better is left"), required=False
    )
    late_until = _whole(
        gettext_lazy("Late players may first play in round"),
        required=False,
        help_text=gettext_lazy("1: nobody enters late. Left empty: in any."),
    )
    late_missed = forms.ChoiceField(
        label=gettext_lazy("The rounds before"),
        required=False,
        choices=[
            ("", gettext_lazy("are for the staff to judge")),
            ("losses", gettext_lazy("count as lost")),
            ("byes", gettext_lazy("count as byes")),
            ("nothing", gettext_lazy("do not count at all")),
        ],
    )
    note = forms.CharField(
        label=gettext_lazy("What is different, in a sentence"), required=False, max_length=200
    )

    def __init__(self, *args: Any, base: Policy, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.base = base
        guide = base.penalties
        kept = (
            [("", _("As in “%(title)s”: %(guide)s") % {"title": base.title, "guide": guide.title})]
            if guide
            else []
        )
        self.fields["penalties"].choices = [  # type: ignore[attr-defined]
            *kept,
            *((key, key) for key in policy_files.guides()),
            ("none", _("None")),
        ]
        for code in CODES:
            self.fields[f"points-{code}"] = _whole(CODE_WORDS[code], required=False)
        self.rows = len(base.rounds) + SPARE_ROWS
        for row in range(1, self.rows + 1):
            self.fields[f"rounds-{row}-players"] = _text(_("Up to so many players"), required=False)
            self.fields[f"rounds-{row}-rounds"] = _whole(_("Rounds"), required=False)
            self.fields[f"rounds-{row}-cut"] = _text(_("Cut"), required=False)
        for key, kind in TIE_BREAKS.items():
            self.fields[f"tie-{key}"] = _whole(_(kind.name), required=False)
            if hasattr(kind(), "floor"):
                self.fields[f"tie-{key}-floor"] = _text(_("Floor"), required=False)
            if hasattr(kind(), "byes"):
                self.fields[f"tie-{key}-byes"] = forms.BooleanField(label=_("Byes count"), required=False)
        self.initial = {**begin(base), **self.initial}

    def points(self) -> Iterator[Any]:
        for code in CODES:
            yield self[f"points-{code}"]

    def table(self) -> Iterator[tuple[Any, Any, Any]]:
        for row in range(1, self.rows + 1):
            yield tuple(self[f"rounds-{row}-{name}"] for name in ("players", "rounds", "cut"))  # type: ignore[misc]

    def ties(self) -> Iterator[tuple[str, Any, Any, Any]]:
        """(formula, place in the order, floor, byes) of every tie-breaker there is."""
        for key, kind in TIE_BREAKS.items():
            floor, byes = (
                self[name] if (name := f"tie-{key}-{option}") in self.fields else None
                for option in ("floor", "byes")
            )
            yield _(kind.formula), self[f"tie-{key}"], floor, byes

    def document(self) -> dict[str, Any]:
        """The plain form of what was typed. Raises UserError with the field as its place."""
        data = self.cleaned_data
        made = dict(self.base.document)
        made |= {name: data[name] for name in ("key", "title", "version", "match", "source", "decklists")}
        made |= {
            "status": "house-default",
            "points": {code: data[f"points-{code}"] for code in CODES if data[f"points-{code}"] is not None},
            "rounds": list(self._rounds()),
            "tie-breakers": self._tie_breakers(),
            "round-minutes": data["round_minutes"],
            "intentional-draw": data["intentional_draw"],
            "avoid-club": data["avoid_club"],
            "bracket": {"kind": data["kind"], "third-place": data["third_place"], "choice": data["choice"]},
            "deck-checks": {"percent": data["percent"], "extra-minutes": data["extra_minutes"]},
            "time": self._time(),
        }
        made["games"] = {
            code: games
            for code, games in self.base.document.get("games", {}).items()
            if code in made["points"]
        }
        made.pop("late-entries", None)
        if data["late_missed"] or data["late_until"] is not None:
            made["late-entries"] = {"missed": data["late_missed"] or "losses"}
            if data["late_until"] is not None:
                made["late-entries"]["until"] = data["late_until"]
        if data["penalties"] == "none":
            made.pop("penalties", None)
        elif data["penalties"]:
            made["penalties"] = data["penalties"]
        return made

    def _rounds(self) -> Iterator[dict[str, Any]]:
        for row in range(1, self.rows + 1):
            players, rounds, cut = (
                self.cleaned_data[f"rounds-{row}-{name}"] for name in ("players", "rounds", "cut")
            )
            if not players and rounds is None and not cut:
                continue
            try:
                rule = policy_files.cut_of_words(cut or "none")
            except UserError as error:
                error.place = f"rounds-{row}-cut"
                raise
            yield {
                "players": int(players) if players.isdecimal() else players,
                "rounds": rounds,
                "cut": rule if "losses" in rule or rule["ties"] else rule["places"],
            }

    def _tie_breakers(self) -> list[dict[str, Any]]:
        data = self.cleaned_data
        chosen = sorted((data[f"tie-{key}"], key) for key in TIE_BREAKS if data[f"tie-{key}"] is not None)
        found = []
        for (before, first), (place, second) in pairwise(chosen):
            if before == place:
                raise UserError(
                    "bad-policy",
                    _("“%(one)s” and “%(two)s” both stand at place %(place)s.")
                    % {"one": _(TIE_BREAKS[first].name), "two": _(TIE_BREAKS[second].name), "place": place},
                    place=f"tie-{second}",
                    remedy=_("Number them in the order they count."),
                )
        for _place, key in chosen:
            row: dict[str, Any] = {"key": key}
            if data.get(f"tie-{key}-floor"):
                row["floor"] = data[f"tie-{key}-floor"]
            if f"tie-{key}-byes" in self.fields:
                row["byes"] = data[f"tie-{key}-byes"]
            found.append(row)
        return found

    def _time(self) -> dict[str, Any]:
        data = self.cleaned_data
        time = {
            "elimination-minutes": data["elimination_minutes"],
            "procedure": data["procedure"],
            "elimination": data["elimination"],
            "unfinished": data["unfinished"],
            "unreported": data["unreported"],
            "extension-from": data["extension_from"],
        }
        return {name: value for name, value in time.items() if value != ""}

    def located(self, error: UserError) -> UserError:
        """The error with the field it was typed into as its place, where there is one."""
        for pattern, field in _PLACES.items():
            if found := re.fullmatch(pattern, error.place or ""):
                name = field.format(*found.groups())
                name = name if name in self.fields else name.replace("-", "_")
                if name in self.fields:
                    error.place = name
        return error


def begin(base: Policy) -> dict[str, Any]:
    """What the form begins with."""
    first: dict[str, Any] = {
        "title": base.title,
        "key": base.key,
        "version": base.version,
        "match": base.match,
        "source": base.source,
        "round_minutes": base.round_minutes,
        "procedure": base.time.procedure,
        "unfinished": base.time.unfinished,
        "unreported": base.time.unreported,
        "extension_from": base.time.extension_from,
        "elimination_minutes": base.time.elimination_minutes,
        "elimination": base.time.elimination,
        "intentional_draw": base.intentional_draw,
        "decklists": base.decklists,
        "kind": base.bracket.kind.value,
        "third_place": base.bracket.third_place,
        "choice": base.bracket.choice,
        "percent": base.deck_checks.percent,
        "extra_minutes": base.deck_checks.extra_minutes,
        "avoid_club": base.pairing.avoid_club,
        "late_until": base.late_entries.until,
        "late_missed": base.late_entries.missed if base.late_entries.said else "",
        "penalties": "" if base.penalties else "none",
    }
    first |= {f"points-{code}": points for code, points in base.scoring.points.items()}
    for row, one in enumerate(base.rounds, start=1):
        first |= {
            f"rounds-{row}-players": one.players or "more",
            f"rounds-{row}-rounds": one.rounds,
            f"rounds-{row}-cut": policy_files.cut_words(one.rule),
        }
    return first | dict(_begin_ties(base))


def _begin_ties(base: Policy) -> Iterator[tuple[str, Any]]:
    for place, one in enumerate(base.tie_breaks, start=1):
        yield f"tie-{one.key}", place
    options: Mapping[str, Any] = {one.key: one for one in base.tie_breaks}
    for key, kind in TIE_BREAKS.items():
        held = options.get(key) or kind()
        for option in ("floor", "byes"):
            if hasattr(held, option):
                value = getattr(held, option)
                yield f"tie-{key}-{option}", value if isinstance(value, bool) else str(value)
