"""An outcome is an answer or a refusal; nothing in between."""

from __future__ import annotations

from dataclasses import dataclass

from chat.models import Reason
from retrieval.types import Hit


@dataclass(frozen=True)
class Quote:
    """A verbatim span of one page: `page.text[start:end] == text`."""

    hit: Hit
    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class DraftClaim:
    """A statement and the spans that it rests on; at least one."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True)
class Answered:
    claims: tuple[DraftClaim, ...]
    confidence: float  # [0, 1]


@dataclass(frozen=True)
class Abstained:
    """A refusal: why, what was nearest (never a reference), and how sure the gate was."""

    reason: Reason
    nearest: tuple[Hit, ...] = ()
    confidence: float = 0.0


Outcome = Answered | Abstained
