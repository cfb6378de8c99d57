"""The encoders, whose vectors stand in tables of their own."""

from __future__ import annotations

from typing import Any

from django.db import models


class EncoderState(models.TextChoices):
    BUILDING = "BUILDING", "Being built"
    ACTIVE = "ACTIVE", "Searched"
    RETIRED = "RETIRED", "Retired"


class Storage(models.TextChoices):
    """pgvector's type of a vector."""

    VECTOR = "vector", "32-bit floats"
    HALFVEC = "halfvec", "16-bit floats"


class Encoder(models.Model):
    """An encoder and the table of its vectors, which the tables' owner makes and drops.

    `fingerprint` is the space of its vectors (`corpus.encoders.folders.Facts`); empty in what a
    migration took over, until it is known. `position` is its place among those configured, null
    where it is no longer; `searched_as` its place among those that are searched, which changes only
    when all that is configured is there: until then the primary one, whose cosine the gate reads,
    stays the same.
    """

    name = models.CharField(max_length=31)
    fingerprint = models.CharField(max_length=400, blank=True)
    spec: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    dimensions = models.PositiveIntegerField()
    storage = models.CharField(max_length=10, choices=Storage, default=Storage.VECTOR)
    state = models.CharField(max_length=10, choices=EncoderState, default=EncoderState.BUILDING)
    position = models.PositiveIntegerField(null=True)
    searched_as = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "search model"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["name", "state"],
                condition=~models.Q(state="RETIRED"),
                name="encoder_once_in_each_state",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def table(self) -> str:
        """Its vectors: `chunk_id`, and `embedding` of unit norm."""
        return f"corpus_vectors_{self.pk}"
