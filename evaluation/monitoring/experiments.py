"""Count the questions in each arm of an experiment. Only reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from chat.models import Arm, Experiment, Feedback, Reason, Review, Turn
from evaluation.metrics.statistics import newcombe_interval
from evaluation.monitoring.quality import Share, wrong_share


@dataclass(frozen=True)
class ArmFigures:
    """The figures of one arm. Its configurations include those of the search and the models."""

    questions: int
    conversations: int
    configurations: int  # distinct fingerprints; more than one if the site changed
    refused: Counter[str]  # by reason
    p50_ms: float | None
    p95_ms: float | None
    helpful: Share  # of the feedback
    wrong: Share  # of the reviewed answers that were drawn at random

    @property
    def answered(self) -> Share:
        return Share(self.questions - self.refused.total(), self.questions)


@dataclass(frozen=True)
class Held:
    """A share of the candidate compared with the baseline's."""

    name: str
    baseline: Share
    candidate: Share

    @property
    def difference(self) -> tuple[float, float, float] | None:
        """Candidate minus baseline and its 95 % interval; None if either has no case."""
        first, second = self.baseline, self.candidate
        if first.share is None or second.share is None:
            return None
        bounds = newcombe_interval((first.hits, first.n), (second.hits, second.n))
        return second.share - first.share, *bounds


@dataclass(frozen=True)
class ExperimentReport:
    baseline: ArmFigures
    candidate: ArmFigures
    shares: tuple[Held, ...]  # answered, helped, wrong
    refused: tuple[Held, ...]  # share of all questions by reason, the most frequent first

    @property
    def is_candidate_worse(self) -> bool:
        """Whether more of its answers are wrong than chance explains: the interval is above 0."""
        difference = self.shares[-1].difference
        return difference is not None and difference[1] > 0


def experiment_reported(experiment: Experiment) -> ExperimentReport:
    """Count both arms over all their questions. Runs six queries."""
    baseline, candidate = (_figures(experiment, arm) for arm in (Arm.BASELINE, Arm.CANDIDATE))
    both = baseline.refused + candidate.refused
    return ExperimentReport(
        baseline,
        candidate,
        (
            Held("Answered", baseline.answered, candidate.answered),
            Held("Helped, of those who said so", baseline.helpful, candidate.helpful),
            Held("Wrong or dangerous, of answers reviewed", baseline.wrong, candidate.wrong),
        ),
        tuple(
            Held(
                str(Reason(reason).label),
                Share(baseline.refused[reason], baseline.questions),
                Share(candidate.refused[reason], candidate.questions),
            )
            for reason in sorted(both, key=lambda reason: (-both[reason], reason))
        ),
    )


def _figures(experiment: Experiment, arm: Arm) -> ArmFigures:
    turns = Turn.objects.filter(experiment=experiment, arm=arm)
    rows = list(
        turns.order_by().values_list("reason", "duration_ms", "conversation", "fingerprint")
    )
    reasons = Counter(reason for reason, *_ in rows)
    del reasons[""]
    ratings = Counter(
        Feedback.objects.filter(turn__in=turns.order_by()).values_list("helpful", flat=True)
    )
    p50, p95 = np.percentile([row[1] for row in rows], [50, 95]) if rows else (None, None)
    return ArmFigures(
        questions=len(rows),
        conversations=len({row[2] for row in rows}),
        configurations=len({row[3] for row in rows} - {""}),
        refused=reasons,
        p50_ms=p50,
        p95_ms=p95,
        helpful=Share(ratings[True], ratings.total()),
        wrong=wrong_share(Review.objects.filter(turn__in=turns.order_by()), sampled=True),
    )
