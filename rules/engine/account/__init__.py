"""Facts and conditions as a person would say them.

May import every room from `machine` down. Start reading at `wording`.
"""
