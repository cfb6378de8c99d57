"""Whether the right document was found, and cited on the right page. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.metrics.ranking import ndcg, recall, success
from evaluation.question_runs.types import MeasuredItem

DEPTHS = (5, 10)
NO_DOCUMENT = "the question names no document"
NOT_HERE = "none of its documents is in force here"


@dataclass(frozen=True)
class SourceScores:
    scores: dict[str, float]
    not_run: dict[str, str]


def source_scores(item: MeasuredItem) -> SourceScores:
    """Score by the documents that the question names, by file name or SHA-256.

    Documents count once, in the order of their first passage; all that are named gain 1. Of an
    answer, the share of its citations in a right document, and of those the share on the right
    page.
    """
    if not item.relevant:
        return SourceScores({}, {"documents found": NO_DOCUMENT})
    relevant = frozenset(item.relevant) & item.in_force
    if not relevant:
        return SourceScores({}, {"documents found": NOT_HERE})
    ranking = tuple(dict.fromkeys(item.found))
    gains = dict.fromkeys(relevant, 1)
    scores = {"document success@1": success(ranking, relevant, k=1)}
    for k in DEPTHS:
        scores[f"document recall@{k}"] = recall(ranking, relevant, k=k)
        scores[f"document nDCG@{k}"] = ndcg(ranking, gains, k=k)
    return SourceScores(scores | _cited(item, relevant), {})


def _cited(item: MeasuredItem, relevant: frozenset[str]) -> dict[str, float]:
    if item.is_refused or not item.cited:
        return {}
    pages = [page for document, page in item.cited if document in relevant]
    scores = {"right document cited": len(pages) / len(item.cited)}
    if item.page is not None and pages:
        scores["right page cited"] = pages.count(item.page) / len(pages)
    return scores
