"""Event files: whole events (`shape`), tables (`tables`), tournament report files (`trf`), names (`names`).

May import models and everything below them, never a selector. Start reading at `shape`.
"""
