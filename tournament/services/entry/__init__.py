"""Joining an event: registration, check-in, decklists.

May import selectors and other services. Start reading at `registration`.
"""
