"""Formats: what a format file can say, how it is read and checked, and formats made on the site.

May import `legality` and `lists`, never a model. Start reading at `format_files`.
"""
