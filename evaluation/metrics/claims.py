"""Measures of one answer by its claims. Pure.

A claim is one statement; a judge labels it by a text as supported, contradicted or not found. A
missing value is None, never 0 or NaN, so that it can't enter a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from chat.evidence.judgements import Label


def claim_faithfulness(labels: Sequence[Label]) -> float | None:
    """Return the share of the answer's claims that the passages support, [0, 1], higher is better.

    `labels` has the label of each claim by all retrieved passages together. |V| / |S| of Es et al.,
    RAGAS, EACL 2024, section 3; faithfulness of Ru et al., RAGChecker, NeurIPS 2024, section 3.3.
    None if the answer has no claims.
    """
    return share([label is Label.SUPPORTED for label in labels])


def hallucination_rate(by_contexts: Sequence[Label], by_gold: Sequence[Label]) -> float | None:
    """Return the share of the answer's claims that are contradicted and unsupported, [0, 1].

    Lower is better. Each claim has a label by the passages and one by the gold answer; it counts if
    either is a contradiction and no passage supports it. Ru et al., RAGChecker, NeurIPS 2024,
    section 3.3, count each wrong claim that no passage entails; here a claim that neither text
    mentions is neither faithful nor contradicted (Ji et al., ACM Computing Surveys 2023, section 2,
    on intrinsic and extrinsic hallucination). Never more than 1 - claim-faithfulness. None if the
    answer has no claims.
    """
    return share(
        [
            Label.SUPPORTED is not passages and Label.CONTRADICTED in (passages, gold)
            for passages, gold in zip(by_contexts, by_gold, strict=True)
        ]
    )


def claim_recall(in_answer: Sequence[bool]) -> float | None:
    """Return the share of the gold claims that the answer entails, [0, 1], higher is better.

    The overall recall of Ru et al., RAGChecker, NeurIPS 2024, section 3.3 (their "claim recall" is
    of the passages). None without gold claims.
    """
    return share(in_answer)


def context_precision(gold_in_contexts: Sequence[Sequence[bool]]) -> float | None:
    """Return the share of passages that entail at least one gold claim, [0, 1], higher is better.

    `gold_in_contexts[i][j]`: whether passage i entails gold claim j. Ru et al., RAGChecker, NeurIPS
    2024, section 3.3; unlike RAGAS's measure of that name it ignores ranks. None without passages
    or gold claims.
    """
    return share([any(entailed) for entailed in gold_in_contexts if len(entailed)])


def context_utilisation(
    gold_in_contexts: Sequence[Sequence[bool]], in_answer: Sequence[bool]
) -> float | None:
    """Return the share of the gold claims in the passages that the answer entails too, [0, 1].

    Higher is better; `gold_in_contexts` as for `context_precision`, `in_answer` as for
    `claim_recall`. Ru et al., RAGChecker, NeurIPS 2024, section 3.3: gold claims entailed by both,
    over those entailed by the passages. None if the passages entail none.
    """
    return share(
        [
            answered
            for place, answered in enumerate(in_answer)
            if any(entailed[place] for entailed in gold_in_contexts)
        ]
    )


def is_critical_error(by_contexts: Label, by_gold: Label, in_answer: Sequence[bool]) -> bool:
    """Tell whether the passages or the gold answer contradict a critical claim.

    A claim that a passage supports, where the answer has all gold claims too, is about something
    else, such as another patient: a judge who sees only another amount calls that a contradiction.
    """
    is_further = by_contexts is Label.SUPPORTED and bool(in_answer) and all(in_answer)
    return Label.CONTRADICTED in (by_contexts, by_gold) and not is_further


def critical_error_rate(
    is_critical: Sequence[bool],
    by_contexts: Sequence[Label],
    by_gold: Sequence[Label],
    in_answer: Sequence[bool],
) -> float | None:
    """Return the share of safety-critical claims that are errors, [0, 1], lower is better.

    The arguments give, for each claim of the answer, whether it is critical, its label by the
    passages and its label by the gold answer, and for each gold claim whether the answer entails
    it. After Singhal et al., Nature 2023, who have clinicians rate possible harm; the formula is
    our own.
    None without a critical claim.
    """
    return share(
        [
            is_critical_error(passages, gold, in_answer)
            for critical, passages, gold in zip(is_critical, by_contexts, by_gold, strict=True)
            if critical
        ]
    )


def guideline_adherence(labels: Sequence[Label], authority: Sequence[float]) -> float | None:
    """Return claim-faithfulness times the mean authority of the cited documents, [0, 1].

    Higher is better; `authority` has a value in [0, 1] for each cited document. Our own measure: an
    answer that is faithful to a national guideline counts more than one to a leaflet. None if the
    answer has no claims or cites nothing.
    """
    faithful = claim_faithfulness(labels)
    if faithful is None or not authority:
        return None
    return faithful * sum(authority) / len(authority)


def concept_overlap(
    claims: Sequence[AbstractSet[str]], evidence: Sequence[AbstractSet[str]]
) -> float | None:
    """Return the mean share of a claim's concepts that its evidence names, [0, 1], higher better.

    The arguments have, in the same order, the concepts of each claim and of its cited evidence. Our
    own measure: a full overlap does not mean that the evidence supports the claim. Claims without a
    concept are left out; None if no claim has any.
    """
    shares = [
        len(claim & held) / len(claim)
        for claim, held in zip(claims, evidence, strict=True)
        if claim
    ]
    return sum(shares) / len(shares) if shares else None


def share(flags: Sequence[bool]) -> float | None:
    """Return the share of true flags, [0, 1]; None for no flags."""
    return sum(flags) / len(flags) if flags else None
