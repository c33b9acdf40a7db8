"""From a list to its report: what the reader left open is settled with the catalog, then the format's law applied.

May import `law` and `cards`, never a model. Start reading at `judgement`.
"""
