"""The event: people, registration, rounds, results, standings, judge calls and what leaves the house.

May import `decks`, `rules` and `config`. Start reading at `tournament.services`, the verbs, and `tournament.swiss`.
"""
