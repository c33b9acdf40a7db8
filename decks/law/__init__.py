"""Formats: what a format's file may say, how it is read and checked, and the formats an event makes for itself.

May import `legality` and `lists`, never a model. Start reading at `format_files`.
"""
