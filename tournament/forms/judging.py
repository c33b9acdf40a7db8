"""Forms for judges."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from config.forms import ServiceForm
from tournament.policy.model import PenaltyLevel
from tournament.selectors.penalties import Suggestion
from tournament.words import SUBJECT_WORDS


class PenaltyForm(ServiceForm):
    """The suggestion stands in the list beside each infraction: no script is needed to see it."""

    infraction = forms.ChoiceField(
        label=gettext_lazy("Infraction"),
        help_text=gettext_lazy("Next to each: the penalty for this player now."),
    )
    note = forms.CharField(
        label=gettext_lazy("What happened"),
        required=False,
        help_text=gettext_lazy("The player and event staff can read it."),
        widget=forms.Textarea(attrs={"rows": 3, "class": "short"}),
    )
    level = forms.ChoiceField(label=gettext_lazy("Penalty"), required=False)
    reason = forms.CharField(
        label=gettext_lazy("Reason for deviating from the suggested penalty"), required=False, max_length=300
    )

    def __init__(
        self,
        *args: Any,
        groups: Sequence[tuple[str, Sequence[Suggestion]]],
        levels: Sequence[PenaltyLevel],
        deviate: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        named = [(_(title), [(one.infraction.key, _words(one)) for one in found]) for title, found in groups]
        self.fields["infraction"].choices = [("", _("Choose …")), *named]  # type: ignore[attr-defined]
        if deviate:
            self.fields["level"].choices = [  # type: ignore[attr-defined]
                ("", _("As suggested")),
                ("none", _("No penalty")),
                *((one.key, _(one.title)) for one in levels),
            ]
        else:
            del self.fields["level"], self.fields["reason"]


def _words(one: Suggestion) -> str:
    level = _(one.level.title) if one.level else _("no penalty")
    if one.earlier:
        times = _("offense no. %(n)s") % {"n": one.earlier + 1}
        return f"{_(one.infraction.title)}: {level} ({times})"
    return f"{_(one.infraction.title)}: {level}"


class CallForm(ServiceForm):
    """A judge is called to a table by the staff."""

    table = forms.IntegerField(
        label=gettext_lazy("Table"), widget=forms.TextInput(attrs={"inputmode": "numeric"})
    )
    subject = forms.ChoiceField(label=gettext_lazy("About"), choices=list(SUBJECT_WORDS.items()))
    words = forms.CharField(label=gettext_lazy("In a few words"), required=False, max_length=200)


class CallDoneForm(ServiceForm):
    """lost: the minutes of the round that the call cost the table; None: no match is played there. alone: a player
    called who sat at no table."""

    outcome = forms.CharField(
        label=gettext_lazy("Outcome"),
        max_length=1000,
        help_text=gettext_lazy(
            "Both players can read this. After a private question, only the player who called can."
        ),
        widget=forms.Textarea(attrs={"rows": 3, "class": "short"}),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Time extension (minutes)"),
        required=False,
        min_value=0,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )

    def __init__(self, *args: Any, lost: int | None, alone: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if alone:
            self.fields["outcome"].help_text = _("The player who called can read this.")
        if lost is None:
            del self.fields["minutes"]
            return
        self.fields["minutes"].initial = lost or ""
        self.fields["minutes"].help_text = (
            ngettext(
                "%(n)s minute of the round has passed since the call.",
                "%(n)s minutes of the round have passed since the call.",
                lost,
            )
            % {"n": lost}
            if lost
            else _("So far, this call has cost the table at most a minute of the round.")
        )

    def told(self) -> dict[str, Any]:
        return {"outcome": self.cleaned_data["outcome"], "minutes": self.cleaned_data.get("minutes") or 0}
