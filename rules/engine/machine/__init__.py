"""One position and how it goes on: state, occurrences, targets, who may use what, and the interpreter.

May import every room from `scene` down. Start reading at `interpreter`.
"""
