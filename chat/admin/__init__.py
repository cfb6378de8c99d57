"""The administration for auditors and reviewers.

Nobody can add, change or delete a turn, event or feedback here.

Django imports this module.

Corpus staff see gaps and unhelpful answers here (`feedback.py`). To add a filter of past questions:
`filters.py`, its name in `turns.py`; a part of a turn's provenance: `chat/web/provenance.py`, its
fragment in `templates/admin/chat/turn/`; tests of both in `tests/chat/admin/`.
"""

from chat.admin import calibrations, events, feedback, reviews, turns  # noqa: F401
