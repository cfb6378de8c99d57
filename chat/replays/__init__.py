"""Run a stored turn again, and list every difference and how the documents have changed.

Nothing is stored by a replay.
"""
