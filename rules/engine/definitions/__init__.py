"""What a timing system and a card are once compiled: frozen, every name resolved.

May import `base` and `language`. Start reading at `model`.
"""
