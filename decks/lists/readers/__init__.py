"""One module per kind of decklist. A new module is found automatically; nothing else names it.

It has `READS` (the kinds it reads), `RANK` (it is asked before those with a higher one), `recognises` and `read`, as
`decks.lists.registry.Reader` says. Start reading at `text`.
"""
