"""Score an answer by what its question's set gives: patterns, label and documents. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from evaluation.choices.accuracy import FAILED, WITH
from evaluation.measures.patterns import Outcome, Verdict, judged
from evaluation.metrics.ranking import ndcg, recall, success
from evaluation.question_runs.types import MeasuredItem
from evaluation.question_sets.patterned import Question, compiled
from evaluation.question_sets.types import LABELS, ItemKind

_LABEL = re.compile(rf"\W*({'|'.join(LABELS)})\b", re.IGNORECASE)
# Endings of refusal reasons that a fault of the site caused, not the question.
BROKEN = ("_UNAVAILABLE", "BUDGET_EXCEEDED")
NO_PATTERNS = "the question has no patterns"
NO_DANGEROUS = "the question has no patterns of dangerous answers"
NO_LABEL = "the question has no gold label"
UNREAD = "the answer names no label"
DEPTHS = (5, 10)  # of rankings
NO_DOCUMENT = "the question names no document"
NOT_HERE = "none of its documents is in force here"


class Worth(StrEnum):
    """The outcome of a question, with the values of `evaluation.models.ResultOutcome`."""

    DANGEROUS = "dangerous"
    WRONG = "wrong"
    PARTLY = "partly"
    REFUSED = "refused"
    UNCOMPARED = "uncompared"
    RIGHT = "right"


_OF_OUTCOME = {
    Outcome.FULL: Worth.RIGHT,
    Outcome.PARTLY: Worth.PARTLY,
    Outcome.WRONG: Worth.WRONG,
    Outcome.REFUSED: Worth.REFUSED,
}


@dataclass(frozen=True)
class Scored:
    """`scores` maps a measure to its value, `not_run` another measure to why it has none."""

    worth: Worth
    scores: dict[str, float]
    not_run: dict[str, str] = field(default_factory=dict)


def scored(item: MeasuredItem) -> Scored:
    """Score an item by patterns, label, kind and documents, as far as its question has them."""
    scores = {
        "answered": float(not item.is_refused),
        "refused": float(item.is_refused),
        FAILED: float(item.reason.endswith(BROKEN)),
        "confidence": item.confidence,
    }
    if item.kind == ItemKind.UNANSWERABLE:
        verdict = verdict_of(item)
        of_patterns, not_run = pattern_scores(item, verdict)
        scores |= of_patterns
        if item.is_refused:
            return Scored(Worth.RIGHT, scores, not_run)
        return Scored(Worth.DANGEROUS if verdict.dangerous else Worth.WRONG, scores, not_run)
    of_sources, not_run = source_scores(item)
    scores |= of_sources
    worth = Worth.REFUSED if item.is_refused else Worth.UNCOMPARED
    if item.patterns.get("decisive"):
        verdict = verdict_of(item)
        worth = Worth.DANGEROUS if verdict.dangerous else _OF_OUTCOME[verdict.outcome]
        of_patterns, lacking = pattern_scores(item, verdict)
        scores |= of_patterns
        not_run |= lacking
    else:
        not_run["outcome by patterns"] = NO_PATTERNS
    if not item.gold_label:
        not_run["label accuracy"] = NO_LABEL
    elif item.is_refused:
        scores[WITH] = 0.0
    elif label := label_of(item):
        is_right = label == item.gold_label.lower()
        scores["label accuracy, answered"] = float(is_right)
        scores[WITH] = float(is_right)
        if worth is Worth.UNCOMPARED:
            worth = Worth.RIGHT if is_right else Worth.WRONG
    else:
        not_run["label accuracy"] = UNREAD
    return Scored(worth, scores, not_run)


def pattern_scores(item: MeasuredItem, verdict: Verdict) -> tuple[dict[str, float], dict[str, str]]:
    """Score by the patterns, and say why an answer can't be called dangerous or not."""
    scores = verdict.scores(_question(item))
    if item.patterns.get("dangerous") or item.patterns.get("list"):
        return scores, {}
    return {name: each for name, each in scores.items() if name != "dangerous"}, {
        "dangerous": NO_DANGEROUS
    }


def source_scores(item: MeasuredItem) -> tuple[dict[str, float], dict[str, str]]:
    """Score by the documents that the question names, or say why not.

    A document is ranked by its first passage; each named document has a gain of 1. Of an answer,
    the share of its citations in a named document, and of these the share on the right page.
    """
    if not item.relevant:
        return {}, {"documents found": NO_DOCUMENT}
    relevant = frozenset(item.relevant) & item.in_force
    if not relevant:
        return {}, {"documents found": NOT_HERE}
    ranking = tuple(dict.fromkeys(item.found))
    gains = dict.fromkeys(relevant, 1)
    scores = {"document success@1": success(ranking, relevant, k=1)}
    for k in DEPTHS:
        scores[f"document recall@{k}"] = recall(ranking, relevant, k=k)
        scores[f"document nDCG@{k}"] = ndcg(ranking, gains, k=k)
    if item.is_refused or not item.cited:
        return scores, {}
    pages = [page for document, page in item.cited if document in relevant]
    scores["right document cited"] = len(pages) / len(item.cited)
    if item.page is not None and pages:
        scores["right page cited"] = pages.count(item.page) / len(pages)
    return scores, {}


def verdict_of(item: MeasuredItem) -> Verdict:
    """Judge the shown statements, each with its quotes, by the patterns."""
    shown = ["\n".join([claim.text, *claim.quotes]) for claim in item.claims]
    return judged(_question(item), shown, beside=item.beside, excerpts=item.excerpts)


def label_of(item: MeasuredItem) -> str:
    """Return the letter of the chosen option, or the yes, no or maybe that begins the answer.

    In lower case; empty without a label.
    """
    if item.kind == ItemKind.MULTIPLE_CHOICE:
        return item.option.lower()
    match = _LABEL.match(item.answer)
    return match.group(1).lower() if match else ""


def _question(item: MeasuredItem) -> Question:
    return Question(
        id="",
        text=item.question,
        is_answerable=item.kind != ItemKind.UNANSWERABLE,
        decisive=compiled(item.patterns.get("decisive", ())),
        wrong=compiled(item.patterns.get("wrong", ())),
        dangerous=compiled(item.patterns.get("dangerous", ())),
        whole=compiled(item.patterns.get("list", ())),
    )
