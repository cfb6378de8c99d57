"""Compute the confidence of an answer and compare it with the mode's threshold."""

from __future__ import annotations

from dataclasses import replace

from chat.errors import VerifierUnavailable
from chat.models import Mode, Reason
from chat.pipeline.refusals import refusal
from chat.pipeline.run import AnswerRun
from chat.types import Abstained
from chat.verification.answer_judge import AnswerJudgement, judge_answer


def weigh(run: AnswerRun) -> Abstained | None:
    """Set the run's confidence; refuse where a confident mode finds it too low.

    In the mode `confident` a language model judges the answer first, and may itself cause a
    refusal.
    """
    coverage = run.decided.probability
    if run.config.mode is Mode.CONFIDENT:
        judged = run.judgement = run.judgement or _asked_judge(run)
        if not judged.in_scope:
            return refusal(run, Reason.OUT_OF_SCOPE)
        if judged.contradicts:
            return refusal(run, Reason.CONFLICT)
        coverage = min(coverage, judged.coverage)
    faithfulness = len(run.supported) / len(run.verdicts)
    run.confidence = confidence(faithfulness=faithfulness, coverage=coverage)
    if run.config.is_confident and run.confidence < run.config.confidence_threshold:
        return replace(refusal(run, Reason.LOW_CONFIDENCE), confidence=run.confidence)
    return None


def confidence(*, faithfulness: float, coverage: float) -> float:
    """Return `0.5 * faithfulness + 0.5 * coverage`, each in [0, 1].

    Faithfulness is the share of generated claims that were verified. Coverage is the gate's
    probability that the evidence answers the question; in the mode `confident` it is the lower of
    that and the judge's estimate of the share of the question that the answer covers.
    """
    return 0.5 * faithfulness + 0.5 * coverage


def _asked_judge(run: AnswerRun) -> AnswerJudgement:
    if run.stored is not None:
        raise VerifierUnavailable("The judge gave no usable judgement.")
    try:
        return judge_answer(
            run.query.text, run.supported, run.decided.passages, timeout_s=run.left_s
        )
    except VerifierUnavailable as error:
        run.failed_usage += error.usage
        raise
