"""Forms about people: accounts, an event's settings and staff, check-in. They give shape; services decide."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from config.forms import ServiceForm
from tournament.forms import DATE, FormatForm
from tournament.models import ApiToken, Event, Staff, Webhook

ROLES = {
    Staff.Role.OWNER: gettext_lazy("Owner"),
    Staff.Role.ORGANIZER: gettext_lazy("Organizer"),
    Staff.Role.HEAD_JUDGE: gettext_lazy("Head judge"),
    Staff.Role.JUDGE: gettext_lazy("Judge"),
    Staff.Role.SCOREKEEPER: gettext_lazy("Scorekeeper"),
    Staff.Role.SPECTATOR: gettext_lazy("Spectator"),
}
KINDS = {
    Webhook.Kind.ROUND_PUBLISHED: gettext_lazy("a round is published"),
    Webhook.Kind.RESULT_SETTLED: gettext_lazy("a result is settled"),
    Webhook.Kind.RULING_FILED: gettext_lazy("a ruling is given"),
}
SCOPES = {
    ApiToken.Scope.DECKS: gettext_lazy("keep your lists"),
    ApiToken.Scope.PLAY: gettext_lazy("enter you, report your results, call a judge"),
    ApiToken.Scope.STAFF: gettext_lazy("do what you may do as staff of an event"),
}
_MOMENT = forms.DateTimeInput(attrs={"type": "datetime-local"})
_MOMENTS = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"]


def _languages() -> list[tuple[str, str]]:
    named = [(code, get_language_info(code)["name_local"]) for code, _name in settings.SPOKEN_LANGUAGES]
    return [("", _("No preference")), *sorted(named, key=lambda one: one[1].casefold())]


class AccountForm(ServiceForm):
    display_name = forms.CharField(
        label=gettext_lazy("Name shown to others"),
        max_length=80,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    pronouns = forms.CharField(
        label=gettext_lazy("Pronouns"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("As others should speak of you, for example she/her."),
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        required=False,
        choices=_languages,
        help_text=gettext_lazy(
            "Pages are in it where we have it, and staff sees which one you would rather speak with a judge."
        ),
    )


class LoginForm(AuthenticationForm):
    username = UsernameField(
        label=gettext_lazy("User name"), widget=forms.TextInput(attrs={"autofocus": True})
    )


class SignUpForm(AccountForm):
    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=40,
        help_text=gettext_lazy("For logging in: letters, digits and @ . + - _"),
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        help_text=gettext_lazy("At least 8 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    field_order = ["display_name", "username", "password", "pronouns", "language"]


class SettingsForm(FormatForm):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    starts_on = forms.DateField(label=gettext_lazy("Day"), widget=DATE)
    timezone = forms.CharField(
        label=gettext_lazy("Time zone"), max_length=40, help_text=gettext_lazy("For example Europe/Vienna.")
    )
    venue = forms.CharField(label=gettext_lazy("Venue"), required=False, max_length=200)
    description = forms.CharField(
        label=gettext_lazy("What players should know"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5, "class": "short"}),
    )
    capacity = forms.IntegerField(
        label=gettext_lazy("Places"),
        required=False,
        help_text=gettext_lazy("Who comes later waits, in order. Left empty: everybody plays."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    registration_opens = forms.DateTimeField(
        label=gettext_lazy("Registration opens"),
        required=False,
        help_text=gettext_lazy("On the venue's clock. Left empty: at once."),
        widget=_MOMENT,
        input_formats=_MOMENTS,
    )
    registration_closes = forms.DateTimeField(
        label=gettext_lazy("Registration closes"),
        required=False,
        help_text=gettext_lazy("Left empty: when round 1 is paired."),
        widget=_MOMENT,
        input_formats=_MOMENTS,
    )
    planned_rounds = forms.IntegerField(
        label=gettext_lazy("Rounds"),
        required=False,
        help_text=gettext_lazy("Left empty, the policy's table decides by attendance."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    list_visibility = forms.ChoiceField(
        label=gettext_lazy("Who sees the lists"),
        choices=[
            (Event.ListVisibility.PRIVATE, gettext_lazy("Each player their own; staff once they are frozen")),
            (Event.ListVisibility.STAFF, gettext_lazy("Each player their own; staff always")),
            (Event.ListVisibility.OPEN, gettext_lazy("Everybody, once the lists are frozen")),
            (Event.ListVisibility.CUT, gettext_lazy("Staff; everybody when the Swiss rounds are over")),
        ],
    )

    adjudication_budget = forms.IntegerField(
        label=gettext_lazy("How far the engine goes"),
        required=False,
        help_text=gettext_lazy(
            "Positions it explores for one dispute before it says that it cannot decide. More takes longer. "
            "Left empty: the service's own number."
        ),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    AFTER = ("list_visibility", "adjudication_budget")
    FIXED = ("planned_rounds", *FormatForm.GROUP)  # from round 1 on

    def __init__(self, *args: Any, running: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if running:
            for field in self.FIXED:
                del self.fields[field]


class StaffForm(ServiceForm):
    who = forms.CharField(
        label=gettext_lazy("Name or user name"),
        max_length=80,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    role = forms.ChoiceField(label=gettext_lazy("Role"))

    def __init__(self, *args: Any, roles: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = [(role, ROLES[Staff.Role(role)]) for role in roles]  # type: ignore[attr-defined]
        self.fields["role"].initial = Staff.Role.JUDGE


class InviteForm(StaffForm):
    who = None  # type: ignore[assignment]
    uses = forms.IntegerField(
        label=gettext_lazy("How often it works"),
        initial=1,
        min_value=1,
        max_value=100,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    days = forms.IntegerField(
        label=gettext_lazy("For how many days"),
        initial=7,
        min_value=1,
        max_value=90,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    note = forms.CharField(
        label=gettext_lazy("For whom"),
        required=False,
        max_length=80,
        help_text=gettext_lazy("Only the organizers see this."),
    )


class EntryForm(ServiceForm):
    """A player's entry as staff mends it."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    club = forms.CharField(label=gettext_lazy("Club"), required=False, max_length=80)
    pronouns = forms.CharField(label=gettext_lazy("Pronouns"), required=False, max_length=40)


class CodeForm(ServiceForm):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "class": "code-field"}
        ),
    )


class TokenForm(ServiceForm):
    name = forms.CharField(
        label=gettext_lazy("What it is for"),
        max_length=80,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("The screen in the hall")}),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Besides reading what you may read, it may"),
        required=False,
        choices=[(scope.value, words) for scope, words in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("It works for"),
        coerce=int,
        initial=90,
        choices=[
            (1, gettext_lazy("a day")),
            (7, gettext_lazy("a week")),
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (365, gettext_lazy("a year")),
        ],
    )


class BanForm(ServiceForm):
    who = forms.CharField(
        label=gettext_lazy("Who"),
        max_length=150,
        help_text=gettext_lazy("The user name, or the name shown."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    reason = forms.CharField(label=gettext_lazy("Why"), max_length=300)


class WebhookForm(ServiceForm):
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("It is told"),
        choices=[(kind.value, words) for kind, words in KINDS.items()],
        widget=forms.CheckboxSelectMultiple,
    )
