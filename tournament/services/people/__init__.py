"""People: accounts, staff, bans, tokens, and erasing personal data.

May import selectors and other services. Start reading at `accounts`.
"""
