"""Append events to the log, sign it, verify it and export it; nothing else writes events.

`log.py` writes, `verify.py` verifies, `heads.py` signs, `export.py` exports; what happens to
documents arrives as signals (`receivers.py`).
"""
