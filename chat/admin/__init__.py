"""The administration for auditors and reviewers.

Nobody can add, change or delete a turn, event or feedback here.

Django imports this module.
"""

from chat.admin import calibrations, events, feedback, reviews, turns  # noqa: F401
