"""Reference pages: timing charts, who cites a rule, a system's vocabulary, and situations to start from.

May import scenarios and everything below them, never a model or a page. Start reading at `charts`.
"""
