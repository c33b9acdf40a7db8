"""One position and how it goes on: state, occurrences, targets, who may use what, and the interpreter.

May import `base`, `language` and `definitions`. Start reading at `interpreter`.
"""
