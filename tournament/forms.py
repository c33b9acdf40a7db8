"""Forms of the event pages. They give shape to what was typed; services decide."""

from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

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
        self.fields["format_on"].initial = next(iter(deck_selectors.formats().values())).default_on

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
