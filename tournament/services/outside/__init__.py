"""Exchange with the outside: imported event files, webhooks, alerts.

May import selectors and other services. Start reading at `imports`.
"""
