"""Forms about people: accounts, an event's settings and staff, check-in. They check shapes only; services decide."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from config.forms import ServiceForm
from tournament.forms.events import AboutForm, RoundsForm, ZoneField
from tournament.models import ApiToken, Event, Staff, Webhook
from tournament.words import ALERTS

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
    Webhook.Kind.RESULT_SETTLED: gettext_lazy("a result is confirmed or decided"),
    Webhook.Kind.RULING_FILED: gettext_lazy("a ruling is given"),
}
SCOPES = {
    ApiToken.Scope.DECKS: gettext_lazy("manage your decks"),
    ApiToken.Scope.PLAY: gettext_lazy("register you, report your results, call a judge"),
    ApiToken.Scope.STAFF: gettext_lazy("do what you can do as event staff"),
}
_MOMENT = forms.DateTimeInput(attrs={"type": "datetime-local"})
_MOMENTS = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"]


def _languages() -> list[tuple[str, str]]:
    named = [(code, get_language_info(code)["name_local"]) for code, _name in settings.SPOKEN_LANGUAGES]
    return [("", _("No preference")), *sorted(named, key=lambda one: one[1].casefold())]


class AccountForm(ServiceForm):
    display_name = forms.CharField(
        label=gettext_lazy("Display name"),
        max_length=80,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    pronouns = forms.CharField(
        label=gettext_lazy("Pronouns"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("How others should refer to you, for example she/her."),
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        required=False,
        choices=_languages,
        help_text=gettext_lazy(
            "Pages are shown in this language if we have it, and event staff see which language you "
            "prefer to speak."
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
        help_text=gettext_lazy("For logging in. Letters, digits and @ . + - _"),
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        help_text=gettext_lazy("At least 8 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    field_order = ["display_name", "username", "password", "pronouns", "language"]


class SettingsForm(RoundsForm):
    timezone = ZoneField()
    description = forms.CharField(
        label=gettext_lazy("Information for players"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5, "class": "short"}),
    )
    capacity = forms.IntegerField(
        label=gettext_lazy("Player cap"),
        required=False,
        help_text=gettext_lazy("Later registrations join a waiting list, in order. If empty: no limit."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    registration_opens = forms.DateTimeField(
        label=gettext_lazy("Registration opens"),
        required=False,
        help_text=gettext_lazy("In the venue’s time zone. If empty: immediately."),
        widget=_MOMENT,
        input_formats=_MOMENTS,
    )
    registration_closes = forms.DateTimeField(
        label=gettext_lazy("Registration closes"),
        required=False,
        help_text=gettext_lazy("If empty: when round 1 is paired."),
        widget=_MOMENT,
        input_formats=_MOMENTS,
    )
    list_visibility = forms.ChoiceField(
        label=gettext_lazy("Who can see decklists"),
        choices=[
            (
                Event.ListVisibility.PRIVATE,
                gettext_lazy("Players see their own; event staff see all once they are locked"),
            ),
            (Event.ListVisibility.STAFF, gettext_lazy("Players see their own; event staff always see all")),
            (Event.ListVisibility.OPEN, gettext_lazy("Everyone, once they are locked")),
            (Event.ListVisibility.CUT, gettext_lazy("Event staff; everyone when the Swiss rounds are over")),
        ],
    )

    adjudication_budget = forms.IntegerField(
        label=gettext_lazy("Engine limit"),
        required=False,
        help_text=gettext_lazy(
            "How many game states the engine explores for one dispute before it gives up. More takes "
            "longer. If empty: the service’s default."
        ),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    DAYS = ("first_day_rounds", "second_day_players")
    PARTS = (
        (
            "about",
            gettext_lazy("The event"),
            ("name", "starts_on", "start", "timezone", "venue", "fee", "description"),
        ),
        (
            "registration",
            gettext_lazy("Registration and player cap"),
            ("capacity", "registration_opens", "registration_closes"),
        ),
        ("format", gettext_lazy("Format and policy"), AboutForm.GROUP),
        ("rounds", gettext_lazy("Rounds"), ("planned_rounds", *DAYS)),
        ("disputes", gettext_lazy("Decklists and disputes"), ("list_visibility", "adjudication_budget")),
    )
    FIXED = ("planned_rounds", *DAYS, *AboutForm.GROUP)  # from round 1 on

    def __init__(self, *args: Any, running: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if running:
            for field in self.FIXED:
                del self.fields[field]
        elif self.DAYS[0] not in self.initial:  # the policy cuts by points
            for field in self.DAYS:
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
        label=gettext_lazy("Number of uses"),
        initial=1,
        min_value=1,
        max_value=100,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    days = forms.IntegerField(
        label=gettext_lazy("Valid for (days)"),
        initial=7,
        min_value=1,
        max_value=90,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=80,
        help_text=gettext_lazy("Only organizers can see this."),
    )


class EntryForm(ServiceForm):
    """A player's entry as staff mends it."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    club = forms.CharField(label=gettext_lazy("Club"), required=False, max_length=80)
    pronouns = forms.CharField(label=gettext_lazy("Pronouns"), required=False, max_length=40)


class AccountNameForm(ServiceForm):
    account = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )


class CodeForm(ServiceForm):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "class": "code-field"}
        ),
    )


class MailForm(ServiceForm):
    email = forms.EmailField(label=gettext_lazy("E-mail"), max_length=254)


class CodeLoginForm(CodeForm):
    """A name and the one-time code that staff gave."""

    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    field_order = ["username", "code"]


class NewPasswordForm(ServiceForm):
    password = forms.CharField(
        label=gettext_lazy("New password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class TokenForm(ServiceForm):
    name = forms.CharField(
        label=gettext_lazy("Purpose"),
        max_length=80,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("Hall display")}),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Besides reading what you can read, it can"),
        required=False,
        choices=[(scope.value, words) for scope, words in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
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
        help_text=gettext_lazy("The user name or the display name."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    reason = forms.CharField(label=gettext_lazy("Why"), max_length=300)


class AlertsForm(ServiceForm):
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Send me mail about"),
        choices=ALERTS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class WebhookForm(ServiceForm):
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Notify it when"),
        choices=[(kind.value, words) for kind, words in KINDS.items()],
        widget=forms.CheckboxSelectMultiple,
    )
