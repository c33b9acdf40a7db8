"""Timing systems as files: found, read, compiled and cached.

May import the engine, never a scenario or a model. Start reading at `system_files`.
"""
