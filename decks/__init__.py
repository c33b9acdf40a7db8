"""Decks: the lists people write, the formats that judge them, and the dated lists of banned and restricted cards.

May import `rules` and `config`; knows no tournament. Start reading at `decks.legality`, then `decks.judging.judgement`.
"""
