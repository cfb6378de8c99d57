"""Define what an answer has to pass, frozen, with a fingerprint that is stored with it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings

from chat.errors import QuestionError
from chat.models import Mode


@dataclass(frozen=True)
class AnswerConfig:
    """The policy for answers; docs/settings.md documents each setting."""

    mode: Mode = Mode.CONFIDENT_LITE
    confidence_threshold: float = 0.6
    timeout_s: float = 30.0
    omissions: str = "add"  # or warn, block, off
    conflicts: str = "warn"  # or block
    applicability: str = "warn"  # or block
    identifiers: str = "redact"  # or warn, block
    follow_ups: str = "rules"  # or llm, off
    closed: str = "known"  # or off

    def as_dict(self) -> dict[str, Any]:
        """Return all fields, for traces and fingerprints."""
        return asdict(self)

    @property
    def is_confident(self) -> bool:
        """Whether answers need a minimum confidence."""
        return self.mode in (Mode.CONFIDENT, Mode.CONFIDENT_LITE)


def modes_here() -> list[Mode]:
    """Return the modes that this site is equipped for."""
    return [mode for mode in Mode if mode != Mode.CONFIDENT or settings.MODELS.judge]


def answer_config(mode: str = "") -> AnswerConfig:
    """Return the site's policy, with another mode if one is named.

    Raises `QuestionError` for a mode that the site is not equipped for.
    """
    if mode == Mode.CONFIDENT and mode not in modes_here():
        raise QuestionError(
            "The mode confident needs a language model as a judge, and this site has none.",
            hint="Nothing was stored. Ask in another mode, or add [judge] to MEDRAG_MODELS.",
        )
    return AnswerConfig(
        mode=Mode(mode or settings.MODE),
        confidence_threshold=settings.CONFIDENCE_THRESHOLD,
        timeout_s=settings.ANSWER_TIMEOUT_S,
        omissions=settings.OMISSIONS,
        conflicts=settings.CONFLICTS,
        applicability=settings.APPLICABILITY,
        identifiers=settings.IDENTIFIERS,
        follow_ups=settings.FOLLOW_UPS,
        closed=settings.CLOSED,
    )
