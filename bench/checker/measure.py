"""Measure a verifier's judgements of labelled pairs. Pure."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from bench.checker.labels import (
    accuracy,
    confusion,
    false_alarm,
    false_pass,
    macro_f1,
)
from bench.datasets.pairs import LABELS, LabelledPair, PairSet
from chat.evidence.judgements import Evidence, Judgement, Label, Pair
from chat.gate.risk import Bools, calibration_error
from chat.verification.entailment.types import Verifier
from chat.verification.verify import judged_pairs
from core.errors import MedragError
from core.llm.usage import Usage
from evaluation.metrics.statistics import Floats, Interval, interval, interval_of_counts

BATCH = 12  # pairs a call, as for the claims of an answer
_SUPPORTED = LABELS.index(Label.SUPPORTED)


@dataclass(frozen=True)
class Checked:
    """A verifier's judgement of each pair, in order; None where it failed (see `failures`).

    `seconds` counts only the calls that returned judgements: a failed call is no measure of speed.
    """

    name: str
    fingerprint: str
    pairs: tuple[LabelledPair, ...]
    judgements: tuple[Judgement | None, ...]
    seconds: float
    failures: Mapping[int, str] = field(default_factory=dict)  # by the pair's place, from 0
    tokens: int = 0  # of all calls, failed ones too, as servers count
    megabytes: float | None = None  # of its own files; None if unknown

    @property
    def notes(self) -> dict[str, int]:
        """The number of pairs by reason of failure, in the order of the first pair of each."""
        return dict(Counter(why for _, why in sorted(self.failures.items())))

    @property
    def judged(self) -> list[tuple[LabelledPair, Judgement]]:
        """The pairs with a judgement."""
        both = zip(self.pairs, self.judgements, strict=True)
        return [(pair, judgement) for pair, judgement in both if judgement is not None]

    @property
    def ms_a_pair(self) -> float | None:
        """Milliseconds a judged pair; None where nothing was judged."""
        return 1000 * self.seconds / len(self.judged) if self.judged else None

    @cached_property
    def confusion(self) -> Floats:
        """`(3, 3)` in the order of `LABELS`: rows are true labels, columns judged labels."""
        judged = self.judged
        return confusion([p.label for p, _ in judged], [j.label for _, j in judged], LABELS)

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Interval by measure, each over its own denominator.

        `n` is 0 where nothing can be measured. Only judged pairs count, except for "accuracy,
        failures wrong".
        """
        alarm, passed = (partial(of, label=_SUPPORTED) for of in (false_alarm, false_pass))
        is_supported = _rows(_SUPPORTED)
        return {
            "accuracy": interval_of_counts(self.confusion, accuracy),
            "macro F1": interval_of_counts(self.confusion, macro_f1),
            "accuracy, failures wrong": interval(self._right()),
            "unsupported passed": interval_of_counts(self.confusion * ~is_supported, passed),
            "supported stopped": interval_of_counts(self.confusion * is_supported, alarm),
            "Brier": interval(self._squares()),
        }

    @property
    def calibration_error(self) -> float | None:
        """ECE of the score as the probability of `supported`; None where nothing was judged."""
        return calibration_error(*self._probabilities()) if self.judged else None

    def _probabilities(self) -> tuple[Floats, Bools]:
        judged = self.judged
        said = np.array([judgement.score for _, judgement in judged], dtype=np.float64)
        return said, np.array([pair.label is Label.SUPPORTED for pair, _ in judged], dtype=bool)

    def _squares(self) -> list[float]:
        return [(j.score - (p.label is Label.SUPPORTED)) ** 2 for p, j in self.judged]

    def _right(self) -> list[float]:
        both = zip(self.pairs, self.judgements, strict=True)
        return [float(j is not None and j.label is p.label) for p, j in both]


def check_pairs(
    pair_set: PairSet,
    verifier: Verifier,
    *,
    timeout_s: float,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Checked:
    """Judge every pair, BATCH at a time. A call that fails leaves its pairs without judgement."""
    shown = [Pair(each.claim, Evidence((each.evidence,), each.context)) for each in pair_set.pairs]
    found: list[Judgement | None] = []
    failures: dict[int, str] = {}
    seconds, before = 0.0, verifier.usage
    for first in range(0, len(shown), BATCH):
        batch = shown[first : first + BATCH]
        started = time.perf_counter()
        try:
            found += judged_pairs(verifier, batch, timeout_s=timeout_s)
            seconds += time.perf_counter() - started
        except MedragError as error:
            found += [None] * len(batch)
            failures |= dict.fromkeys(range(first, len(found)), error.sentence)
        on_progress(len(found))
    named = verifier.name, verifier.fingerprint
    tokens = _tokens(verifier.usage) - _tokens(before)
    return Checked(*named, pair_set.pairs, tuple(found), seconds, failures, tokens)


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens


def _rows(place: int) -> Bools:
    """Return a mask of the cells whose true label is at `place`."""
    cells = np.zeros((len(LABELS), len(LABELS)), dtype=bool)
    cells[place] = True
    return cells
