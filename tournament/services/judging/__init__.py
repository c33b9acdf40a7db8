"""Judges' work: calls, rulings, penalties, deck checks, remarks.

May import selectors and other services. Start reading at `calls`.
"""
