"""What goes into a search and what comes out of it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from enum import StrEnum


class Scope(StrEnum):
    """Which documents a search may see. Drafts are never seen by any."""

    IN_FORCE = "in_force"  # published, indexed, effective on the day
    OUT_OF_DATE = "out_of_date"  # superseded, withdrawn or not yet effective; only to explain


@dataclass(frozen=True)
class Query:
    """A question and the limits of its search. `on` is the day whose guidelines count."""

    text: str
    on: datetime.date
    scope: Scope = Scope.IN_FORCE
    collections: tuple[str, ...] = ()  # slugs; empty means all


@dataclass(frozen=True)
class Ranked:
    """One entry of a ranking. `rank` is 1-based."""

    chunk_id: int
    key: str
    rank: int
    score: float  # higher is better


@dataclass(frozen=True)
class Ranking:
    """An ordered list by one method: score descending, then key ascending."""

    name: str
    entries: tuple[Ranked, ...]
    duration_ms: float


@dataclass(frozen=True)
class Span:
    """A piece of a chunk: `chunk.text[offset:offset + end - start]` is `page.text[start:end]`."""

    page: int
    start: int
    end: int
    offset: int


@dataclass(frozen=True)
class Hit:
    """A passage that was found, with all that a page, a citation or a gate needs of it."""

    chunk_id: int
    key: str
    rank: int  # 1-based, after fusion
    score: float  # of the fusion
    cosine: float  # similarity to the question, [-1, 1]
    coverage: float  # idf-weighted share of the question's lexemes that it holds, [0, 1]
    text: str
    context: str
    spans: tuple[Span, ...]
    page: int
    section_path: tuple[str, ...]
    document_id: int
    sha256: str
    filename: str
    title: str
    version: str
    issuer: str
    population: str
    lifecycle: str
    effective_from: datetime.date | None
    review_by: datetime.date | None
    collection: str  # slug
    owner_name: str
    owner_contact: str

    @property
    def section(self) -> str:
        return " › ".join(self.section_path)


@dataclass(frozen=True)
class Trace:
    """How the evidence was found: every list, rank, score and duration."""

    query: str
    scope: Scope
    on: datetime.date
    lexemes: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    fused: tuple[Ranked, ...]
    durations_ms: dict[str, float] = field(default_factory=dict)
    fingerprint: str = ""


@dataclass(frozen=True)
class Evidence:
    """The passages for a query, best first, and the trace. Empty where nothing was found."""

    query: Query
    hits: tuple[Hit, ...]
    trace: Trace
