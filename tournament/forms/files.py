"""Forms that take a file or a pasted text."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import UserError
from config.forms import ServiceForm
from tournament.files.encoding import text_of
from tournament.selectors.policies import SINGLE_GAME, policies


class TextOrFileForm(ServiceForm):
    file = forms.FileField(label=gettext_lazy("File"), required=False)
    most_bytes = settings.UPLOAD_MAX_BYTES
    guessed = ""  # the code page it was read by, if it was no UTF-8

    def text(self) -> str:
        """What was sent. Raises UserError `no-text`, `too-large`."""
        upload: Any = self.cleaned_data["file"]
        if upload is None:
            if not (typed := self.cleaned_data.get("pasted", "")).strip():
                raise UserError("no-text", _("Choose a file."), place="file")
            return str(typed)
        if upload.size > self.most_bytes:
            most = {"most": f"{self.most_bytes:,}"}
            raise UserError(
                "too-large", _("The file is larger than %(most)s bytes.") % most, place="file", status=413
            )
        upload.seek(0)
        text, self.guessed = text_of(upload.read())
        return text


class EventFileForm(TextOrFileForm):
    slug = forms.CharField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=50,
        help_text=gettext_lazy("The last part of the event’s link. If empty: as in the file."),
    )
    policy_key = forms.ChoiceField(
        label=gettext_lazy("Policy of a report file (TRF, NRTM)"),
        required=False,
        help_text=gettext_lazy("These files contain results but not how many points they are worth."),
    )
    most_bytes = settings.EVENT_FILE_MAX_BYTES

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = True
        known = [(key, one.title) for key, one in policies().items()]
        self.fields["policy_key"].choices = known  # type: ignore[attr-defined]
        self.fields["policy_key"].initial = SINGLE_GAME


class NamesForm(TextOrFileForm):
    pasted = forms.CharField(
        label=gettext_lazy("Names"),
        required=False,
        strip=False,
        help_text=gettext_lazy(
            "One name per line; or name, club and pronouns separated by commas, semicolons or tabs, as "
            "copied from a spreadsheet; or a file from another program (TRF, NRTM)."
        ),
        widget=forms.Textarea(attrs={"rows": 12, "class": "code", "spellcheck": "false"}),
    )

    field_order = ["pasted", "file"]
