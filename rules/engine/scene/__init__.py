"""One scenario made concrete: its objects, its facts, who listens, and the moves that were stated.

May import `base`, `language` and `definitions`. Start reading at `scene.Scene`.
"""
