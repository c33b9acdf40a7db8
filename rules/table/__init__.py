"""The table: a situation while a person lays it out, plays it on and asks about it.

May import scenarios and everything below them, never a model or a page. Start reading at `draft`.
"""
