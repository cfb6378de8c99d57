"""Tell what the measures of claims are made of: each claim or passage with its verdict. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chat.evidence.judgements import Label
from evaluation.measures.doses import states_dose
from evaluation.measures.entailment import Verdicts
from evaluation.measures.types import AnsweredItem, Part
from evaluation.metrics.claims import is_critical_error

_SAID = {
    Label.SUPPORTED: "supported",
    Label.CONTRADICTED: "contradicted",
    Label.NOT_FOUND: "in no passage",
}


def _by_passages(item: AnsweredItem, verdicts: Verdicts) -> Iterator[Part]:
    """Yield each claim of the answer with its verdict, and the passage that decided it."""
    judged = zip(item.claims, verdicts.by_contexts, verdicts.by_each_context, strict=True)
    for claim, label, row in judged:
        yield Part(claim.text, _SAID[label], _passages(label, row))


def _passages(label: Label, row: tuple[Label, ...]) -> str:
    """Name the passages that have this label of a claim."""
    if label is Label.NOT_FOUND:
        return ""
    ranks = [str(rank) for rank, each in enumerate(row, start=1) if each is label]
    return f"by passage {', '.join(ranks)}"


def _contradicted(item: AnsweredItem, verdicts: Verdicts) -> Iterator[Part]:
    """Yield the claims that count as hallucinated, with the contradicting text."""
    for place, claim in enumerate(item.claims):
        passages, gold = verdicts.by_contexts[place], verdicts.by_gold[place]
        if passages is not Label.SUPPORTED and Label.CONTRADICTED in (passages, gold):
            yield Part(claim.text, "contradicted", _against(item, verdicts, place))


def _critical(item: AnsweredItem, verdicts: Verdicts) -> Iterator[Part]:
    """Yield each critical claim, and for an error the contradicting text."""
    for place, claim in enumerate(item.claims):
        if not states_dose(claim.text):
            continue
        labels = verdicts.by_contexts[place], verdicts.by_gold[place]
        if is_critical_error(*labels, verdicts.in_answer):
            yield Part(claim.text, "dose: contradicted", _against(item, verdicts, place))
        else:
            yield Part(claim.text, "dose: no error")


def _against(item: AnsweredItem, verdicts: Verdicts, place: int) -> str:
    """Return the text that contradicts the claim at this place: a passage, else the gold answer."""
    if verdicts.by_contexts[place] is Label.CONTRADICTED:
        rank = verdicts.by_each_context[place].index(Label.CONTRADICTED)
        return f"Passage {rank + 1}: {item.contexts[rank]}"
    return f"Gold answer: {' '.join(item.gold_claims)}"


def _recalled(item: AnsweredItem, verdicts: Verdicts) -> Iterator[Part]:
    for gold, is_stated in zip(item.gold_claims, verdicts.in_answer, strict=True):
        yield Part(gold, "in the answer" if is_stated else "not in the answer")


def _precise(item: AnsweredItem, verdicts: Verdicts) -> Iterator[Part]:
    """Yield each passage, and the gold claims that it entails."""
    for rank, row in enumerate(verdicts.in_contexts, start=1):
        held = [gold for gold, entailed in zip(item.gold_claims, row, strict=True) if entailed]
        verdict = "entails a gold claim" if held else "entails no gold claim"
        yield Part(f"Passage {rank}", verdict, " ".join(held))


def _utilised(item: AnsweredItem, verdicts: Verdicts) -> Iterator[Part]:
    """Yield each gold claim that a passage entails."""
    for place, gold in enumerate(item.gold_claims):
        if any(row[place] for row in verdicts.in_contexts):
            yield Part(gold, "in the answer" if verdicts.in_answer[place] else "not in the answer")


CLAIM_PARTS: dict[str, Callable[[AnsweredItem, Verdicts], Iterator[Part]]] = {
    "claim_faithfulness": _by_passages,
    "hallucination_rate": _contradicted,
    "claim_recall": _recalled,
    "context_precision": _precise,
    "context_utilisation": _utilised,
    "critical_error_rate": _critical,
    "guideline_adherence": _by_passages,
}
