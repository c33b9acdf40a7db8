"""From a decklist to its report: resolve with the catalog what the reader left open, then apply the format's rules.

May import `law` and `cards`, never a model. Start reading at `judgement`.
"""
