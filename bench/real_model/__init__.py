"""A real language model, served here, that writes and judges answers on the sample guidelines.

`server.py` is its program, `serving.py` starts it; `asking.py` asks and `telling.py` reports.
"""
