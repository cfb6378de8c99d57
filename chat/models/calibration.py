"""Calibrations of the gate."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class CalibrationRecord(models.Model):
    """One calibration of the gate. Only `is_active` ever changes."""

    number = models.PositiveIntegerField(unique=True)  # 1, 2, 3 ...
    created_at = models.DateTimeField("made at", auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        verbose_name="made by",
    )  # null: somebody at the terminal
    method = models.CharField(max_length=20)  # `platt`
    # Version and digest of the learned log-odds; empty: an earlier release's, over other features.
    odds = models.CharField("learned odds", max_length=64, blank=True)
    slope = models.FloatField(default=0.0)  # 0: an earlier release's
    intercept = models.FloatField()
    threshold = models.FloatField()  # [0.5, 1]
    risk = models.FloatField()  # wanted share of unanswerable questions that get through
    guarantee = models.CharField(max_length=20)  # `conformal`; `none` of an earlier release
    counts = models.JSONField()  # of questions by kind
    metrics = models.JSONField()
    encoder = models.CharField(
        "search model", max_length=200
    )  # fingerprint of the encoder whose cosines were read
    retrieval = models.CharField(max_length=64)  # fingerprint of the search
    testset = models.CharField("test set", max_length=200)
    testset_digest = models.CharField("SHA-256 of the test set", max_length=64)
    plot = models.BinaryField()  # PNG
    is_active = models.BooleanField("in use", default=False)

    class Meta:
        verbose_name = "calibration"
        ordering = ["-number"]
        default_permissions = ("view", "change")
        constraints = [
            models.UniqueConstraint(
                fields=["encoder"],
                condition=models.Q(is_active=True),
                name="calibration_one_active_per_encoder",
            )
        ]

    def __str__(self) -> str:
        return self.version

    @property
    def version(self) -> str:
        return f"site-{self.number}"
