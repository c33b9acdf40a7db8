"""The board (a *table* in the code): a situation that a person lays out, plays on and asks about.

May import scenarios and everything below them, never a model or a page. Start reading at `draft`.
"""
