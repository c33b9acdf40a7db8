"""The account of one line of play: its trace, and what things are called in it.

May import every room from `scene` down. Start reading at `trace`.
"""
