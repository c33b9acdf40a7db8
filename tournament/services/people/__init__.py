"""People: accounts, staff, bans, tokens, and erasing what is kept about somebody.

May import selectors and other services. Start reading at `accounts`.
"""
