"""Rows held while a service works, so that people acting at once take turns.

What must never happen is refused by a database constraint; a lock only spares people the refusal.
"""

from tournament.models import Event


def lock_event(event: Event) -> Event:
    """The event's row, held until the transaction ends: entering, dropping and pairing take turns.

    On SQLite the transaction itself is the lock (IMMEDIATE).
    """
    return Event.objects.select_for_update().get(pk=event.pk)
