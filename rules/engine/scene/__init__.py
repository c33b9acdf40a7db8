"""One scenario made concrete: its objects, its facts, who listens, and the moves that were stated.

May import every room from `definitions` down. Start reading at `scene.Scene`.
"""
