"""Card texts joined with the timing systems: words files read, what was understood held against the engine,
coverage.
"""
