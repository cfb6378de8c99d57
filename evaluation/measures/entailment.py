"""Judge which texts entail which claims, by the site's verifier or a language model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Evidence, Judgement, Label, Pair
from chat.verification.entailment.types import Verifier
from evaluation.measures.types import AnsweredItem, JudgedBy
from evaluation.measures.verbatim import states

REVISION = "entailment-1"  # to be changed with the pairs that are made, or that need no judge
TIMEOUT_S = 600.0  # for one item: ten passages and ten claims are a hundred pairs


@dataclass(frozen=True)
class Verdicts:
    """All judgements of one item."""

    by_each_context: tuple[tuple[Label, ...], ...]  # a row for each claim of the answer
    by_gold: tuple[Label, ...]  # of each claim of the answer, by the gold claims
    in_answer: tuple[bool, ...]  # of each gold claim: whether the answer entails it
    in_contexts: tuple[tuple[bool, ...], ...]  # a row for each passage, of all gold claims

    @property
    def by_contexts(self) -> tuple[Label, ...]:
        """The label of each claim of the answer by all passages together."""
        return tuple(map(strongest, self.by_each_context))


@dataclass(frozen=True)
class EntailmentJudge:
    """A `Verifier` that judges whole answers, all pairs of an item at once."""

    verifier: Verifier
    timeout_s: float = TIMEOUT_S
    waits_s: tuple[float, ...] = ()  # waits before retries, if a retry may help

    @property
    def judged_by(self) -> JudgedBy:
        return JudgedBy(self.verifier.name, f"{REVISION}:{self.verifier.fingerprint}")

    @property
    def longest_s(self) -> float:
        """The longest time, in seconds, that an item may take, retries and waits included."""
        return (1 + len(self.waits_s)) * self.timeout_s + sum(self.waits_s)

    def verdicts(self, item: AnsweredItem) -> Verdicts:
        """Judge one item. Raises `chat.errors.VerifierUnavailable`.

        The verifier is not called if there is no pair to judge.
        """
        claims = [claim.text for claim in item.claims]
        pairs = _Pairs()
        by_contexts = [
            [pairs.add(claim.text, [text], claim.quotes) for text in item.contexts]
            for claim in item.claims
        ]
        by_gold = [pairs.add(claim, item.gold_claims) for claim in claims]
        in_answer = [pairs.add(gold, claims) for gold in item.gold_claims]
        in_contexts = [
            [pairs.add(gold, [text]) for gold in item.gold_claims] for text in item.contexts
        ]
        label_of = pairs.judged(self._judged)
        return Verdicts(
            tuple(tuple(label_of[pair] for pair in row) for row in by_contexts),
            tuple(label_of[pair] for pair in by_gold),
            tuple(label_of[pair] is Label.SUPPORTED for pair in in_answer),
            tuple(tuple(label_of[pair] is Label.SUPPORTED for pair in row) for row in in_contexts),
        )

    def _judged(self, pairs: Sequence[Pair]) -> Sequence[Judgement]:
        for wait_s in self.waits_s:
            try:
                return self.verifier.judge(pairs, timeout_s=self.timeout_s)
            except VerifierUnavailable as error:
                if not error.retryable:
                    raise
            time.sleep(wait_s)
        return self.verifier.judge(pairs, timeout_s=self.timeout_s)


def strongest(labels: Sequence[Label]) -> Label:
    """Combine several passages' labels of a claim; not found for none.

    One supporting passage is enough, as in RAGAS, which reads the passages as one text. A claim is
    contradicted if some passage contradicts it and none supports it.
    """
    for label in (Label.SUPPORTED, Label.CONTRADICTED):
        if label in labels:
            return label
    return Label.NOT_FOUND


class _Pairs:
    """The pairs of an item, each judged once, and only if no text states the claim verbatim."""

    def __init__(self) -> None:
        self._verbatim: dict[Pair, bool] = {}

    def add(self, claim: str, evidence: Sequence[str], quotes: Sequence[str] = ()) -> Pair:
        pair = Pair(claim, Evidence(tuple(evidence)))
        if not self._verbatim.get(pair):
            self._verbatim[pair] = any(states(text, claim, quotes) for text in evidence)
        return pair

    def judged(self, judge: Callable[[Sequence[Pair]], Sequence[Judgement]]) -> dict[Pair, Label]:
        """Return the label of each pair. A pair without text is not found, without asking."""
        known = {
            pair: Label.SUPPORTED if verbatim else Label.NOT_FOUND
            for pair, verbatim in self._verbatim.items()
        }
        unknown = [
            pair for pair, stated in self._verbatim.items() if pair.evidence.text and not stated
        ]
        judgements = judge(unknown) if unknown else []
        labels = [each.label for each in judgements]
        return known | dict(zip(unknown, labels, strict=True))
