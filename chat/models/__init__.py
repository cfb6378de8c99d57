"""Models of conversations, the log, reviews and calibrations, a module for each kind of table."""

from chat.models.answers import (
    ENDED,
    REMOVED,
    WANT_OF_EVIDENCE,
    Channel,
    Citation,
    Claim,
    ClaimKind,
    Conversation,
    Mode,
    Reason,
    Scope,
    Turn,
    TurnStatus,
)
from chat.models.calibration import CalibrationRecord
from chat.models.directory import DirectoryAccount, DirectoryState
from chat.models.experiments import Arm, Experiment
from chat.models.log import AuditEvent, AuditHead, LogForward
from chat.models.reviews import (
    ClaimLabel,
    Feedback,
    Flag,
    Review,
    ReviewState,
    SupportLabel,
    Verdict,
)
from chat.models.tokens import SpentToken, TokenCalls, TokenGrant

__all__ = [
    "ENDED",
    "REMOVED",
    "WANT_OF_EVIDENCE",
    "Arm",
    "AuditEvent",
    "AuditHead",
    "CalibrationRecord",
    "Channel",
    "Citation",
    "Claim",
    "ClaimKind",
    "ClaimLabel",
    "Conversation",
    "DirectoryAccount",
    "DirectoryState",
    "Experiment",
    "Feedback",
    "Flag",
    "LogForward",
    "Mode",
    "Reason",
    "Review",
    "ReviewState",
    "Scope",
    "SpentToken",
    "SupportLabel",
    "TokenCalls",
    "TokenGrant",
    "Turn",
    "TurnStatus",
    "Verdict",
]
