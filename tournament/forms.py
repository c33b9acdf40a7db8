"""Forms of the event pages. They give shape to what was typed; services decide."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import UserError
from config.forms import ServiceForm
from decks import selectors as deck_selectors
from decks.forms import ListForm
from tournament import policy_files
from tournament.swiss import Outcome

OUTCOMES = {
    Outcome.WIN: gettext_lazy("won"),
    Outcome.TIMED_WIN: gettext_lazy("won on time"),
    Outcome.DRAW: gettext_lazy("draw"),
    Outcome.TIMED_LOSS: gettext_lazy("lost on time"),
    Outcome.LOSS: gettext_lazy("lost"),
    Outcome.DOUBLE_LOSS: gettext_lazy("both lost"),
}
DATE = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class EventForm(ServiceForm):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    starts_on = forms.DateField(label=gettext_lazy("Day"), widget=DATE)
    format = forms.ChoiceField(label=gettext_lazy("Format"))
    format_on = forms.DateField(
        label=gettext_lazy("Decks are checked as of"),
        help_text=gettext_lazy("The lists of restricted and banned cards in force on this day count."),
        widget=DATE,
    )
    policy_key = forms.ChoiceField(
        label=gettext_lazy("Policy"),
        help_text=gettext_lazy("Points, rounds and tie-breakers. Pinned with round 1."),
    )
    planned_rounds = forms.IntegerField(
        label=gettext_lazy("Rounds"),
        required=False,
        help_text=gettext_lazy("Left empty, the policy's table decides by attendance."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    timezone = forms.CharField(label=gettext_lazy("Time zone"), initial="UTC", max_length=40)
    slug = forms.CharField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=50,
        help_text=gettext_lazy(
            "The last part of the event's link, such as kingsport-2026. Made from the name if left empty."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].choices = [(key, one.title) for key, one in deck_selectors.formats().items()]  # type: ignore[attr-defined]
        self.fields["policy_key"].choices = [(key, one.title) for key, one in policy_files.policies().items()]  # type: ignore[attr-defined]
        # A date on which the format's list is surely known; organizers choose another with their eyes open.
        self.fields["format"].initial = settings.DEFAULT_FORMAT
        self.fields["format_on"].initial = deck_selectors.format_of(settings.DEFAULT_FORMAT).default_on

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("slug") and data.get("name") and data.get("starts_on"):
            made = slugify(data["name"])[:39].strip("-") or "event"
            data["slug"] = f"{made}-{data['starts_on'].year}"
        return data


class RegisterForm(ListForm):
    deck = forms.ChoiceField(label=gettext_lazy("One of my decks"), required=False, widget=forms.RadioSelect)
    name = forms.CharField(label=gettext_lazy("Name of the deck"), required=False, max_length=120)

    def __init__(self, *args: Any, decks: list[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(str(deck.pk), deck.name) for deck in decks]
        self.fields["deck"].choices = [*known, ("", _("A new list"))]  # type: ignore[attr-defined]
        self.fields["deck"].initial = known[0][0] if known else ""


class PlayerForm(ServiceForm):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    club = forms.CharField(label=gettext_lazy("Club"), required=False, max_length=80)


class ReasonForm(ServiceForm):
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=300)


class DecideForm(ReasonForm):
    outcome = forms.ChoiceField(label=gettext_lazy("Result"), widget=forms.RadioSelect)

    field_order = ["outcome", "reason"]

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["outcome"].choices = choices  # type: ignore[attr-defined]


class ArrangeForm(ServiceForm):
    """Who sees lists, until when; and one field for each rule of the format that is uncertain, or changed here."""

    visibility = forms.ChoiceField(
        label=gettext_lazy("Who sees the lists"),
        widget=forms.RadioSelect,
        choices=[
            ("private", gettext_lazy("Each player their own; staff once the lists are frozen")),
            ("staff", gettext_lazy("Each player their own; staff always")),
            ("open", gettext_lazy("Everybody, once the lists are frozen")),
            ("cut", gettext_lazy("Staff; everybody when the Swiss rounds are over")),
        ],
    )
    due = forms.DateTimeField(
        label=gettext_lazy("Lists are handed in until"),
        required=False,
        help_text=gettext_lazy("On the venue's clock. Left empty: until round 1 is paired."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"],
    )
    list = forms.ChoiceField(label=gettext_lazy("The list in force"), required=False)

    def __init__(self, *args: Any, law: Any, changes: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lists = [(key, one.title) for key, one in law.lists.items()]
        self.fields["list"].choices = [("", _("The one of the day on which decks are checked")), *lists]  # type: ignore[attr-defined]
        self.fields["list"].initial = changes.get("list", "")
        self.rules = [rule for rule, said in law.law.items() if said.uncertain or rule in changes]
        for rule in self.rules:
            said = law.law[rule]
            choice = forms.ChoiceField(
                label=rule,
                required=False,
                help_text=f"{said.text} {said.uncertain}".strip(),
                choices=[
                    ("", _("As the format says")),
                    ("off", _("Left out")),
                    ("number", _("With another number")),
                ],
            )
            number = forms.IntegerField(
                label=_("The number"), required=False, min_value=0, max_value=9_999,
                widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
            )  # fmt: skip
            if rule in changes:
                choice.initial = "off" if changes[rule] is None else "number"
                number.initial = changes[rule]
            self.fields[f"rule-{rule}"] = choice
            self.fields[f"number-{rule}"] = number

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """(the rule's field, its number's field)"""
        for rule in self.rules:
            yield self[f"rule-{rule}"], self[f"number-{rule}"]

    def changes(self) -> dict[str, Any]:
        """What the event plays differently, as the service wants it. Raises UserError for a missing number."""
        made: dict[str, Any] = {"list": self.cleaned_data["list"]} if self.cleaned_data["list"] else {}
        for rule in self.rules:
            said = self.cleaned_data[f"rule-{rule}"]
            number = self.cleaned_data[f"number-{rule}"]
            if said == "off":
                made[rule] = None
            elif said == "number":
                if number is None:
                    raise UserError("missing", _("Which number?"), place=f"number-{rule}")
                made[rule] = number
        return made


class DeckCheckForm(ServiceForm):
    seen = forms.CharField(
        label=gettext_lazy("What I counted"),
        required=False,
        strip=False,
        help_text=gettext_lazy("Only needed when the deck differs: one card a line, the whole deck."),
        widget=forms.Textarea(attrs={"class": "code", "spellcheck": "false", "rows": 14}),
    )
    note = forms.CharField(label=gettext_lazy("Note"), required=False, max_length=300)
