"""What an auditor reads, and where answers are reviewed.

No turn, event or feedback can be added, changed or deleted, by anybody.

Django looks for it here.
"""

from chat.admin import calibrations, events, feedback, reviews, turns  # noqa: F401
