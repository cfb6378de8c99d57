"""The way of a question from the search to its outcome. It stores nothing.

Every step fails closed: what breaks is a refusal with a reason of its own.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import partial

from chat.caveats.applicability import applicability
from chat.caveats.binding import binds, said_under
from chat.caveats.cautions import (
    applicability_cautions,
    conflict_caution,
    further_caution,
    lack_cautions,
    omission_caution,
)
from chat.caveats.conflicts import conflicts
from chat.caveats.omissions import MAX_SHOWN, omitted
from chat.errors import BudgetExceeded, GeneratorUnavailable, VerifierUnavailable
from chat.gate.decision import Decision, GateUnavailable
from chat.gate.records import gate_in_use
from chat.gate.scorers import logistic
from chat.generation.options import option_stands
from chat.generation.types import Generation, Task
from chat.models import ClaimKind, Mode, Reason
from chat.pipeline.confidence import confidence
from chat.pipeline.corpus_snapshot import corpus_snapshot
from chat.pipeline.events import Checked, Found, Judged
from chat.pipeline.excerpts import excerpts
from chat.pipeline.run import AnswerRun
from chat.pipeline.search import EXPLAINING, SearchLog, look, search_and_gate
from chat.question.multiple_choice import is_exception
from chat.types import Abstained, Answered, DraftClaim, Outcome
from chat.verification.answer_judge import AnswerJudgement, judge_answer
from chat.verification.texts import normalised
from chat.verification.verify import verify
from corpus.access import is_narrowed
from retrieval.types import Evidence, Hit, Query, Rights, Scope

logger = logging.getLogger(__name__)

NEAREST = 3  # passages shown with a refusal
# Probability that the passages hold the answer at all, below which none is shown. Set on the very
# questions that it was then counted on: 99 % of those that guidelines answer are above it, and 18 %
# of those off every topic.
NEAR_ENOUGH = 0.1
CLEARLY = 1.0  # log-odds by which what is out of date must be likelier than all in force


class _Refused(Exception):
    """The way ends here."""

    def __init__(self, outcome: Abstained) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


def answer(inquiry: AnswerRun) -> Outcome:
    """Return an answer whose every claim was verified, or a refusal.

    Raises nothing, but lets `AskerLeft` through, which who is told of the steps may raise.
    """
    try:
        decision = _evidence(inquiry)
        return _answered(inquiry, decision)
    except _Refused as refused:
        return refused.outcome
    except Exception as error:  # noqa: BLE001 - fail closed: an answer is whole, or there is none
        return _failed(Reason.VERIFIER_UNAVAILABLE, error, None, inquiry).outcome


def _answered(inquiry: AnswerRun, decision: Decision) -> Answered:
    """Raise `_Refused`; nothing that comes too late is an answer."""
    claims = _claims(inquiry, decision)
    supported = _supported(inquiry, decision, claims)
    sure = _confidence(inquiry, decision, supported)
    whole = _with_caveats(inquiry, decision, supported)
    try:
        _time_left(inquiry)
    except BudgetExceeded as error:
        raise _failed(Reason.BUDGET_EXCEEDED, error, decision, inquiry) from error
    return Answered(whole, sure)


def _evidence(inquiry: AnswerRun) -> Decision:
    """Return what opened the gate."""
    looks, query = inquiry.looks, inquiry.query
    with inquiry.timed("search"):
        try:
            looks.gate = gate_in_use(looks.config)
        except Exception as error:
            raise _failed(Reason.GATE_UNAVAILABLE, error, None, inquiry) from error
        try:
            inquiry.snapshot = corpus_snapshot(query.on)
            decision = look(query, looks.gate, looks, found=partial(_tell_found, inquiry))
        except GateUnavailable as error:
            raise _failed(Reason.GATE_UNAVAILABLE, error, None, inquiry) from error
        except Exception as error:
            raise _failed(Reason.SEARCH_UNAVAILABLE, error, None, inquiry) from error
        reason = Reason.UNCLEAR_QUESTION if inquiry.is_unclear else decision.reason
        inquiry.tell(Judged(decision.probability, decision.threshold, str(reason or "")))
        if inquiry.is_unclear:
            raise _Refused(_abstained(Reason.UNCLEAR_QUESTION, decision))
        if decision.reason is not None:
            raise _Refused(_explained_refusal(inquiry, decision))
    return decision


def _tell_found(inquiry: AnswerRun, evidence: Evidence) -> None:
    titles = dict.fromkeys(hit.title for hit in evidence.hits)
    inquiry.tell(Found(len(evidence.hits), tuple(titles)))


def _claims(inquiry: AnswerRun, decision: Decision) -> tuple[DraftClaim, ...]:
    with inquiry.timed("generation"):
        try:
            task = replace(_task(inquiry, decision), deadline_s=_time_left(inquiry))
            if inquiry.stored is None:
                inquiry.generation = inquiry.generator.generate(task)
            else:
                inquiry.generation = inquiry.generator.again(task, inquiry.stored)
        except Exception as error:
            raise _failed(Reason.GENERATOR_UNAVAILABLE, error, decision, inquiry) from error
    if not inquiry.generation.claims:  # it read the passages and says that none answers
        raise _Refused(_explained_refusal(inquiry, decision))
    # Of those that say the same the first: copies of a true one must not outvote a false one.
    first: dict[str, DraftClaim] = {}
    for claim in inquiry.generation.claims:
        first.setdefault(normalised(claim.text).casefold(), claim)
    return tuple(first.values())


def _supported(
    inquiry: AnswerRun, decision: Decision, claims: Sequence[DraftClaim]
) -> tuple[DraftClaim, ...]:
    """Return the claims that stand; what does not is never shown as an answer, in no mode."""
    inquiry.tell(Checked(0, len(claims)))
    with inquiry.timed("verification"):
        try:
            inquiry.verdicts = verify(
                claims,
                question=inquiry.query.text,
                verifier=inquiry.verifier,
                timeout_s=_time_left(inquiry),
                checked=lambda done: inquiry.tell(Checked(done, len(claims))),
            )
        except Exception as error:
            raise _failed(Reason.VERIFIER_UNAVAILABLE, error, decision, inquiry) from error
    supported = tuple(verdict.claim for verdict in inquiry.verdicts if verdict.supported)
    if not supported:
        raise _Refused(_abstained(Reason.UNSUPPORTED_CLAIMS, decision))
    if inquiry.options and not _is_supported(inquiry, decision, supported):
        raise _Refused(_abstained(Reason.WEAK_EVIDENCE, decision))
    return supported


def _task(inquiry: AnswerRun, decision: Decision) -> Task:
    return Task(inquiry.query.text, decision.passages, inquiry.options, decision.reading.statements)


def _is_supported(inquiry: AnswerRun, decision: Decision, supported: Sequence[DraftClaim]) -> bool:
    """Tell whether the chosen option is what the claims that stand say, and all of them stand."""
    task = _task(inquiry, decision)
    whole = len(supported) == len(inquiry.verdicts) or not is_exception(task.question)
    return whole and option_stands(inquiry.option, task, supported)


def _confidence(inquiry: AnswerRun, decision: Decision, supported: Sequence[DraftClaim]) -> float:
    """In [0, 1]. In a confident mode one that is too low is a refusal."""
    coverage = decision.probability
    if inquiry.config.mode is Mode.CONFIDENT:
        coverage = min(coverage, _judged_coverage(inquiry, decision, supported))
    faithfulness = len(supported) / len(inquiry.verdicts)
    sure = confidence(faithfulness=faithfulness, coverage=coverage)
    if inquiry.config.is_confident and sure < inquiry.config.confidence_threshold:
        raise _Refused(replace(_abstained(Reason.LOW_CONFIDENCE, decision), confidence=sure))
    return sure


def _judged_coverage(
    inquiry: AnswerRun, decision: Decision, supported: Sequence[DraftClaim]
) -> float:
    with inquiry.timed("judgement"):
        try:
            judgement = inquiry.judgement or _asked_judge(inquiry, decision, supported)
        except Exception as error:
            if isinstance(error, VerifierUnavailable):
                inquiry.failed_usage += error.usage
            raise _failed(Reason.VERIFIER_UNAVAILABLE, error, decision, inquiry) from error
    inquiry.judgement = judgement
    if not judgement.in_scope:
        raise _Refused(_abstained(Reason.OUT_OF_SCOPE, decision))
    if judgement.contradicts:
        raise _Refused(_abstained(Reason.CONFLICT, decision))
    return judgement.coverage


def _asked_judge(
    inquiry: AnswerRun, decision: Decision, supported: Sequence[DraftClaim]
) -> AnswerJudgement:
    if inquiry.stored is not None:
        raise VerifierUnavailable("The judge gave no judgement that could be kept.")
    return judge_answer(
        inquiry.query.text, supported, decision.passages, timeout_s=_time_left(inquiry)
    )


def _with_caveats(
    inquiry: AnswerRun, decision: Decision, supported: tuple[DraftClaim, ...]
) -> tuple[DraftClaim, ...]:
    """Return the claims with the limits and the other guidelines that belong beside them."""
    with inquiry.timed("beside"):
        try:
            whole = _with_omissions(inquiry, decision, supported)
            found = applicability(inquiry.query.text, whole)
            inquiry.cautions.extend(applicability_cautions(found))
            if found.mismatch and inquiry.config.applicability == "block":
                raise _Refused(_abstained(Reason.OUT_OF_SCOPE, decision, first=whole))
            whole = _with_conflicts(inquiry, decision, supported, whole)
        except _Refused:
            raise
        except Exception as error:
            raise _failed(Reason.VERIFIER_UNAVAILABLE, error, decision, inquiry) from error
    return whole


def _with_omissions(
    inquiry: AnswerRun, decision: Decision, claims: tuple[DraftClaim, ...]
) -> tuple[DraftClaim, ...]:
    policy = inquiry.config.omissions
    if policy == "off":
        return claims
    every = omitted(claims, decision.passages, question=inquiry.query.text)
    left_out, further = every[:MAX_SHOWN], every[MAX_SHOWN:]
    if further:
        inquiry.cautions.append(further_caution(further))
    if not left_out:
        return claims
    if policy in ("warn", "block"):
        inquiry.cautions.extend(omission_caution(limit) for limit in left_out)
        if policy == "block":
            raise _Refused(_abstained(Reason.LOW_CONFIDENCE, decision, first=left_out))
        return claims
    standing = _verified_quotes(left_out)
    inquiry.cautions.extend(omission_caution(one) for one in left_out if one not in standing)
    around = said_under(claims)
    first = tuple(one for one in standing if binds(one, inquiry.query.text, around))
    return first + claims + tuple(one for one in standing if one not in first)


def _with_conflicts(
    inquiry: AnswerRun,
    decision: Decision,
    answered: tuple[DraftClaim, ...],
    whole: tuple[DraftClaim, ...],
) -> tuple[DraftClaim, ...]:
    for conflict in conflicts(answered, decision.passages, question=inquiry.query.text):
        if inquiry.config.conflicts == "block":
            both = (conflict.ours, conflict.theirs)
            inquiry.cautions.append(conflict_caution(conflict, ()))
            raise _Refused(_abstained(Reason.CONFLICT, decision, first=both))
        places = {(quote.hit.key, quote.start) for claim in whole for quote in claim.quotes[:1]}
        theirs = conflict.theirs.quotes[0]
        if (theirs.hit.key, theirs.start) not in places:
            other = replace(conflict.theirs, kind=ClaimKind.OTHERWISE)
            whole += _verified_quotes((other,))
        inquiry.cautions.append(conflict_caution(conflict, whole))
    return whole


def _verified_quotes(claims: tuple[DraftClaim, ...]) -> tuple[DraftClaim, ...]:
    """Of statements added word for word, those that stand: no verifier has to weigh them."""
    return tuple(verdict.claim for verdict in verify(claims) if verdict.supported)


def _time_left(inquiry: AnswerRun) -> float:
    if not inquiry.left_s:
        raise BudgetExceeded("The question took longer than is allowed.")
    return inquiry.left_s


def _abstained(
    reason: Reason, decision: Decision, *, first: Sequence[DraftClaim] = ()
) -> Abstained:
    """With the nearest passages; those of the statements that it is refused for stand first."""
    about = dict.fromkeys(quote.hit.key for claim in first for quote in claim.quotes[:1])
    hits = {hit.key: hit for claim in first for quote in claim.quotes for hit in (quote.hit,)}
    nearest = [hits[key] for key in about]
    nearest += [hit for hit in decision.passages if hit.key not in about]
    return _shown(reason, nearest, decision, always=frozenset(about))


def _shown(
    reason: Reason, nearest: Sequence[Hit], decision: Decision, *, always: Set[str] = frozenset()
) -> Abstained:
    """Return a refusal with those of the passages of which something was read and that share a word
    with the question, and with those that it is refused for (`always`, chunk keys); none else where
    all are too far from it.
    """
    read = {one.unit.hit.key for one in decision.reading.statements}
    near = read if logistic(decision.reading.answerable) >= NEAR_ENOUGH else frozenset[str]()
    kept = [h for h in nearest if h.key in always or (h.key in near and h.coverage > 0)][:NEAREST]
    return Abstained(reason, tuple(kept), decision.probability, excerpts(kept, decision.reading))


def _failed(
    reason: Reason, error: Exception, decision: Decision | None, inquiry: AnswerRun
) -> _Refused:
    inquiry.failure = type(error).__name__
    if isinstance(error, GeneratorUnavailable):
        raw = "\n".join(error.raw)
        failed = Generation((), raw=raw, notes=error.notes, usage=error.usage)
        inquiry.generation = inquiry.stored or failed
    if decision is not None and not inquiry.left_s:
        reason = Reason.BUDGET_EXCEEDED
    logger.error("%s: %s", reason.value, type(error).__name__)
    return _Refused(Abstained(reason) if decision is None else _abstained(reason, decision))


def _explained_refusal(inquiry: AnswerRun, decision: Decision) -> Abstained:
    """Refuse, and say why if that can be found out; if not, the refusal stands all the same."""
    looks = inquiry.looks
    try:
        _time_left(inquiry)
        explained = _other_scope_answers(inquiry.query, decision, looks)
    except Exception as error:  # noqa: BLE001 - only the explanation is lost
        logger.error("A refusal could not be explained: %s", type(error).__name__)
        looks.note(f"The refusal could not be explained: {type(error).__name__}.")
        explained = None
    if explained is None:
        explained = _abstained(decision.reason or Reason.WEAK_EVIDENCE, decision)
        inquiry.cautions += lack_cautions(inquiry.query.text, explained.nearest)
    return explained


def _other_scope_answers(query: Query, decision: Decision, looks: SearchLog) -> Abstained | None:
    """Return whether one that is not open to the reader, or no longer in force, would have
    answered.

    Of what is not open nothing is said but that it is there: no passage, no title, no owner.
    """
    if looks.gate is None:
        return None
    if is_narrowed(query.reader):
        closed = replace(query, rights=Rights.HIDDEN)
        if search_and_gate(closed, looks.gate, looks, kind=EXPLAINING).reason is None:
            return Abstained(Reason.NOT_PERMITTED_EVIDENCE, (), decision.probability)
    ended = replace(query, scope=Scope.OUT_OF_DATE)
    old = search_and_gate(ended, looks.gate, looks, kind=EXPLAINING)
    if old.reason is None and _odds(old) - _odds(decision) >= CLEARLY:
        shown = _shown(Reason.ONLY_OUT_OF_DATE, old.passages, old)
        return replace(shown, confidence=decision.probability)
    return None


def _odds(decision: Decision) -> float:
    """Return the log-odds of a probability, within the range of numbers."""
    bounded = min(max(decision.probability, 1e-9), 1 - 1e-9)
    return math.log(bounded / (1 - bounded))
