"""What people look up: charts as pictures, who cites a rule, a system's vocabulary, and situations to begin with.

May import scenarios and everything below them, never a model or a page. Start reading at `charts`.
"""
