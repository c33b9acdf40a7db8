"""Forms that pass their data to a service and show the service's error next to the field it is about."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms

from config.errors import Forbidden, NotFound, UserError


class ServiceForm(forms.Form):
    """`problem` is the service's refusal, unless it names one of the form's fields: then it stands there."""

    problem: UserError | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Hold the UserError that the block raises; a block that may not be entered at all stays an error page."""
        try:
            yield
        except (Forbidden, NotFound):
            raise
        except UserError as error:
            if error.place in self.fields:
                self.add_error(error.place, f"{error.message} {error.remedy}".strip())
                self.problem_status = error.status
            else:
                self.problem = error

    def checked(self) -> dict[str, Any]:
        """What was sent, in its shape. Raises UserError with the first field that has not."""
        if self.is_valid():
            return self.cleaned_data
        place, messages = next(iter(self.errors.items()))
        raise UserError("invalid", str(messages[0]), place=place)

    problem_status = 400

    @property
    def status(self) -> int:
        """The HTTP status of a page that shows this form."""
        if self.problem is not None:
            return self.problem.status
        return self.problem_status if self.is_bound and self.errors else 200
