"""Decks: the decklists people write, the formats they must follow, and dated restriction lists.

May import `rules` and `config`; knows no tournament. Start reading at `decks.legality`, then `decks.judging.judgement`.
"""
