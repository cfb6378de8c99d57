"""Hold the state of a question (`run.py`: `AnswerRun`) and the steps that `chat/ask.py` names.

Reader, gate, generation and verification have packages of their own. To add a progress event:
`events.py`, its `tell` in a step of `chat/ask.py`, its frame in `chat/streams.py`, a row of
`docs/api.md`, tests in `tests/chat/api/`.
"""
