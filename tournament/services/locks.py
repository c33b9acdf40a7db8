"""Locks the rows a service works on, so that people who act at once take turns.

What must never happen is refused by a database constraint; a lock only spares people the refusal.
"""

from tournament.models import Event


def lock_event(event: Event) -> Event:
    """The event's row, held until the transaction ends: entering, dropping and pairing take turns.

    Rows that only refer to the event (a report's row in the audit log) do not wait for it: they hold their match, and
    who holds the event may be waiting for that. On SQLite the transaction itself is the lock (IMMEDIATE).
    """
    return Event.objects.select_for_update(no_key=True).get(pk=event.pk)
