"""Forms: they check the shape of what a person typed; services decide.

May import selectors and everything below them. Start reading at `events`.
"""
