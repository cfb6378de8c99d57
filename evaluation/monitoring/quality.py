"""Report how well the site answers, for the person responsible for it. Only reads."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.utils import timezone

from chat.models import WANT_OF_EVIDENCE, Reason, Review, Turn, Verdict
from chat.question.guard import question_guarded
from chat.reviews.counting import verdicts_counted
from chat.reviews.selectors import turns_between
from chat.reviews.services import OF_ANSWER
from chat.reviews.statistics import wilson_interval
from core.errors import MedragError
from corpus.encoders.registry import active_encoders
from corpus.encoders.types import Vectors
from evaluation.models import (
    DayFigures,
    DriftAlert,
    QuestionRun,
    ResultOutcome,
    RetractionAlert,
    RetractionCheck,
    RunState,
)
from evaluation.monitoring.drift import Compared, drift_until
from evaluation.monitoring.selectors import DAY, figures_between, period_of

DAYS = 30
MOST = 300  # questions clustered into topics: encoding them takes some seconds
WRONG = (Verdict.WRONG, Verdict.DANGEROUS)
COMPARED = tuple(each for each in ResultOutcome if each is not ResultOutcome.UNCOMPARED)


def may_see_quality(user: User | AnonymousUser) -> bool:
    """Tell whether the user may see both question runs and reviews."""
    return user.has_perms(("evaluation.view_questionrun", "chat.view_review"))


@dataclass(frozen=True)
class Share:
    """`hits` of `n` cases; the share is None without cases."""

    hits: int
    n: int

    @property
    def share(self) -> float | None:
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval, at 95 %."""
        return wilson_interval(self.hits, self.n)


@dataclass(frozen=True)
class Then:
    """A share of the last 30 days, and of the 30 days before."""

    name: str
    now: Share
    before: Share


@dataclass(frozen=True)
class Quality:
    first: datetime.date
    last: datetime.date
    shares: list[Then]
    refused: list[Then]  # share of all questions by reason, the most frequent first
    wrong: list[tuple[str, Share]]
    drift: list[Compared]
    alerts: list[DriftAlert]  # open ones
    retracted: list[RetractionAlert]  # open ones
    looked: RetractionCheck | None  # the latest check; None if there was none


def quality_shown() -> Quality:
    """Return the figures of the 30 days until yesterday. Runs eleven queries."""
    last = timezone.localdate() - DAY
    first = last - (DAYS - 1) * DAY
    now = figures_between(first, last)
    before = figures_between(first - DAYS * DAY, first - DAY)
    figures = [(_refused(days), sum(day.answered for day in days)) for days in (now, before)]
    (refused, answered), (refused_before, answered_before) = figures
    n, n_before = answered + refused.total(), answered_before + refused_before.total()
    return Quality(
        first=first,
        last=last,
        shares=[
            Then("Answered", Share(answered, n), Share(answered_before, n_before)),
            Then("Helped, of those who said so", _helped(now), _helped(before)),
        ],
        refused=[
            Then(
                str(Reason(reason).label),
                Share(refused[reason], n),
                Share(refused_before[reason], n_before),
            )
            for reason in sorted(
                refused | refused_before, key=lambda reason: (-refused[reason], reason)
            )
        ],
        wrong=[*_wrong_reviewed(first, last), *_wrong_in_last_run()],
        drift=drift_until(last),
        alerts=list(DriftAlert.objects.filter(ended_on=None)),
        retracted=list(RetractionAlert.objects.filter(ended_on=None).select_related("document")),
        looked=RetractionCheck.objects.first(),
    )


def turns_without_guideline(first: datetime.date, last: datetime.date) -> QuerySet[Turn]:
    """Return the turns of these days that were refused for lack of evidence."""
    return turns_between(period_of(first, last)).filter(reason__in=WANT_OF_EVIDENCE)


def topics_without_guideline(first: datetime.date, last: datetime.date) -> tuple[list[Topic], str]:
    """Return the topics of the last 300 questions without a guideline, or why there are none.

    The questions are those of `turns_without_guideline` that still have a text. Names and
    identifiers are redacted. Only for users who may read every question. Runs two queries.
    """
    turns = turns_without_guideline(first, last).filter(text_removed_at=None)
    latest = turns.order_by("-created_at", "-pk").values_list("standalone", "question")[:MOST]
    questions = [question_guarded(standalone or text, "redact").text for standalone, text in latest]
    try:
        return topics_of(questions, active_encoders()[0].embedder.encode_queries), ""
    except MedragError as error:
        return [], error.sentence
    except ImproperlyConfigured as error:
        return [], str(error)


def _refused(days: Iterable[DayFigures]) -> Counter[str]:
    return sum((Counter(day.refused) for day in days), Counter())


def _helped(days: list[DayFigures]) -> Share:
    helpful = sum(day.helpful for day in days)
    return Share(helpful, helpful + sum(day.not_helpful for day in days))


def _wrong_reviewed(first: datetime.date, last: datetime.date) -> list[tuple[str, Share]]:
    """Return the share of wrong answers among these days' reviewed ones, drawn and flagged apart.

    Only the answers drawn at random represent all answers.
    """
    period = period_of(first, last)
    reviews = Review.objects.filter(
        turn__created_at__gte=period.begins, turn__created_at__lt=period.ends
    )
    return [
        (f"Answers reviewed, {name}", wrong_share(reviews, sampled=sampled))
        for name, sampled in (("drawn by chance", True), ("flagged", False))
    ]


def wrong_share(reviews: QuerySet[Review], *, sampled: bool) -> Share:
    """Return the share of reviewed answers that were found wrong or dangerous.

    Counts as `verdicts_counted` does. Runs one query.
    """
    rows = verdicts_counted(reviews, sampled=sampled)
    n = sum(row.hits for row in rows if row.verdict in OF_ANSWER)
    return Share(sum(row.hits for row in rows if row.verdict in WRONG), n)


def _wrong_in_last_run() -> list[tuple[str, Share]]:
    """Return the share of wrong answers among the last run's comparable questions.

    A refused question counts as one of them.
    """
    done = QuestionRun.objects.filter(state=RunState.DONE).exclude(metrics={})
    run = done.select_related("question_set").order_by("-finished_at", "-pk").first()
    if run is None or run.finished_at is None:
        return []
    outcomes: dict[str, int] = run.metrics["outcomes"]
    n = sum(outcomes.get(each, 0) for each in COMPARED)
    hits = sum(outcomes.get(each, 0) for each in (ResultOutcome.WRONG, ResultOutcome.DANGEROUS))
    day = timezone.localtime(run.finished_at).date()
    name = f"Last evaluation, {run.name} of {day:%Y-%m-%d} ({run.question_set})"
    return [(name, Share(hits, n))]


# The mean cosine distance up to which questions share a topic. With the bundled encoder, 24
# invented questions form the topics that people see from 0.4 to 0.55. Our own choice.
THRESHOLD = 0.5


@dataclass(frozen=True)
class Topic:
    """Questions of one topic, named by the question nearest to all of them."""

    name: str
    asked: int  # repeats counted
    others: tuple[str, ...]  # the other wordings, by text


def topics_of(questions: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> list[Topic]:
    """Cluster questions into topics, the most asked first, then by name.

    The result does not depend on the order of questions. Agglomerative, average linkage, on the
    cosine of each wording's vector by `encode`: unit norm, `(n, dimensions)`. `encode` is called
    once, or not at all for fewer than two wordings.
    """
    from sklearn.cluster import AgglomerativeClustering  # late: it takes seconds

    counts = Counter(" ".join(question.split()) for question in questions)
    wordings = sorted(counts)
    if len(wordings) < 2:
        return [Topic(only, counts[only], ()) for only in wordings]
    vectors = encode(wordings).astype(np.float64)
    clustering = AgglomerativeClustering(
        n_clusters=None, metric="cosine", linkage="average", distance_threshold=THRESHOLD
    )
    labels = clustering.fit_predict(vectors)
    nearness = np.round(vectors @ vectors.T, 6)
    topics = []
    for label in range(labels.max() + 1):
        (members,) = np.nonzero(labels == label)
        sums = nearness[np.ix_(members, members)].sum(axis=1).round(5)
        name, *others = (wordings[member] for _, member in sorted(zip(-sums, members, strict=True)))
        count = sum(counts[wording] for wording in (name, *others))
        topics.append(Topic(name, count, tuple(sorted(others))))
    return sorted(topics, key=lambda topic: (-topic.asked, topic.name))
