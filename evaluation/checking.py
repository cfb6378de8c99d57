"""What a verifier says of labelled pairs, and what its word is worth. Pure."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from chat.calibration_risk import Bin, Bools, calibration_error, reliability
from chat.verification.entailment.types import Verifier
from chat.verification.statements import judged_pairs
from chat.verification.types import Cited, Judgement, Label, Pair
from corpus.errors import MedragError
from evaluation.datasets.nearest import nearest_window
from evaluation.datasets.pairs import LABELS, LabelledPair, PairSet
from evaluation.metrics.accuracy import accuracy
from evaluation.metrics.confusion import Floats, confusion
from evaluation.metrics.false_alarm import false_alarm
from evaluation.metrics.false_pass import false_pass
from evaluation.metrics.label_f1 import label_f1
from evaluation.metrics.label_precision import label_precision
from evaluation.metrics.label_recall import label_recall
from evaluation.metrics.macro_f1 import macro_f1
from evaluation.stats import Interval, interval, interval_of_counts

BATCH = 12  # pairs that are judged together, as an answer's are
_SUPPORTED = LABELS.index(Label.SUPPORTED)


@dataclass(frozen=True)
class Checked:
    """One judgement a pair, in order; None where the verifier failed, and `notes` say why."""

    name: str
    fingerprint: str
    pairs: tuple[LabelledPair, ...]
    judgements: tuple[Judgement | None, ...]
    seconds: float
    notes: Mapping[str, int] = field(default_factory=dict)  # what went wrong: of how many pairs

    @property
    def judged(self) -> list[tuple[LabelledPair, Judgement]]:
        """Those with a judgement."""
        both = zip(self.pairs, self.judgements, strict=True)
        return [(pair, judgement) for pair, judgement in both if judgement is not None]

    @property
    def pairs_per_s(self) -> float:
        return len(self.pairs) / self.seconds if self.seconds else 0.0

    @property
    def per_pair(self) -> list[dict[str, float]]:
        """What is kept of each pair, in order; nothing but `correct` where it has no judgement."""
        return [
            {"correct": right}
            if judgement is None
            else {
                "correct": right,
                "p(supported)": judgement.score,
                "p(contradicted)": judgement.contradiction,
            }
            for right, judgement in zip(self._right(), self.judgements, strict=True)
        ]

    @cached_property
    def confusion(self) -> Floats:
        """`(3, 3)` in the order of `LABELS`: rows what is true, columns what was said."""
        judged = self.judged
        return confusion([p.label for p, _ in judged], [j.label for _, j in judged], LABELS)

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """By measure. Over the pairs that were judged, but for the one that says otherwise."""
        found = {
            "accuracy": interval_of_counts(self.confusion, accuracy),
            "macro F1": interval_of_counts(self.confusion, macro_f1),
            "accuracy, failures wrong": interval(self._right()),
            "unsupported passed": interval_of_counts(
                self.confusion, partial(false_pass, label=_SUPPORTED)
            ),
            "supported stopped": interval_of_counts(
                self.confusion, partial(false_alarm, label=_SUPPORTED)
            ),
            "Brier": interval(self._squares()),
        }
        counted = {
            "precision": (label_precision, self.confusion.sum(axis=0)),
            "recall": (label_recall, self.confusion.sum(axis=1)),
            "F1": (label_f1, np.full(len(LABELS), self.confusion.sum())),
        }
        for name, (measure, of) in counted.items():
            for place, label in enumerate(LABELS):
                one = interval_of_counts(self.confusion, partial(_at, measure, place))
                found[f"{name}, {label}"] = replace(one, n=int(of[place]))
        return found

    @property
    def calibration_error(self) -> float:
        """ECE of the score as the probability of `supported`; 0 where nothing was judged."""
        return calibration_error(*self._probabilities()) if self.judged else 0.0

    @property
    def bins(self) -> tuple[Bin, ...]:
        """The reliability table of the same."""
        return reliability(*self._probabilities()) if self.judged else ()

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
    """Ask about every pair, a few at a time; each atomic statement by itself, as in an answer.

    One that only compares words is shown what a claim would quote (`nearest_window`): in an answer
    a quote is a sentence or two, never an abstract. A model gets the evidence whole. Where it
    fails, the pairs of that call have no judgement.
    """
    shown = [_pair(each, whole=verifier.wants_atoms) for each in pair_set.pairs]
    found: list[Judgement | None] = []
    notes: Counter[str] = Counter()
    started = time.perf_counter()
    for first in range(0, len(shown), BATCH):
        batch = shown[first : first + BATCH]
        try:
            found += judged_pairs(verifier, batch, timeout_s=timeout_s)
        except MedragError as error:
            found += [None] * len(batch)
            notes[error.sentence] += len(batch)
        on_progress(len(found))
    return Checked(
        verifier.name,
        verifier.fingerprint,
        pair_set.pairs,
        tuple(found),
        time.perf_counter() - started,
        dict(notes),
    )


def behind(guards: Checked, model: Checked) -> Checked:
    """The two as an answer goes through them: the model's word where no guard has anything."""
    return Checked(
        f"{guards.name}, then {model.name}",
        f"{guards.fingerprint} {model.fingerprint}",
        guards.pairs,
        tuple(map(_behind, guards.judgements, model.judgements)),
        guards.seconds + model.seconds,
        model.notes,
    )


def _at(measure: Callable[[Floats], Floats], place: int, confusions: Floats) -> Floats:
    return measure(confusions)[..., place]


def _behind(first: Judgement | None, second: Judgement | None) -> Judgement | None:
    return second if first is not None and first.label is Label.SUPPORTED else first


def _pair(pair: LabelledPair, *, whole: bool) -> Pair:
    evidence = pair.evidence if whole else nearest_window(pair.evidence, pair.claim)
    return Pair(pair.claim, Cited((evidence,), pair.context))
