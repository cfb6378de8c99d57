"""Score one answered question by all wanted measures, each by its judge."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.measures.claims import CLAIM_MEASURES, claim_scores
from evaluation.measures.concepts import CONCEPT_MEASURES, NOT_READ, concept_scores
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.ragas_judge import NO_JUDGE, RAGAS_MEASURES, RagasJudge
from evaluation.measures.types import AnsweredItem, Scored, not_run
from retrieval.lexicon.concepts import Concepts

MEASURES: tuple[str, ...] = (*CLAIM_MEASURES, *CONCEPT_MEASURES, *RAGAS_MEASURES)

FORMULAS = {
    "claim_faithfulness": "claims that a passage supports / claims of the answer",
    "hallucination_rate": "claims contradicted and not supported / claims of the answer",
    "claim_recall": "gold claims in the answer / gold claims",
    "context_precision": "passages that entail a gold claim / passages",
    "context_utilisation": "gold claims in passages and answer / gold claims in passages",
    "critical_error_rate": "critical claims that are errors / critical claims",
    "guideline_adherence": "claim faithfulness x mean authority of the cited documents",
    "ragas_faithfulness": "statements that follow from the passages / statements of the answer",
    "ragas_answer_relevancy": "mean cosine to the question; 0 if every one finds it evasive",
    "ragas_context_precision": "mean of the precisions at the ranks of useful passages",
    "ragas_context_recall": "statements that follow from the passages / of the gold answer",
    "ragas_answer_correctness": "0.75 x F1 of the statements + 0.25 x cosine of both texts",
}


@dataclass(frozen=True)
class Judges:
    """The judges and known concepts of a run; a text says why one is missing."""

    entailment: EntailmentJudge | str = NO_JUDGE
    ragas: RagasJudge | str = NO_JUDGE
    concepts: Concepts | str = NOT_READ


def measure_item(item: AnsweredItem, wanted: Collection[str], judges: Judges) -> dict[str, Scored]:
    """Score an item by the wanted measures of `MEASURES`, in that order.

    A judge's failure becomes a reason, never an error: the run goes on. Raises ValueError for an
    unknown measure. Must not be called within a running event loop.
    """
    if unknown := set(wanted) - set(MEASURES):
        raise ValueError(f"no such measure: {', '.join(sorted(unknown))}")
    rooms: tuple[tuple[Iterable[str], Any, Callable[..., dict[str, Scored]]], ...] = (
        (CLAIM_MEASURES, judges.entailment, claim_scores),
        (CONCEPT_MEASURES, judges.concepts, concept_scores),
        (RAGAS_MEASURES, judges.ragas, lambda item, names, judge: judge.scores(item, names)),
    )
    scores: dict[str, Scored] = {}
    for names, judge, scored in rooms:
        own = [name for name in names if name in wanted]
        if isinstance(judge, str):
            scores |= dict.fromkeys(own, not_run(judge))
        else:
            scores |= scored(item, own, judge)
    return {name: scores[name] for name in MEASURES if name in scores}
