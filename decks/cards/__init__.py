"""Card facts: the catalogs that ship with the project, and those an operator imports.

May import `legality` and `lists`, never a model. Start reading at `catalog_files`.
"""
