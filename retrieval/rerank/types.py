"""What a reranker is given, what it must say, and what comes of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import MedragError
from retrieval.types import Hit, Ranked


@dataclass(frozen=True)
class Passage:
    """A candidate as a reranker reads it: `context` names its document and section."""

    key: str
    context: str
    text: str


class Reranker(Protocol):
    """Says how well each passage answers a question."""

    @property
    def name(self) -> str:
        """As `RetrievalConfig.reranker` names it."""

    @property
    def fingerprint(self) -> str:
        """Names the weights, or the model and the prompt; stored with what it ordered."""

    def score(
        self, query: str, passages: Sequence[Passage], *, timeout_s: float
    ) -> Sequence[float]:
        """Return one finite number a passage, in order; higher is better, on a scale of its own.

        One that only orders gives 1 / rank. Raises RerankUnavailable when it fails or can't be
        done within `timeout_s`; then nothing of it goes on computing for long.
        """


class RerankUnavailable(MedragError):
    """The reranker gave no order that can be used. Never holds text of a question or passage."""

    retryable = True
    hint = "The order of the fusion was used. Check the endpoint or the model's folder."


@dataclass(frozen=True)
class Parts:
    """What made a passage's place: each part in [0, 1], 1 is best, and how much it weighed."""

    fused_rank: int  # 1-based, before reranking
    score: float | None  # the reranker's own; None where it did not see or rank the passage
    relevance: float  # the score within this question's candidates: 0 the worst, 1 the best
    authority: float
    recency: float


@dataclass(frozen=True)
class Reranked:
    """Hits in their new order, and how that came about.

    `fell_back` says in words why the order of the fusion stands; empty where it does not.
    """

    hits: tuple[Hit, ...]  # score descending, then key ascending; ranks from 1
    name: str  # of the reranker that was asked; `none`
    fell_back: str = ""
    duration_ms: float = 0.0
    parts: Mapping[str, Parts] = field(default_factory=dict)  # by key, of each of `hits`

    @property
    def ranked(self) -> tuple[Ranked, ...]:
        """The new order for a trace; empty where nothing ordered the fused list anew."""
        if not self.parts:
            return ()
        return tuple(Ranked(hit.chunk_id, hit.key, hit.rank, hit.score) for hit in self.hits)

    @property
    def notes(self) -> tuple[str, ...]:
        """For a trace: what did not go as configured."""
        return (f"reranker {self.name}: {self.fell_back}",) if self.fell_back else ()
