"""Forms of series."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import UserError
from config.forms import ServiceForm
from tournament.swiss.seasons import Scale

_STEP = re.compile(r"\s*(?:(\d{1,6})\s*[-–]\s*)?(\d{1,6})\s*:\s*(\d{1,7})\s*")
USUAL = "1: 20\n2: 15\n3-4: 10\n5-8: 6\n9-16: 3"


def steps_of_words(said: str) -> tuple[tuple[int, int], ...]:
    """((up to this place, points), ...) from lines such as `1: 20` and `3-4: 10`. Raises UserError at `steps`."""
    steps: list[tuple[int, int]] = []
    for line in filter(None, map(str.strip, re.split(r"[\n,;]", said))):
        match = _STEP.fullmatch(line)
        if match is None:
            raise UserError(
                "invalid",
                _("We can’t read “%(line)s”.") % {"line": line[:40]},
                place="steps",
                remedy=_("Write places and points, such as 1: 20 or 3-4: 10."),
            )
        first, last = int(match[1] or match[2]), int(match[2])
        wanted = (steps[-1][0] if steps else 0) + 1
        if first != wanted or last < first:
            raise UserError(
                "invalid",
                _("“%(line)s” should begin with place %(place)s.") % {"line": line[:40], "place": wanted},
                place="steps",
                remedy=_("Name each place once, from the first on."),
            )
        steps.append((last, int(match[3])))
    return tuple(steps)


def words_of_steps(scale: Scale) -> str:
    """The other way round."""
    lines, first = [], 1
    for last, points in scale.steps:
        lines.append(f"{first}-{last}: {points}" if last > first else f"{last}: {points}")
        first = last + 1
    return "\n".join(lines)


class SeriesForm(ServiceForm):
    """Cleaned: name, slug and scale. `slug` is asked for once, when the series is made."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    steps = forms.CharField(
        label=gettext_lazy("Points for places"),
        help_text=gettext_lazy("One line per step, such as 1: 20 or 3-4: 10."),
        initial=USUAL,
        widget=forms.Textarea(attrs={"rows": 6, "class": "short"}),
    )
    others = forms.IntegerField(
        label=gettext_lazy("Points for everyone else"),
        initial=1,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    best = forms.IntegerField(
        label=gettext_lazy("Best results that count"),
        required=False,
        help_text=gettext_lazy("If empty, all of a player’s results count."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    slug = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=50,
        help_text=gettext_lazy("The last part of the link, for example kingsport-2026."),
    )

    def __init__(self, *args: Any, new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not new:
            del self.fields["slug"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        with self.catching():
            if "steps" in data and "others" in data:
                data["scale"] = Scale(
                    steps_of_words(data.pop("steps")), data.pop("others"), data.pop("best", None)
                )
        return data
