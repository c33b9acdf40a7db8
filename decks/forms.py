"""Forms that take a list. They give shape to what was typed; services decide."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.forms import ServiceForm
from decks import selectors


class ListForm(ServiceForm):
    """A deck list, pasted or as a file; the file wins."""

    text = forms.CharField(
        label=gettext_lazy("List"),
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
        help_text=gettext_lazy("Text, .o8d, ArkhamDB JSON, .l5d, .dek, .cod; up to 1 MB."),
    )

    def clean_file(self) -> UploadedFile | None:
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > settings.UPLOAD_MAX_BYTES:
            raise forms.ValidationError(_("This file is larger than 1 MB; no deck list is. Choose another."))
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


class DeckForm(ListForm):
    name = forms.CharField(label=gettext_lazy("Name of the deck"), max_length=120)
    format = forms.ChoiceField(label=gettext_lazy("Format"))

    field_order = ["name", "format", "text", "file"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].choices = [  # type: ignore[attr-defined]
            (key, format.title) for key, format in selectors.formats().items()
        ]
        self.fields["format"].initial = settings.DEFAULT_FORMAT


class FormatForm(ServiceForm):
    text = forms.CharField(
        label=gettext_lazy("The format's file"),
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


class CatalogForm(ServiceForm):
    game = forms.CharField(
        label=gettext_lazy("Game"),
        max_length=50,
        help_text=gettext_lazy("Its key, such as coc-lcg or arkham."),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "An OCTGN set, an ArkhamDB pack or taboo list, a CSV, or a zip archive of them."
        ),
    )
    complete = forms.BooleanField(
        label=gettext_lazy("The game has no other cards"),
        required=False,
        help_text=gettext_lazy("Then a name that is missing is illegal, not unverified."),
    )
