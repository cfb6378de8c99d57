"""Models of feedback by askers and reviews by colleagues."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from chat.models.answers import Claim, Turn


class Feedback(models.Model):
    """An asker's feedback on a turn."""

    turn = models.OneToOneField(
        Turn, on_delete=models.CASCADE, related_name="feedback", verbose_name="answer"
    )
    helpful = models.BooleanField()
    comment = models.TextField(blank=True, max_length=2000)
    created_at = models.DateTimeField("given at", auto_now_add=True)

    class Meta:
        verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return "helpful" if self.helpful else "not helpful"


class Verdict(models.TextChoices):
    """Verdicts of a reviewer: the first four on an answer, the last two on a refusal."""

    CORRECT = "correct", "Correct"
    INCOMPLETE = "incomplete", "Incomplete"
    WRONG = "wrong", "Wrong"
    DANGEROUS = "dangerous", "Dangerous"
    RIGHTLY_REFUSED = "rightly_refused", "Rightly refused"
    WRONGLY_REFUSED = "wrongly_refused", "Wrongly refused"


class Flag(models.TextChoices):
    """Reasons to review a turn."""

    HAND = "hand", "Chosen by hand"
    FEEDBACK = "feedback", "Said to be not helpful"
    CONFLICT = "conflict", "Guidelines disagree"
    CONFIDENCE = "confidence", "Low confidence"
    RECALLED = "recalled", "Cites a withdrawn document"
    SAMPLE = "sample", "Drawn by chance"


class ReviewState(models.TextChoices):
    OPEN = "open", "Open"
    DONE = "done", "Done"


class Review(models.Model):
    """A requested or finished review of a turn. Decided once, and then never changed.

    `seed` and `percent` are those of the sample that selected the turn, if one did.
    """

    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="reviews")
    state = models.CharField(max_length=10, choices=ReviewState, default=ReviewState.OPEN)
    flags = models.JSONField(default=list)  # of `Flag`, in the order in which they came
    seed = models.BigIntegerField(null=True)
    percent = models.FloatField(null=True)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        verbose_name="assigned to",
    )
    verdict = models.CharField(max_length=20, choices=Verdict, blank=True)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField("in the queue since", auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    done_at = models.DateTimeField(null=True)
    done_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        verbose_name="judged by",
    )

    class Meta:
        ordering = ["-state", "created_at", "pk"]  # open ones first
        default_permissions = ("view", "add", "change")
        permissions = [("export_review", "Can export reviews")]
        constraints = [
            models.UniqueConstraint(
                fields=["turn"], condition=models.Q(state="open"), name="review_one_open_per_turn"
            ),
            models.CheckConstraint(
                condition=models.Q(state="open", verdict="", done_at=None)
                | (models.Q(state="done", done_at__isnull=False) & ~models.Q(verdict="")),
                name="review_done_has_verdict",
            ),
        ]

    def __str__(self) -> str:
        return f"review {self.pk}"

    @property
    def why(self) -> str:
        return ", ".join(str(Flag(flag).label) for flag in self.flags)


class SupportLabel(models.TextChoices):
    """Labels of a reviewer for a statement, compared with its citations."""

    SUPPORTED = "supported", "Supported"
    NOT_SUPPORTED = "not_supported", "Not supported"
    UNSAFE = "unsafe", "Unsafe"
    UNSURE = "unsure", "Unsure"


class ClaimLabel(models.Model):
    """One reviewer's label of one statement; never changed. Written by `chat.reviews.labelling`.

    `place` is 1 or 2 for the independent reviewers, and 3 for the one who decides between them.
    """

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="labels")
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="labels")
    place = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=15, choices=SupportLabel)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["review", "claim", "place"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["review", "claim", "place"], name="label_once_a_place"),
            models.UniqueConstraint(fields=["review", "claim", "by"], name="label_once_a_person"),
            models.CheckConstraint(
                condition=models.Q(place__in=[1, 2, 3]), name="label_by_three_at_most"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.claim_id}/{self.place}"
