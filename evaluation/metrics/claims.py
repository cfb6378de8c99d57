"""Measures of one answer by its claims. Pure.

A claim is one statement, and a judge says of it by a text: supported, contradicted, or not found.
What has no value is None, never 0 and never NaN: nothing may be averaged with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from chat.verification.types import Label


def claim_faithfulness(labels: Sequence[Label]) -> float | None:
    """Return the share of the answer's claims that the passages support, [0, 1], higher is better.

    `labels` says of each claim what the retrieved passages together say of it. |V| / |S| of Es et
    al., RAGAS, EACL 2024, section 3; faithfulness of Ru et al., RAGChecker, NeurIPS 2024, section
    3.3. None where the answer claims nothing.
    """
    return share([label is Label.SUPPORTED for label in labels])


def hallucination_rate(by_contexts: Sequence[Label], by_gold: Sequence[Label]) -> float | None:
    """Return the share of the answer's claims that are refuted and unsupported, [0, 1].

    Lower is better. Of each claim, what the passages say and what the gold answer says: counted is
    one that either contradicts and no passage supports. Ru et al., RAGChecker, NeurIPS 2024,
    section 3.3, count each wrong claim that no passage entails; one that nothing speaks of is here
    neither faithful nor refuted (Ji et al., ACM Computing Surveys 2023, section 2, on intrinsic and
    extrinsic hallucination). Never more than 1 - claim-faithfulness. None where the answer claims
    nothing.
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
    """Return the share of passages that entail a gold claim or more, [0, 1], higher is better.

    `gold_in_contexts[i][j]`: whether passage i entails gold claim j. Ru et al., RAGChecker, NeurIPS
    2024, section 3.3; unlike the measure of that name in RAGAS it does not look at ranks. None
    without passages, and without gold claims.
    """
    return share([any(entailed) for entailed in gold_in_contexts if len(entailed)])


def context_utilisation(
    gold_in_contexts: Sequence[Sequence[bool]], in_answer: Sequence[bool]
) -> float | None:
    """Return the share of the gold claims in the passages that the answer has, [0, 1].

    Higher is better; `gold_in_contexts` as for `context_precision`, `in_answer` as for
    `claim_recall`. Ru et al., RAGChecker, NeurIPS 2024, section 3.3: gold claims entailed by both,
    over those entailed by the passages. None where the passages entail none.
    """
    return share(
        [
            answered
            for place, answered in enumerate(in_answer)
            if any(entailed[place] for entailed in gold_in_contexts)
        ]
    )


CRITICAL = frozenset({"dose", "contraindication", "triage"})


def critical_error_rate(
    kinds: Sequence[str], by_contexts: Sequence[Label], by_gold: Sequence[Label]
) -> float | None:
    """Return the share of safety-critical claims that are refuted, [0, 1], lower is better.

    Of the answer's claims, in one order: kind, what the passages say, what the gold answer says.
    One that either contradicts is refuted. Kinds after Singhal et al., Nature 2023, who have
    clinicians rate possible harm; the formula is our own. None without a claim of such a kind.
    """
    return share(
        [
            Label.CONTRADICTED in labels
            for kind, *labels in zip(kinds, by_contexts, by_gold, strict=True)
            if kind in CRITICAL
        ]
    )


def guideline_adherence(labels: Sequence[Label], authority: Sequence[float]) -> float | None:
    """Return the claim-faithfulness times the mean authority of what is cited, [0, 1].

    Higher is better; `authority`, [0, 1], one for each cited document. Our own, without a published
    source: an answer that is faithful to a national guideline counts more than one to a leaflet.
    None where the answer claims nothing or cites nothing.
    """
    faithful = claim_faithfulness(labels)
    if faithful is None or not authority:
        return None
    return faithful * sum(authority) / len(authority)


def concept_overlap(
    claims: Sequence[AbstractSet[str]], evidence: Sequence[AbstractSet[str]]
) -> float | None:
    """Return the mean share of a claim's concepts that its evidence names, [0, 1], higher better.

    The concepts of each claim, and in the same order those of what it cites. Our own: that all of
    them stand there does not say that the evidence supports the claim. A claim without a concept
    does not count; None where none has any.
    """
    shares = [
        len(said & held) / len(said) for said, held in zip(claims, evidence, strict=True) if said
    ]
    return sum(shares) / len(shares) if shares else None


def share(flags: Sequence[bool]) -> float | None:
    """Return the share of what is true, [0, 1]; None for none at all."""
    return sum(flags) / len(flags) if flags else None
