"""Every legal line of play, as a graph of positions, and the questions asked of it.

May import every room from `narrowing` down. Start reading at `explore`.
"""
