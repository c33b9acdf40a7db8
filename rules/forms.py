"""Forms of disputes and rulings. They give shape to what was typed; services decide."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.forms import ServiceForm
from rules.models import Ruling
from rules.system_files import systems


class ScenarioForm(ServiceForm):
    """A situation as text, and optionally the rules to apply to it instead of those it names."""

    title = forms.CharField(label=gettext_lazy("What is it about?"), max_length=200)
    system = forms.ChoiceField(label=gettext_lazy("Rules to apply"), required=False)
    source = forms.CharField(
        label=gettext_lazy("The situation"),
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
            ("", _("Those the situation names")),
            *((system.key, system.title) for system in systems()),
        ]
        self.fields["system"].choices = choices  # type: ignore[attr-defined]


class RulingForm(ServiceForm):
    AGREES = [
        ("yes", gettext_lazy("I agree with the engine")),
        ("no", gettext_lazy("I rule otherwise")),
        ("", gettext_lazy("I rule without it")),
    ]

    agrees = forms.ChoiceField(
        label=gettext_lazy("The engine and you"), choices=AGREES, required=False, widget=forms.RadioSelect
    )
    verdict = forms.CharField(
        label=gettext_lazy("Your ruling, in one sentence"),
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 2, "class": "short"}),
    )
    explanation = forms.CharField(
        label=gettext_lazy("Why"),
        required=False,
        help_text=gettext_lazy("Needed when you rule otherwise than the engine."),
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
