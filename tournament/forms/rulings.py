"""Forms for giving a ruling, deciding an appeal, and setting a precedent's status."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.forms import ServiceForm
from rules.law.system_files import systems
from tournament.models import Match
from tournament.selectors.penalties import by_category, suggestions
from tournament.selectors.standings import policy_of
from tournament.services import PenaltyGiven

SHORT = {"rows": 2, "class": "short"}


class RulingStepForm(ServiceForm):
    """Verdict and reasons; then, in this order, remedy, penalty, minutes. Everything but the verdict may be empty.

    rules: those that can be cited with one tap, id -> sentence. appeal: the ruling is the outcome of one.
    """

    AGREES = [
        ("yes", gettext_lazy("I agree with the engine")),
        ("no", gettext_lazy("I disagree with the engine")),
        ("", gettext_lazy("I rule without the engine")),
    ]
    UPHELD = [
        ("yes", gettext_lazy("Upheld: the ruling stands")),
        ("no", gettext_lazy("Overturned: there is a new verdict")),
    ]
    REMEDIES = [
        gettext_lazy("Continue the game as is"),
        gettext_lazy("Undo the last move"),
        gettext_lazy("Fix part of it and continue"),
    ]

    agrees = forms.ChoiceField(
        label=gettext_lazy("Do you agree with the engine?"), choices=AGREES, required=False
    )
    upheld = forms.ChoiceField(label=gettext_lazy("The appeal"), choices=UPHELD, widget=forms.RadioSelect)
    verdict = forms.CharField(
        label=gettext_lazy("Your ruling, in one sentence"),
        max_length=300,
        widget=forms.Textarea(attrs=SHORT),
    )
    explanation = forms.CharField(
        label=gettext_lazy("Why"),
        required=False,
        help_text=gettext_lazy("Both players can read it."),
        widget=forms.Textarea(attrs={"rows": 3, "class": "short"}),
    )
    cited = forms.MultipleChoiceField(
        label=gettext_lazy("Rules it is based on"), required=False, widget=forms.CheckboxSelectMultiple
    )
    citations = forms.CharField(label=gettext_lazy("Other rule numbers"), required=False, max_length=500)
    question = forms.CharField(label=gettext_lazy("The question"), required=False, max_length=200)
    agreed = forms.CharField(
        label=gettext_lazy("Facts both players agree on, one per line"),
        required=False,
        widget=forms.Textarea(attrs=SHORT),
    )
    found = forms.CharField(
        label=gettext_lazy("Facts you established, one per line"),
        required=False,
        widget=forms.Textarea(attrs=SHORT),
    )
    cards = forms.CharField(
        label=gettext_lazy("Cards involved, one per line"),
        required=False,
        widget=forms.Textarea(attrs=SHORT),
    )
    system = forms.ChoiceField(label=gettext_lazy("Timing system"), required=False)
    remedy = forms.CharField(
        label=gettext_lazy("1. Remedy: what is done to the game"),
        required=False,
        max_length=300,
        widget=forms.TextInput(attrs={"list": "remedies", "autocomplete": "off"}),
    )
    player = forms.ChoiceField(label=gettext_lazy("2. Penalty for"), required=False)
    infraction = forms.ChoiceField(label=gettext_lazy("For what"), required=False)
    penalty_note = forms.CharField(
        label=gettext_lazy("What happened"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs=SHORT),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("3. Time extension (minutes)"),
        required=False,
        min_value=0,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    final = forms.BooleanField(
        label=gettext_lazy("Final for this event (any appeal would come to you)"), required=False
    )

    def __init__(
        self,
        *args: Any,
        match: Match,
        rules: Mapping[str, str] | None = None,
        answered: bool = False,
        appeal: bool = False,
        may_be_final: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._match = match
        self._seats = {str(seat.registration_id): seat.registration for seat in match.seats.all()}
        gone = [name for name, wanted in (
            ("agrees", answered), ("upheld", appeal), ("cited", bool(rules)), ("final", may_be_final and not appeal),
        ) if not wanted]  # fmt: skip
        gone += ["question", "agreed", "found", "cards", "system"] if appeal else []
        gone += [] if policy_of(match.round.event).penalties else ["player", "infraction", "penalty_note"]
        for name in gone:
            del self.fields[name]
        if "cited" in self.fields:
            self._choices("cited", [(rule, says) for rule, says in (rules or {}).items()])
        if "system" in self.fields:
            titles = [(one.key, one.title) for one in systems()]
            self._choices("system", [("", _("none: no rule is cited")), *titles])
        if "player" in self.fields:
            self._penalties()
        if appeal:
            self.fields["explanation"].required = True
            self.fields["verdict"].required = False
            self.fields["verdict"].help_text = _("If empty, an upheld ruling keeps its wording.")

    def _penalties(self) -> None:
        names = [(pk, entry.name) for pk, entry in self._seats.items()]
        self._choices("player", [("", _("No penalty")), *names])
        entry = next(iter(self._seats.values()))
        groups = by_category(entry.event, suggestions(entry))
        named = [
            (_(title), [(one.infraction.key, _(one.infraction.title)) for one in found])
            for title, found in groups
        ]
        self._choices("infraction", [("", _("Choose …")), *named])

    def _choices(self, name: str, choices: Sequence[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("player") and not given.get("infraction"):
            self.add_error("infraction", _("Say what the penalty is for."))
        return given

    def told(self) -> dict[str, Any]:
        """What was filled in, as the services take it; without how the judge stands to the engine."""
        given = self.cleaned_data
        facts = [{"text": line, "status": "agreed"} for line in lines(given.get("agreed", ""))]
        facts += [{"text": line, "status": "found"} for line in lines(given.get("found", ""))]
        told: dict[str, Any] = {
            "verdict": given["verdict"],
            "explanation": given["explanation"],
            "citations": [*given.get("cited", ()), *re.findall(r"[^\s,;]+", given["citations"])],
            "remedy": given["remedy"],
            "minutes": given["minutes"] or 0,
            "penalty": self._penalty(given),
        }
        if "upheld" in self.fields:
            return {**told, "upheld": given["upheld"] == "yes"}
        return {
            **told,
            "question": given["question"],
            "facts": facts,
            "cards": lines(given["cards"]),
            "system": given["system"],
            "final": given.get("final", False),
        }

    def _penalty(self, given: Mapping[str, Any]) -> PenaltyGiven | None:
        if not given.get("player"):
            return None
        return PenaltyGiven(self._seats[given["player"]], given["infraction"], note=given["penalty_note"])


class PublishForm(ServiceForm):
    """The words in which everybody reads a ruling."""

    question = forms.CharField(label=gettext_lazy("The question"), max_length=200)
    facts = forms.CharField(
        label=gettext_lazy("Facts, one per line"), required=False, widget=forms.Textarea(attrs=SHORT)
    )
    verdict = forms.CharField(
        label=gettext_lazy("The ruling"), max_length=300, widget=forms.Textarea(attrs=SHORT)
    )
    explanation = forms.CharField(
        label=gettext_lazy("The reasons"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "short"}),
    )

    def told(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {**given, "facts": [{"text": line, "status": "found"} for line in lines(given["facts"])]}


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
