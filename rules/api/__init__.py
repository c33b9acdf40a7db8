"""The API of disputes, rulings and the engine. Views translate; services decide.

May import services, selectors and everything below them. Start reading at `urls`, then `views`.
"""
