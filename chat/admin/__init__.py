"""What an auditor reads, and where answers are reviewed.

No turn, event or feedback can be added, changed or deleted, by anybody.

Django looks for it here.
"""

from chat.admin.calibrations import CalibrationRecordAdmin
from chat.admin.events import AuditEventAdmin
from chat.admin.feedback import FeedbackAdmin
from chat.admin.read_only import ReadOnly, pretty
from chat.admin.reviews import ReviewAdmin
from chat.admin.turns import TurnAdmin

__all__ = [
    "AuditEventAdmin",
    "CalibrationRecordAdmin",
    "FeedbackAdmin",
    "ReadOnly",
    "ReviewAdmin",
    "TurnAdmin",
    "pretty",
]
