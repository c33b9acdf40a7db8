"""Values and errors that every other room of the engine speaks in.

May import nothing of the engine. Start reading at `facts`, then `messages`.
"""
