"""Forms: they give shape to what a person typed; services decide.

May import selectors and everything below them. Start reading at `events`.
"""
