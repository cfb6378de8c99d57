"""Model of experiments: two configurations compared on real questions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.lookups import IsNull

from chat.models.answers import Mode


class Arm(models.TextChoices):
    BASELINE = "baseline", "Baseline"  # with the site's settings
    CANDIDATE = "candidate", "Candidate"


class Experiment(models.Model):
    """A configuration for a share of conversations; never changed, except that it is stopped.

    `chat.experiments.services` is its only writer. An empty mode and a threshold of None are the
    site's.
    """

    name = models.CharField(max_length=200)
    mode = models.CharField(max_length=20, choices=Mode, blank=True)
    confidence_threshold = models.FloatField(null=True)  # [0, 1]
    share = models.FloatField("share of conversations")  # (0, 0.5], of the candidate
    baseline = models.JSONField()  # the site's `AnswerConfig` when it was started
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    stopped_at = models.DateTimeField(null=True)
    stopped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    stop_reason = models.TextField(blank=True, max_length=1000)

    class Meta:
        ordering = ["-started_at", "-pk"]
        default_permissions = ("view", "add", "change")  # add: start; change: stop
        constraints = [
            models.UniqueConstraint(
                IsNull(F("stopped_at"), True),
                condition=Q(stopped_at=None),
                name="experiment_one_runs",
            ),
            models.CheckConstraint(
                condition=Q(share__gt=0, share__lte=0.5), name="experiment_share_at_most_half"
            ),
            models.CheckConstraint(
                condition=Q(stopped_at=None, stopped_by=None, stop_reason="")
                | (Q(stopped_at__isnull=False, stopped_by__isnull=False) & ~Q(stop_reason="")),
                name="experiment_stopped_with_reason",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_running(self) -> bool:
        return self.stopped_at is None

    @property
    def difference(self) -> str:
        """The differences of the candidate from the site's settings, in words."""
        parts = []
        if self.mode:
            parts.append(f"mode {self.mode} (the site: {self.baseline['mode']})")
        if self.confidence_threshold is not None:
            site = self.baseline["confidence_threshold"]
            parts.append(f"confidence from {self.confidence_threshold:g} on (the site: {site:g})")
        return ", ".join(parts)
