"""The API of decks, formats and card data. Views translate; services decide.

May import services, selectors and everything below them. Start reading at `urls`, then `views`.
"""
