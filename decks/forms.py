"""Forms for decklists. They check shapes only; services decide."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import format_lazy, slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import UserError
from config.forms import ServiceForm
from decks import selectors
from decks.law.house import House
from decks.lists import EXTENSIONS


class ListForm(ServiceForm):
    """A deck list, pasted or as a file; the file wins."""

    text = forms.CharField(
        label=gettext_lazy("Decklist"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "class": "code",
                "spellcheck": "false",
                "autocapitalize": "off",
                "autocomplete": "off",
                "rows": 16,
            }
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file"),
        required=False,
        allow_empty_file=True,
        help_text=format_lazy(
            gettext_lazy("Text, or a file: {kinds}; up to 1 MB."), kinds=", ".join(EXTENSIONS)
        ),
    )

    def clean_file(self) -> UploadedFile | None:
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > settings.UPLOAD_MAX_BYTES:
            raise forms.ValidationError(
                _("This file is larger than 1 MB, so it isn’t a decklist. Choose another file.")
            )
        return file

    @property
    def has_list(self) -> bool:
        return bool(self.cleaned_data.get("file") or self.cleaned_data.get("text", "").strip())

    def given(self) -> dict[str, Any]:
        """The list as the services want it: `source` as bytes or text, and `filename`."""
        file: UploadedFile | None = self.cleaned_data.get("file")
        if file is not None:
            return {"source": file.read(), "filename": file.name or ""}
        return {"source": self.cleaned_data.get("text", ""), "filename": ""}


class CheckForm(ListForm):
    """A deck list and the format that judges it, on a day if one is named."""

    format = forms.ChoiceField(label=gettext_lazy("Format"))
    on = forms.DateField(
        label=gettext_lazy("Legality date"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy("Leave it empty for the latest lists."),
    )

    field_order = ["format", "on", "text", "file"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].choices = [  # type: ignore[attr-defined]
            (key, format.title) for key, format in selectors.formats().items()
        ]
        self.fields["format"].initial = settings.DEFAULT_FORMAT


class DeckForm(CheckForm):
    name = forms.CharField(label=gettext_lazy("Deck name"), max_length=120)
    on = None  # type: ignore[assignment]  # a deck that is kept is judged by its event's day

    field_order = ["name", "format", "text", "file"]


class FormatForm(ServiceForm):
    text = forms.CharField(
        label=gettext_lazy("Format file"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"class": "code", "spellcheck": "false", "autocomplete": "off", "rows": 30}
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload it"), required=False
    )  # its content is put into the text
    note = forms.CharField(label=gettext_lazy("What changed"), required=False, max_length=200)

    @property
    def text_given(self) -> str:
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")


_CARDS = {"class": "code", "spellcheck": "false", "autocomplete": "off", "rows": 8}


class HouseForm(ServiceForm):
    """A house format field by field: sizes, copies, the cards of a list, and from which day it holds."""

    title = forms.CharField(label=gettext_lazy("Format name"), max_length=100)
    since = forms.DateField(
        label=gettext_lazy("In effect from"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    copies = forms.IntegerField(label=gettext_lazy("Maximum copies of one card"), min_value=1, max_value=999)
    banned = forms.CharField(
        label=gettext_lazy("Banned cards"),
        required=False,
        widget=forms.Textarea(attrs=_CARDS),
        help_text=gettext_lazy("One title per line. No copies are allowed."),
    )
    restricted = forms.CharField(
        label=gettext_lazy("Restricted cards"),
        required=False,
        widget=forms.Textarea(attrs=_CARDS),
        help_text=gettext_lazy("One title per line."),
    )
    restricted_most = forms.IntegerField(
        label=gettext_lazy("Maximum restricted titles in a deck"), min_value=1, max_value=99, initial=1
    )
    limits = forms.CharField(
        label=gettext_lazy("Cards with their own limit"),
        required=False,
        widget=forms.Textarea(attrs=_CARDS | {"rows": 4}),
        help_text=gettext_lazy("One per line, for example “Dynamite: 1” for at most one copy."),
    )
    points = forms.CharField(
        label=gettext_lazy("Cards with points"),
        required=False,
        widget=forms.Textarea(attrs=_CARDS | {"rows": 4}),
        help_text=gettext_lazy("One per line, for example “Dynamite: 3” for three points per copy."),
    )
    points_most = forms.IntegerField(
        label=gettext_lazy("Maximum points in a deck"), min_value=0, max_value=9_999, initial=0
    )

    def __init__(self, *args: Any, sections: list[dict[str, Any]], house: House, **kwargs: Any) -> None:
        kwargs["initial"] = {
            "title": house.title,
            "since": house.since,
            "copies": house.copies,
            "banned": "\n".join(house.banned),
            "restricted": "\n".join(house.restricted),
            "restricted_most": house.restricted_most,
            "limits": _numbered(house.limits),
            "points": _numbered(house.points),
            "points_most": house.points_most,
        } | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
        self.sections = sections
        for section in sections:
            least, most = house.sizes[section["key"]]
            for word, label, number in (
                ("least", _("%(part)s: minimum cards"), least),
                ("most", _("%(part)s: maximum cards"), most),
            ):
                self.fields[f"{word}-{section['key']}"] = forms.IntegerField(
                    label=label % {"part": str(section["title"]).capitalize()},
                    required=False,
                    min_value=0,
                    max_value=9_999,
                    initial=number,
                )

    SELDOM = ("limits", "points", "points_most")

    def pairs(self) -> Iterator[tuple[str, Any, Any]]:
        """(its title, the field of the least size, that of the largest) of each part of the deck."""
        for section in self.sections:
            title = str(section["title"])
            yield title, self[f"least-{section['key']}"], self[f"most-{section['key']}"]

    def has_seldom(self) -> bool:
        """Whether something stands in the fields that few formats need, or is wrong there."""
        return any(self[name].errors or self[name].value() not in (None, "", 0, "0") for name in self.SELDOM)

    def house(self, key: str) -> House:
        """What the form says. Raises UserError with the field and the line."""
        said = self.cleaned_data
        return House(
            key=key or slugify(said["title"])[:40] or "house",
            title=said["title"],
            since=said["since"],
            copies=said["copies"],
            sizes={
                one["key"]: (said[f"least-{one['key']}"], said[f"most-{one['key']}"]) for one in self.sections
            },
            banned=_titles(said["banned"]),
            restricted=_titles(said["restricted"]),
            restricted_most=said["restricted_most"],
            limits=_numbers(said["limits"], "limits"),
            points=_numbers(said["points"], "points"),
            points_most=said["points_most"],
        )


def _numbered(numbers: Mapping[str, int]) -> str:
    return "\n".join(f"{title}: {number}" for title, number in numbers.items())


def _titles(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(line.split()) for line in text.splitlines() if line.strip()))


def _numbers(text: str, field: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        title, _colon, count = line.rpartition(":")
        if not title.strip() or not count.strip().isdecimal() or len(count.strip()) > 4:
            raise UserError(
                "bad-line",
                _("Line %(line)s isn’t written as “Title: number”.") % {"line": number},
                place=field,
                remedy=_("Put a colon and a whole number after the title."),
            )
        found[" ".join(title.split())] = int(count)
    return found


class CatalogForm(ServiceForm):
    game = forms.CharField(
        label=gettext_lazy("Game"),
        max_length=50,
        help_text=gettext_lazy("Its key, such as coc-lcg or arkham."),
        widget=forms.TextInput(attrs={"list": "games", "autocomplete": "off"}),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "An OCTGN set, an ArkhamDB pack or taboo list, a CSV, or a zip archive of them. "
            "A worker reads the card texts in it."
        ),
    )
    complete = forms.BooleanField(
        label=gettext_lazy("The game has no other cards"),
        required=False,
        help_text=gettext_lazy("If ticked, an unknown card name is illegal, not unverified."),
    )
