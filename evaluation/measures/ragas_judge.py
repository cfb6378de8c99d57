"""Compute the measures of the library RAGAS by the configured judge (Es et al., EACL 2024)."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, replace
from importlib import metadata

from core.llm.client import Endpoint
from corpus.encoders.types import Embedder
from evaluation.measures.spoken.ragas_languages import is_judged_in, language_of, prompts_digest
from evaluation.measures.types import (
    AnsweredItem,
    JudgedBy,
    Scored,
    failed,
    not_run,
    undefined,
)

RAGAS = "ragas"  # the name of this judge
REFUSED = "the question was refused"
NO_ANSWER = "the answer is empty"
NO_CONTEXT = "nothing was retrieved"
NO_GOLD = "the question has no gold answer"
NO_JUDGE = "no judge is configured"
FOUND_NOTHING = "the judge found nothing to judge"

# What each measure needs besides the question.
_NEEDS: dict[str, tuple[str, ...]] = {
    "ragas_faithfulness": ("answer", "contexts"),
    "ragas_answer_relevancy": ("answer",),
    "ragas_context_precision": ("contexts", "reference"),
    "ragas_context_recall": ("contexts", "reference"),
    "ragas_answer_correctness": ("answer", "reference"),
}
_LACKING = {"answer": NO_ANSWER, "contexts": NO_CONTEXT, "reference": NO_GOLD}
RAGAS_MEASURES = tuple(_NEEDS)
RAGAS_STANDARD = RAGAS_MEASURES[:4]  # the four that its paper and its users name


@dataclass(frozen=True)
class RagasConfig:
    concurrency: int = 4  # simultaneous calls for one item
    call_timeout_s: float = 60.0  # of one call, attempts and waits included
    measure_timeout_s: float = 600.0  # of one measure of one item: a call for each passage
    retries: int = 2  # of a call whose failure may pass
    max_tokens: int = 4096  # of an answer: statements with a reason for each
    strictness: int = 3  # questions generated for answer relevancy; RAGAS's default

    @property
    def fingerprint(self) -> str:
        """Identifies the settings that may change a score, which time-outs and retries do not."""
        return f"{self.strictness}:{self.max_tokens}"


@dataclass(frozen=True)
class RagasJudge:
    """Scores items by the model at one endpoint, and similarity by the site's encoder."""

    endpoint: Endpoint
    embedder: Embedder
    config: RagasConfig = RagasConfig()

    @property
    def judged_by(self) -> JudgedBy:
        version = metadata.version("ragas")
        model, encoder = self.endpoint.model, self.embedder.fingerprint
        return JudgedBy(RAGAS, f"ragas-{version}:{model}:{encoder}:{self.config.fingerprint}")

    @property
    def longest_s(self) -> float:
        """The longest time, in seconds, that an item may take: its measures run at once."""
        return self.config.measure_timeout_s

    def scores(self, item: AnsweredItem, wanted: Collection[str]) -> dict[str, Scored]:
        """Score an item by the wanted measures of `RAGAS_MEASURES`; a failing judge is no error.

        Must not be called within a running event loop.
        """
        lacking = {name: _lacking(name, item) for name in wanted}
        scores = {name: undefined(why) for name, why in lacking.items() if why}
        possible = [name for name, why in lacking.items() if not why]
        if not possible:
            return scores
        spoken = language_of(item)
        if not is_judged_in(spoken):
            why = not_run(f"RAGAS has no prompts in the item's language ({spoken})")
            return scores | dict.fromkeys(possible, why)
        try:
            from evaluation.measures import ragas_library  # late: it takes seconds
        except ImportError as error:
            why = not_run(f"ragas can't be imported ({type(error).__name__})")
            return scores | dict.fromkeys(possible, why)
        by = self.judged_by
        if digest := prompts_digest(spoken):
            by = replace(by, fingerprint=f"{by.fingerprint}:{spoken}-{digest}")
        values = asyncio.run(
            ragas_library.scores(
                item,
                possible,
                endpoint=self.endpoint,
                embedder=self.embedder,
                config=self.config,
                spoken=spoken,
            )
        )
        return scores | {
            name: failed(each.value, by, each.parts)
            if isinstance(each.value, str)
            else Scored(each.value, judged_by=by, parts=each.parts)
            for name, each in values.items()
        }


def _lacking(name: str, item: AnsweredItem) -> str:
    """Return why the measure can't have a value for this item, or an empty string."""
    if item.is_refused and "answer" in _NEEDS[name]:
        return REFUSED
    return next((_LACKING[each] for each in _NEEDS[name] if not getattr(item, each)), "")
