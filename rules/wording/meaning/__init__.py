"""From the tree of meaning to the data language: what a hand would have written in the library.

May import what `rules.wording` may. Start reading at `draft`, then `abilities`.
"""
