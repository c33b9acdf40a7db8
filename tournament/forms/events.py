"""Forms of the event pages. They check shapes only; services decide."""

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.formats import date_format
from django.utils.text import slugify
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import UserError
from config.forms import ServiceForm
from decks import selectors as deck_selectors
from decks.forms import ListForm
from decks.law.model import Format
from tournament.policy import policy_files
from tournament.policy.kinds import CutRule
from tournament.policy.model import Policy, TwoDays
from tournament.selectors.policies import policies, usual_policy
from tournament.services.checks import time_zones
from tournament.swiss import Outcome

OUTCOMES = {
    Outcome.WIN: gettext_lazy("won"),
    Outcome.TIMED_WIN: gettext_lazy("won on time"),
    Outcome.DRAW: gettext_lazy("draw"),
    Outcome.TIMED_LOSS: gettext_lazy("lost on time"),
    Outcome.LOSS: gettext_lazy("lost"),
    Outcome.DOUBLE_LOSS: gettext_lazy("both lost"),
}
BRACKETS = [
    ("", gettext_lazy("As the policy says")),
    ("single-elimination", gettext_lazy("Single elimination")),
    ("double-elimination", gettext_lazy("Double elimination")),
]
DATE = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class Usual(NamedTuple):
    """What goes with a format, proposed when it is chosen. day: whose lists count."""

    format: Format
    policy: Policy
    day: date


def usual_day(format: Format) -> date:
    """The day whose lists an event goes by unless its organizer chooses another: today, where today's lists are those
    that the format names as its own; else the format's day."""
    today = localdate()
    if today < format.timeline[0].since:
        return format.default_on
    same = format.snapshot(today).digest == format.snapshot(format.default_on).digest
    return today if same else format.default_on


def zones() -> list[tuple[str, Any]]:
    """Time zones by place: the city's name, under its part of the world; names of no place come last."""
    found: dict[str, list[tuple[str, str]]] = {part: [] for part in _PARTS}
    others = []
    for name in sorted(time_zones() - {"UTC", "localtime", "Factory"}):
        part, _slash, place = name.partition("/")
        if part in found:
            found[part].append((name, place.replace("_", " ").replace("/", ", ")))
        else:
            others.append((name, name))
    return [("UTC", "UTC"), *found.items(), ("Other", others)]


_PARTS = (
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)


class ZoneField(forms.ChoiceField):
    """A time zone, chosen by place."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=gettext_lazy("Time zone"),
            choices=zones,
            widget=forms.Select(attrs={"data-zone": True, "lang": "en"}),
            **kwargs,
        )


def with_usual(data: QueryDict) -> tuple[QueryDict, Usual | None]:
    """What was sent, where another format was chosen with that format's day and policy in the place of the former's;
    and what is proposed thereby, for the page to tell."""
    format = deck_selectors.formats().get(data.get("format", ""))
    if format is None or data.get("proposed_for", format.key) == format.key:
        return data, None
    usual = Usual(format, usual_policy(format), usual_day(format))
    proposed = data.copy()
    proposed["proposed_for"] = format.key
    proposed["format_on"] = usual.day.isoformat()
    proposed["policy_key"] = usual.policy.key
    return proposed, usual


class Part(NamedTuple):
    """A group of a long form's fields. key: the part's own address on the page, “format” where the fields are those
    that go with the format."""

    key: str
    title: Any
    fields: list[forms.BoundField]


class FormatForm(ServiceForm):
    """The format of an event, the day whose lists count, and the policy. proposed_for: the format that the last two
    were proposed with."""

    GROUP = ("proposed_for", "format", "format_on", "policy_key")
    PARTS: tuple[tuple[str, Any, tuple[str, ...]], ...] = ()  # the groups of a page: key, title, names
    AFTER: tuple[str, ...] = ()  # what a page shows below all of them
    usual: Usual | None = None

    proposed_for = forms.CharField(required=False, widget=forms.HiddenInput)
    format = forms.ChoiceField(label=gettext_lazy("Format"))
    format_on = forms.DateField(
        label=gettext_lazy("Legality date"),
        help_text=gettext_lazy("We use the banned and restricted list in effect on this date."),
        widget=DATE,
    )
    policy_key = forms.ChoiceField(
        label=gettext_lazy("Policy"),
        help_text=gettext_lazy("Points, rounds and tie-breakers. Fixed once round 1 is paired."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].choices = [(key, one.title) for key, one in deck_selectors.formats().items()]  # type: ignore[attr-defined]
        self.fields["policy_key"].choices = [(key, _(one.title)) for key, one in policies().items()]  # type: ignore[attr-defined]

    def _say_why_not_today(self) -> None:
        """Where the usual day is not today, the form says why."""
        format = deck_selectors.formats().get(self["format"].value() or settings.DEFAULT_FORMAT)
        if format is None or (day := usual_day(format)) == localdate():
            return
        why = _("%(format)s usually goes by %(day)s: a different list applies today.")
        words = {"format": format.title, "day": date_format(day, "j F Y")}
        self.fields["format_on"].help_text = f"{self.base_fields['format_on'].help_text} {why % words}"

    def parts(self) -> list[Part]:
        """The fields in their groups, without a group of which there is no field."""
        held = [
            Part(key, title, [self[name] for name in names if name in self.fields])
            for key, title, names in self.PARTS
        ]
        return [part for part in held if part.fields]

    def group(self) -> list[forms.BoundField]:
        self._say_why_not_today()
        return [self[name] for name in self.GROUP]

    def after(self) -> list[forms.BoundField]:
        return [self[name] for name in self.AFTER if name in self.fields]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        data.pop("proposed_for", None)
        return data


class AboutForm(FormatForm):
    """What an event tells people first."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    starts_on = forms.DateField(label=gettext_lazy("Day"), widget=DATE)
    start = forms.CharField(
        label=gettext_lazy("Start"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("In your own words, for example: check-in from 9:30, round 1 at 10:00."),
    )
    venue = forms.CharField(label=gettext_lazy("Venue"), required=False, max_length=200)
    fee = forms.CharField(
        label=gettext_lazy("Entry fee"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("In your own words, for example: 5 €, free for juniors."),
    )


class RoundsForm(AboutForm):
    """How many rounds, on one day or two. `data["two_days"]`: as `event_create` takes it."""

    planned_rounds = forms.IntegerField(
        label=gettext_lazy("Rounds"),
        required=False,
        help_text=gettext_lazy("If empty, the policy’s table decides by attendance."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    first_day_rounds = forms.IntegerField(
        label=gettext_lazy("Rounds on the first of two days"),
        required=False,
        min_value=0,
        max_value=29,
        help_text=gettext_lazy("0 for one day. If empty, the policy decides; usually there is one."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    second_day_players = forms.CharField(
        label=gettext_lazy("Who plays the second day"),
        required=False,
        max_length=20,
        help_text=gettext_lazy(
            "32, or “32 + ties” to include everyone tied with the last. The event gets a policy of its own, "
            "which you can edit."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if "first_day_rounds" in self.fields:
            data["two_days"] = self._two_days(
                data.pop("first_day_rounds", None), data.pop("second_day_players", "")
            )
        return data

    def _two_days(self, rounds: int | None, players: str) -> dict[str, int | bool] | None:
        """What the two fields say together; None as the policy says."""
        if rounds is None and not players:
            return None
        if rounds == 0:
            return {"rounds": 0}
        if not players or rounds is None:
            if not self.errors:
                empty = "first_day_rounds" if rounds is None else "second_day_players"
                self.add_error(
                    empty, _("Two days need both: the first day’s rounds, and who plays the second.")
                )
            return None
        law = cut_typed(self, players, "second_day_players")
        if law is not None and not law.get("places"):
            self.add_error("second_day_players", _("Say how many players, for example 32 or “32 + ties”."))
            return None
        return law and {"rounds": rounds, **law}


def days_typed(law: TwoDays) -> dict[str, Any]:
    """The first day as one types it in a `RoundsForm`; nothing where the cut is by points, which has no field there."""
    if law.points:
        return {}
    players = policy_files.cut_words(CutRule(law.places, law.ties)) if law.rounds else ""
    return {"first_day_rounds": law.rounds or None, "second_day_players": players}


class EventForm(RoundsForm):
    PARTS = (
        ("about", gettext_lazy("The event"), ("name", "starts_on", "start", "venue", "fee", "capacity")),
        ("format", gettext_lazy("Format and policy"), FormatForm.GROUP),
    )
    AFTER = (
        "planned_rounds",
        "first_day_rounds",
        "second_day_players",
        "cut",
        "bracket_kind",
        "timezone",
        "slug",
    )
    capacity = forms.IntegerField(
        label=gettext_lazy("Player cap"),
        required=False,
        help_text=gettext_lazy("Later registrations join a waiting list, in order. If empty: no limit."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    cut = forms.CharField(
        label=gettext_lazy("Who advances"),
        required=False,
        max_length=20,
        help_text=gettext_lazy(
            "none, 8, “8 + ties” or x-2 for at most two losses. If empty, the policy’s table decides "
            "by attendance."
        ),
    )
    bracket_kind = forms.ChoiceField(label=gettext_lazy("Bracket"), required=False, choices=BRACKETS)
    timezone = ZoneField(initial="UTC")
    slug = forms.CharField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=50,
        help_text=gettext_lazy(
            "The last part of the event’s link, for example kingsport-2026. If empty, it is made from "
            "the name."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = deck_selectors.format_of(settings.DEFAULT_FORMAT)
        self.fields["proposed_for"].initial = self.fields["format"].initial = usual.key
        self.fields["policy_key"].initial = usual_policy(usual).key
        self.fields["format_on"].initial = usual_day(usual)
        self.fields["starts_on"].initial = localdate

    def has_rest(self) -> bool:
        """Whether something there was typed, and shows."""
        return self.is_bound and any(self[name].errors or self.data.get(name) for name in self.AFTER)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("slug") and data.get("name") and data.get("starts_on"):
            made, year = slugify(data["name"])[:39].strip("-") or "event", str(data["starts_on"].year)
            data["slug"] = made if year in made.split("-") else f"{made}-{year}"
        if "cut" in data:
            data["cut"] = cut_typed(self, data["cut"])
        return data


class CutForm(ServiceForm):
    """Who plays on and how, as an event announces it. reason: asked for once round 1 is published."""

    cut = forms.CharField(
        label=gettext_lazy("Who advances"),
        required=False,
        max_length=20,
        help_text=gettext_lazy(
            "none, 8, “8 + ties” to include everyone tied with the last, x-2 for at most two losses."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    bracket_kind = forms.ChoiceField(label=gettext_lazy("Bracket"), required=False, choices=BRACKETS)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=300,
        help_text=gettext_lazy("Everyone can read it."),
    )

    def __init__(self, *args: Any, running: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["cut"].required = self.fields["reason"].required = running
        if not running:
            del self.fields["reason"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if "cut" in data:
            data["cut"] = cut_typed(self, data["cut"])
        return data


def cut_typed(form: ServiceForm, said: str, field: str = "cut") -> dict[str, int | bool] | None:
    """The plain form of a cut as typed; None where nothing was."""
    try:
        return policy_files.cut_of_words(said) if said else None
    except UserError as error:
        form.add_error(field, f"{error.message} {error.remedy}")
        return None


class RegisterForm(ListForm):
    deck = forms.ChoiceField(label=gettext_lazy("One of my decks"), required=False, widget=forms.RadioSelect)
    name = forms.CharField(label=gettext_lazy("Deck name"), required=False, max_length=120)

    def __init__(self, *args: Any, decks: list[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(str(deck.pk), deck.name) for deck in decks]
        self.fields["deck"].choices = [*known, ("", _("A new decklist"))]  # type: ignore[attr-defined]
        self.fields["deck"].initial = known[0][0] if known else ""


class PaperListForm(ListForm):
    """A decklist on paper, typed by event staff. override: why it is taken as it is."""

    override = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=300,
        help_text=gettext_lazy("Only for an illegal list, or once decklists are locked."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, auto_id="paper_%s", **kwargs)


class PlayerForm(ServiceForm):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    club = forms.CharField(label=gettext_lazy("Club"), required=False, max_length=80)
    pronouns = forms.CharField(label=gettext_lazy("Pronouns"), required=False, max_length=40)
    account = forms.CharField(
        label=gettext_lazy("User name"),
        required=False,
        max_length=40,
        help_text=gettext_lazy(
            "If the player has one. We ask the account whether this is them; until it accepts, they are a player "
            "without an account."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    missed = forms.ChoiceField(
        label=gettext_lazy("Rounds already published"),
        required=False,
        choices=[
            ("", gettext_lazy("count as the policy says")),
            ("losses", gettext_lazy("count as lost")),
            ("byes", gettext_lazy("count as byes")),
            ("nothing", gettext_lazy("do not count at all")),
        ],
    )
    missed_reason = forms.CharField(
        label=gettext_lazy("Why"),
        required=False,
        max_length=300,
        help_text=gettext_lazy("Required for byes and exceptions to the policy. Everyone can read it."),
    )

    def __init__(self, *args: Any, late: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not late:
            del self.fields["missed"], self.fields["missed_reason"]


class ReasonForm(ServiceForm):
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=300)


class DecideForm(ReasonForm):
    outcome = forms.ChoiceField(label=gettext_lazy("Result"), widget=forms.RadioSelect)
    games = forms.CharField(
        label=gettext_lazy("Games"),
        required=False,
        max_length=12,
        help_text=gettext_lazy("Games won by the first player, by the second, and drawn: 2-1 or 1-1-1."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    how = forms.ChoiceField(
        label=gettext_lazy("How"),
        required=False,
        choices=[
            ("played", gettext_lazy("Played")),
            ("agreed", gettext_lazy("A draw agreed without playing")),
            ("conceded", gettext_lazy("Conceded")),
            ("no-show", gettext_lazy("The loser was absent")),
        ],
    )

    field_order = ["outcome", "games", "how", "reason"]

    def __init__(self, *args: Any, choices: list[tuple[str, str]], counts_games: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["outcome"].choices = choices  # type: ignore[attr-defined]
        if not counts_games:
            del self.fields["games"]

    def clean_games(self) -> list[int] | None:
        said = self.cleaned_data["games"].strip()
        return games_of(said) if said else None

    def clean_how(self) -> str:
        return self.cleaned_data["how"] or "played"


def games_of(said: str) -> list[int]:
    """[won, lost, drawn] from what was typed: 2-1 or 1-1-1."""
    counted = said.replace("\u2013", "-").replace(":", "-").split("-")
    if not 2 <= len(counted) <= 3 or not all(part.strip().isdecimal() and len(part) < 4 for part in counted):
        raise forms.ValidationError(_("Write the games as 2-1 or 1-1-1."))
    return [*map(int, counted), 0][:3]


class ExtensionForm(ServiceForm):
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes"), widget=forms.TextInput(attrs={"inputmode": "numeric"}), initial=3
    )
    cause = forms.ChoiceField(
        label=gettext_lazy("For"),
        choices=[
            ("judge-call", gettext_lazy("a judge call")),
            ("deck-check", gettext_lazy("a deck check")),
            ("other", gettext_lazy("something else")),
        ],
    )
    reason = forms.CharField(label=gettext_lazy("Note"), required=False, max_length=300)


class SlipForm(ServiceForm):
    """A slip by keyboard: table, result, Enter."""

    CODES = {"1": "win", "2": "loss", "0": "draw", "1t": "timed-win", "2t": "timed-loss", "x": "double-loss"}

    table = forms.IntegerField(
        label=gettext_lazy("Table"),
        min_value=1,
        max_value=9_999,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "autofocus": True, "autocomplete": "off", "size": 4}
        ),
    )
    result = forms.CharField(
        label=gettext_lazy("Result"),
        max_length=8,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "size": 6}),
    )

    def clean_result(self) -> dict[str, Any]:
        """{outcome, games}, from side 1: a code, or games such as 2-1 or 1-1-1."""
        said = self.cleaned_data["result"].strip().lower()
        if said in self.CODES:
            return {"outcome": self.CODES[said], "games": None}
        try:
            won, lost, drawn = games_of(said)
        except forms.ValidationError:
            raise forms.ValidationError(_("Write 1, 2, 0, 1t, 2t or x, or the games, such as 2-1.")) from None
        return {
            "outcome": "win" if won > lost else "loss" if lost > won else "draw",
            "games": [won, lost, drawn],
        }


class ArrangeForm(ServiceForm):
    """Who sees lists, until when; and one field for each rule of the format that is uncertain, or changed here."""

    visibility = forms.ChoiceField(
        label=gettext_lazy("Who can see decklists"),
        widget=forms.RadioSelect,
        choices=[
            ("private", gettext_lazy("Players see their own; event staff see all once they are locked")),
            ("staff", gettext_lazy("Players see their own; event staff always see all")),
            ("open", gettext_lazy("Everyone, once they are locked")),
            ("cut", gettext_lazy("Event staff; everyone when the Swiss rounds are over")),
        ],
    )
    due = forms.DateTimeField(
        label=gettext_lazy("Decklist deadline"),
        required=False,
        help_text=gettext_lazy("In the venue’s time zone. If empty: until round 1 is paired."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"],
    )
    list = forms.ChoiceField(label=gettext_lazy("Banned and restricted list"), required=False)

    def __init__(self, *args: Any, law: Any, changes: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lists = [(key, one.title) for key, one in law.lists.items()]
        self.fields["list"].choices = [("", _("The one in effect on the legality date")), *lists]  # type: ignore[attr-defined]
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
                    ("number", _("With a different number")),
                ],
            )
            number = forms.IntegerField(
                label=_("Number allowed"), required=False, min_value=0, max_value=9_999,
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
        label=gettext_lazy("Cards I counted"),
        required=False,
        strip=False,
        help_text=gettext_lazy(
            "Only if the deck differs from the decklist: the whole deck, one card per line."
        ),
        widget=forms.Textarea(attrs={"class": "code", "spellcheck": "false", "rows": 14}),
    )
    note = forms.CharField(label=gettext_lazy("Note"), required=False, max_length=300)
