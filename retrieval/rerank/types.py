"""Types of reranking: input, interface and result. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import MedragError
from retrieval.types import Hit, Ranked


@dataclass(frozen=True)
class Passage:
    """A candidate as a reranker reads it; `context` names its document and section."""

    key: str
    context: str
    text: str


class Reranker(Protocol):
    """The interface of rerankers: scores how well each passage answers a question."""

    @property
    def name(self) -> str:
        """Its value of `RetrievalConfig.reranker`."""

    @property
    def fingerprint(self) -> str:
        """Identifies the weights, or the model and prompt; stored with the results."""

    def score(
        self, query: str, passages: Sequence[Passage], *, timeout_s: float
    ) -> Sequence[float]:
        """Return one finite number for each passage, in order; higher is better, on any scale.

        A reranker that only orders returns 1 / rank. Raises RerankUnavailable when it fails or
        exceeds `timeout_s`; nothing may go on computing for long after that.
        """


class RerankUnavailable(MedragError):
    """The reranker gave no usable order. Never holds text of a question or passage."""

    retryable = True
    hint = "The order of the fusion was used. Check the endpoint or the model's folder."


@dataclass(frozen=True)
class Parts:
    """What a passage's final score is made of; relevance, authority and recency are in [0, 1]."""

    fused_rank: int  # 1-based, before reranking
    score: float | None  # the reranker's own; None where it did not see or rank the passage
    relevance: float  # the score within this question's candidates: 0 the worst, 1 the best
    authority: float
    recency: float


@dataclass(frozen=True)
class Reranked:
    """Hits in their final order; `fell_back` says why the fused order was kept, if it was."""

    hits: tuple[Hit, ...]  # score descending, then key ascending; ranks from 1
    name: str  # of the reranker that was asked; `none`
    fell_back: str = ""
    parts: Mapping[str, Parts] = field(default_factory=dict)  # by key, of each of `hits`

    @property
    def ranked(self) -> tuple[Ranked, ...]:
        """The final order for a trace; empty where nothing changed the fused one."""
        if not self.parts:
            return ()
        return tuple(Ranked(hit.chunk_id, hit.key, hit.rank, hit.score) for hit in self.hits)

    @property
    def notes(self) -> tuple[str, ...]:
        """What did not go as configured, for a trace."""
        return (f"reranker {self.name}: {self.fell_back}",) if self.fell_back else ()
