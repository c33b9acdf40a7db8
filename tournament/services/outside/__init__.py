"""The world outside: files of events that are imported, and programs that are notified.

May import selectors and other services. Start reading at `imports`.
"""
