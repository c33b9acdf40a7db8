"""Forms of disputes and rulings. They check shapes only; services decide."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.forms import ServiceForm
from rules.law.system_files import systems
from rules.models import Ruling


class ScenarioForm(ServiceForm):
    """A situation as text, and optionally the rules to apply to it instead of those it names."""

    title = forms.CharField(label=gettext_lazy("What is it about?"), max_length=200)
    system = forms.ChoiceField(label=gettext_lazy("Rules to apply"), required=False)
    file = forms.FileField(
        label=gettext_lazy("A scenario file"),
        required=False,
        help_text=gettext_lazy("YAML or JSON. If you choose a file, we use it instead of the text below."),
    )
    source = forms.CharField(
        label=gettext_lazy("The situation"),
        required=False,
        strip=False,
        max_length=settings.SCENARIO_MAX_BYTES,
        widget=forms.Textarea(
            attrs={
                "class": "code",
                "spellcheck": "false",
                "autocapitalize": "off",
                "autocomplete": "off",
                "rows": 22,
            }
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [
            ("", _("The ones the situation names")),
            *((system.key, system.title) for system in systems()),
        ]
        self.fields["system"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """The file's text, when there is one, stands for the text; faults are named where they are."""
        given: dict[str, Any] = super().clean() or {}
        file = given.get("file")
        if file is not None:
            if file.size > settings.SCENARIO_MAX_BYTES:
                self.add_error("file", _("The file is too large."))
                return given
            try:
                given["source"] = file.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", _("The file isn’t UTF-8 text."))
        elif not given.get("source", "").strip() and "source" not in self.errors:
            self.add_error("source", _("Paste a scenario, or choose a file."))
        return given


class RulingForm(ServiceForm):
    AGREES = [
        ("yes", gettext_lazy("I agree with the engine")),
        ("no", gettext_lazy("I disagree with the engine")),
        ("", gettext_lazy("I rule without the engine")),
    ]

    agrees = forms.ChoiceField(
        label=gettext_lazy("Do you agree with the engine?"),
        choices=AGREES,
        required=False,
        widget=forms.RadioSelect,
    )
    verdict = forms.CharField(
        label=gettext_lazy("Your ruling, in one sentence"),
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 2, "class": "short"}),
    )
    explanation = forms.CharField(
        label=gettext_lazy("Why"),
        required=False,
        help_text=gettext_lazy("Required if you disagree with the engine."),
        widget=forms.Textarea(attrs={"rows": 3, "class": "short"}),
    )
    event_side = forms.ChoiceField(
        label=gettext_lazy("For this event it is"),
        choices=[
            (Ruling.EventSide.FLOOR, gettext_lazy("a floor ruling, open to appeal")),
            (Ruling.EventSide.FINAL, gettext_lazy("final (head judge)")),
        ],
        initial=Ruling.EventSide.FLOOR,
    )

    def clean_agrees(self) -> bool | None:
        return {"yes": True, "no": False}.get(self.cleaned_data["agrees"])


class LawForm(ServiceForm):
    """Whether a ruling is right; with what is right instead where it is not."""

    SIDES = [
        ("verified", gettext_lazy("Right: verified")),
        ("reversed", gettext_lazy("Wrong: reversed")),
        ("superseded", gettext_lazy("Right at the time, but the rules have changed: superseded")),
        ("unverified", gettext_lazy("Not verified after all")),
    ]

    side = forms.ChoiceField(
        label=gettext_lazy("As a precedent, it is"), choices=SIDES, widget=forms.RadioSelect
    )
    reason = forms.CharField(
        label=gettext_lazy("Based on"),
        max_length=300,
        help_text=gettext_lazy("A document, an answer from the rules team, an error you found."),
    )
    verdict = forms.CharField(
        label=gettext_lazy("The correct ruling"),
        required=False,
        max_length=300,
        help_text=gettext_lazy("For reversed and superseded."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "short"}),
    )
    explanation = forms.CharField(
        label=gettext_lazy("Why"), required=False, widget=forms.Textarea(attrs={"rows": 3, "class": "short"})
    )
    citations = forms.CharField(label=gettext_lazy("Rule numbers"), required=False, max_length=500)

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("side") in ("reversed", "superseded") and not given.get("verdict", "").strip():
            self.add_error("verdict", _("Say what the correct ruling is."))
        return given

    def told(self) -> dict[str, Any]:
        """side, reason, and of a reversal verdict, explanation, citations, as the services take them."""
        given = dict(self.cleaned_data)
        given["citations"] = given["citations"].replace(",", " ").split()
        if given["side"] in ("verified", "unverified"):
            return {"side": given["side"], "reason": given["reason"]}
        return given
