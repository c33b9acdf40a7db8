"""The audit log: every service writes one row for what it did.

The row's model lives in the top app and is named in the settings, so that lower apps can write rows
without importing upwards (the same arrangement as the user model's).
"""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import models, transaction
from django.utils.module_loading import import_string

from config.logs import request_id


def audit(
    verb: str,
    *,
    actor: models.Model | None,
    target: models.Model,
    event: models.Model | None = None,
    reason: str = "",
    data: dict[str, Any] | None = None,
) -> None:
    """Append one row: who (`actor`, None = the service itself) did `verb` to `target`, in which event, why.

    `data` holds what changed as plain JSON. Must run inside the transaction of the change it records.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError(f"audit({verb!r}) outside the transaction it belongs to")
    row = apps.get_model(settings.AUDIT_MODEL).write(
        verb=verb,
        actor=actor,
        event=event,
        target_type=target._meta.label_lower,
        target_id=str(target.pk),
        reason=reason,
        data=data or {},
        request_id=request_id.get(),
    )
    import_string(settings.AUDIT_LISTENER)(row)
