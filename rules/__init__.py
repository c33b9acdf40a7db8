"""Rules: disputes, the engine that answers them, rulings and precedents.

May import `config`; knows neither decks nor tournaments. Start reading at `rules.scenarios`, which take a scenario to
the engine, or at `rules.services`, the verbs.
"""
