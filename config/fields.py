"""Model fields of our own."""

import json
from typing import Any

from django.db import models


class JSONText(models.TextField):
    """JSON kept as it was written: the order of keys is part of it, which a database's own JSON type need not keep."""

    _pyi_private_set_type: Any  # for the type checker, as django-stubs reads it
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False)

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj), ensure_ascii=False)
