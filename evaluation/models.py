"""Store question sets, their runs, and the results of each question."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.text import Truncator

from core.leases import Leased


class QuestionSet(models.Model):
    """Questions to ask over the site's own corpus, identified by the digest of the items.

    `notes` gives the first records of the file that were left out, and why.
    """

    name = models.CharField(max_length=200)
    version = models.CharField(max_length=50, blank=True)
    form = models.CharField(max_length=30)  # a key of `evaluation.question_sets.FORMS`
    source = models.CharField(max_length=500, blank=True)
    licence = models.CharField(max_length=200, blank=True)
    digest = models.CharField("SHA-256 of the items", max_length=64, unique=True)
    left_out = models.PositiveIntegerField("records left out", default=0)
    notes: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name = "set of test questions"
        verbose_name_plural = "sets of test questions"
        ordering = ["name", "version", "pk"]

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


class QuestionKind(models.TextChoices):
    """What a question's answer can be compared with, as defined by `evaluation.question_sets`."""

    ANSWERABLE = "answerable", "Answerable"
    UNANSWERABLE = "unanswerable", "Unanswerable"
    YES_NO = "yes_no", "Yes, no or maybe"
    MULTIPLE_CHOICE = "multiple_choice", "Multiple choice"
    UNLABELLED = "unlabelled", "Unlabelled"


class Question(models.Model):
    """One item of a question set; `evaluation.question_sets.types.Item` describes the fields."""

    question_set = models.ForeignKey(
        QuestionSet, on_delete=models.CASCADE, related_name="questions"
    )
    key = models.CharField(max_length=200)
    question = models.TextField()
    kind = models.CharField(max_length=20, choices=QuestionKind)
    category = models.TextField(blank=True)
    split = models.CharField(max_length=50, blank=True)
    gold_answer = models.TextField(blank=True)
    other_answers: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    gold_claims: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    gold_label = models.CharField(max_length=10, blank=True)
    options: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    relevant: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    page = models.PositiveIntegerField(null=True)
    before: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    patterns: models.JSONField[dict[str, list[str]], dict[str, list[str]]] = models.JSONField(
        default=dict
    )

    class Meta:
        verbose_name = "test question"
        ordering = ["question_set", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["question_set", "key"], name="question_key_once")
        ]

    def __str__(self) -> str:
        return Truncator(self.question).chars(80)


class RunState(models.TextChoices):
    PENDING = "pending", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


class QuestionRun(models.Model):
    """A run of a set's questions, asked of this site as a clinician would; see `QuestionResult`.

    `frozen` is what the run was started with: number and digest of the items, configuration,
    models, prompts, corpus, version, seed, measures and budget. `metrics` is the result card, as
    written by `evaluation.question_runs.result_card`. The rights of `asker` apply, or those of the
    system if null. `is_here`: a command executes the run, and the worker leaves it alone.
    """

    question_set = models.ForeignKey(QuestionSet, on_delete=models.PROTECT, related_name="runs")
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=RunState, default=RunState.PENDING)
    is_here = models.BooleanField("executed by a command", default=False)
    frozen: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    metrics: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    note = models.TextField(blank=True)  # for people: why the run ended before its last item
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "run of test questions"
        verbose_name_plural = "runs of test questions"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.pk})"


class ResultState(models.TextChoices):
    PENDING = "pending", "Waiting"
    RUNNING = "running", "Being asked"
    DONE = "done", "Done"
    FAILED = "failed", "Could not be asked"


class ResultOutcome(models.TextChoices):
    """The outcome of one question, the worst first."""

    DANGEROUS = "dangerous", "Dangerous"  # the answer would harm
    WRONG = "wrong", "Wrong"
    PARTLY = "partly", "Partly right"
    REFUSED = "refused", "Refused, though it can be answered"
    UNCOMPARED = "uncompared", "Answered, without a pattern or label"
    RIGHT = "right", "Right"


class QuestionResult(Leased):
    """The result of one question of a run.

    `turn_key` is drawn before the question is asked and becomes its turn's primary key, so that a
    turn whose result was not saved is found again, and a second one can't be stored. The lease says
    which process asks the question now. `detail` keeps what measures need, under the names of
    `evaluation.question_runs.types`.
    """

    run = models.ForeignKey(QuestionRun, on_delete=models.CASCADE, related_name="results")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    place = models.PositiveIntegerField()  # 1-based, in the order of the set
    state = models.CharField(max_length=10, choices=ResultState, default=ResultState.PENDING)
    outcome = models.CharField(max_length=10, choices=ResultOutcome, blank=True)
    turn_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    turn = models.ForeignKey("chat.Turn", null=True, on_delete=models.PROTECT, related_name="+")
    scores: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(default=dict)
    detail: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    failure = models.TextField(blank=True)
    duration_ms = models.PositiveIntegerField(null=True)
    judged_ms = models.PositiveIntegerField(null=True)  # the time of its measures, after the answer
    tokens = models.PositiveIntegerField(null=True)  # read and written by the answering models

    class Meta:
        verbose_name = "answer to a test question"
        verbose_name_plural = "answers to test questions"
        ordering = ["run", "place"]
        constraints = [
            models.UniqueConstraint(fields=["run", "question"], name="question_once_a_run")
        ]
        indexes = [models.Index(fields=["run", "state", "place"], name="result_due")]

    def __str__(self) -> str:
        """Return the question's beginning. Runs a query unless the question was selected too."""
        return f"{self.place}. {Truncator(self.question.question).chars(80)}"


class DayFigures(models.Model):
    """Figures of what people asked on one day of the site's time zone.

    `refused` counts refusals by reason. `scores` counts the gate's scores in ten bins of equal
    width over [0, 1], the last including 1, without questions that were refused before the gate or
    lost their trace under retention. Feedback counts on the day it was given, so that a day's
    figures are final.
    """

    day = models.DateField(primary_key=True)
    answered = models.PositiveIntegerField()
    refused: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField()
    scores: models.JSONField[list[int], list[int]] = models.JSONField()
    p50_ms = models.FloatField("p50, ms", null=True)  # null if nothing was asked
    p95_ms = models.FloatField("p95, ms", null=True)
    helpful = models.PositiveIntegerField()
    not_helpful = models.PositiveIntegerField()

    class Meta:
        verbose_name = verbose_name_plural = "figures of days"
        ordering = ["-day"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.day:%Y-%m-%d}"

    @property
    def helped(self) -> float | None:
        """The share of feedback that says helpful, or None without feedback."""
        rated = self.helpful + self.not_helpful
        return self.helpful / rated if rated else None


class DriftMeasure(models.TextChoices):
    """A measure that is compared with earlier days."""

    SCORES = "scores", "The gate's scores"
    OUTCOMES = "outcomes", "Answered, and reasons to refuse"
    LATENCY = "latency", "Latency"


class DriftAlert(models.Model):
    """A drift of a measure, from the day it began until it ended; the figures are of the first day.

    `statistic` is the PSI, or for latency the Kolmogorov-Smirnov distance; `p` is corrected.
    """

    measure = models.CharField(max_length=10, choices=DriftMeasure)
    began_on = models.DateField()
    ended_on = models.DateField(null=True)
    statistic = models.FloatField()
    p = models.FloatField()
    n_before = models.PositiveIntegerField("questions before")
    n = models.PositiveIntegerField("questions")

    class Meta:
        ordering = ["-began_on", "measure"]
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["measure"], condition=models.Q(ended_on=None), name="alert_one_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_measure_display()}, since {self.began_on:%Y-%m-%d}"


class RetractionCheck(models.Model):
    """One day's check against the list of retracted publications: its counts, or its problem."""

    day = models.DateField(primary_key=True)
    listed = models.PositiveIntegerField("numbers on the list", default=0)
    left_out = models.PositiveIntegerField("lines without a number", default=0)
    documents = models.PositiveIntegerField("documents looked at", default=0)
    found = models.PositiveIntegerField("documents on the list", default=0)
    problem = models.TextField(blank=True)

    class Meta:
        verbose_name = "check for retractions"
        verbose_name_plural = "checks for retractions"
        ordering = ["-day"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.day:%Y-%m-%d}"


class RetractionAlert(models.Model):
    """A document on the list, until it is out of use or no longer on the list."""

    document = models.ForeignKey("corpus.Document", on_delete=models.CASCADE, related_name="+")
    number = models.CharField(max_length=500)  # as `corpus.publications` writes it
    reason = models.CharField(max_length=500, blank=True)  # in the words of the list
    began_on = models.DateField()
    ended_on = models.DateField(null=True)

    class Meta:
        ordering = ["-began_on", "-pk"]
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["document"], condition=models.Q(ended_on=None), name="retraction_one_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.document}, {self.number}"
