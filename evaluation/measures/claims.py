"""Compute the claim-level measures of one item, or say why a measure has no value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from chat.errors import VerifierUnavailable
from evaluation.measures.claim_parts import CLAIM_PARTS
from evaluation.measures.doses import states_dose
from evaluation.measures.entailment import EntailmentJudge, Verdicts
from evaluation.measures.types import AnsweredItem, JudgedBy, Scored, failed, undefined
from evaluation.metrics.claims import (
    claim_faithfulness,
    claim_recall,
    context_precision,
    context_utilisation,
    critical_error_rate,
    guideline_adherence,
    hallucination_rate,
)

REFUSED = "the question was refused"
NO_CLAIM = "the answer claims nothing"
NO_CONTEXT = "nothing was retrieved"
NO_GOLD = "the question has no gold claims"
NO_CRITICAL = "no claim states a dose"
NOTHING_CITED = "no document with an authority is cited"
NOT_IN_CONTEXTS = "the passages entail no gold claim"


@dataclass(frozen=True)
class _Measure:
    value: Callable[[AnsweredItem, Verdicts], float | None]
    needs: tuple[Callable[[AnsweredItem], str], ...]  # each returns why there is no value, or ""
    otherwise: str = ""  # why there is no value if the formula gives None


def _refused(item: AnsweredItem) -> str:
    return REFUSED if item.is_refused else ""


def no_claim(item: AnsweredItem) -> str:
    """Return why a measure of claims has no value, or an empty string."""
    return REFUSED if item.is_refused else NO_CLAIM if not item.claims else ""


def _no_context(item: AnsweredItem) -> str:
    return "" if item.contexts else NO_CONTEXT


def _no_gold(item: AnsweredItem) -> str:
    return "" if item.gold_claims else NO_GOLD


CLAIM_MEASURES: dict[str, _Measure] = {
    "claim_faithfulness": _Measure(
        lambda item, said: claim_faithfulness(said.by_contexts), (no_claim,)
    ),
    "hallucination_rate": _Measure(
        lambda item, said: hallucination_rate(said.by_contexts, said.by_gold), (no_claim,)
    ),
    "claim_recall": _Measure(lambda item, said: claim_recall(said.in_answer), (_refused, _no_gold)),
    "context_precision": _Measure(
        lambda item, said: context_precision(said.in_contexts), (_no_context, _no_gold)
    ),
    "context_utilisation": _Measure(
        lambda item, said: context_utilisation(said.in_contexts, said.in_answer),
        (_refused, _no_context, _no_gold),
        NOT_IN_CONTEXTS,
    ),
    "critical_error_rate": _Measure(
        lambda item, said: critical_error_rate(
            [states_dose(claim.text) for claim in item.claims],
            said.by_contexts,
            said.by_gold,
            said.in_answer,
        ),
        (no_claim,),
        NO_CRITICAL,
    ),
    "guideline_adherence": _Measure(
        lambda item, said: guideline_adherence(said.by_contexts, item.authority),
        (no_claim,),
        NOTHING_CITED,
    ),
}


def claim_scores(
    item: AnsweredItem, wanted: Collection[str], judge: EntailmentJudge
) -> dict[str, Scored]:
    """Score an item by the wanted measures of `CLAIM_MEASURES`, by one round of judgements.

    The judge is asked only if some measure can have a value; if the judge fails, so do those
    measures.
    """
    lacking = {name: _lacking(CLAIM_MEASURES[name], item) for name in wanted}
    scores = {name: undefined(why) for name, why in lacking.items() if why}
    possible = [name for name, why in lacking.items() if not why]
    if not possible:
        return scores
    by = judge.judged_by
    try:
        verdicts = judge.verdicts(item)
    except VerifierUnavailable as error:
        # Its sentence says that the question is refused; here the answer is already stored.
        why = f"the judge {error.what}" if error.what else error.sentence
        return scores | {name: failed(why, by) for name in possible}
    return scores | {name: _scored(name, item, verdicts, by) for name in possible}


def _lacking(measure: _Measure, item: AnsweredItem) -> str:
    return next(filter(None, (need(item) for need in measure.needs)), "")


def _scored(name: str, item: AnsweredItem, verdicts: Verdicts, by: JudgedBy) -> Scored:
    measure = CLAIM_MEASURES[name]
    value = measure.value(item, verdicts)
    if value is None:
        return undefined(measure.otherwise, by)
    return Scored(value, judged_by=by, parts=tuple(CLAIM_PARTS[name](item, verdicts)))
