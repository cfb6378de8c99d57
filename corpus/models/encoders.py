"""Encoders, each with a table of vectors of its own."""

from __future__ import annotations

from typing import Any

from django.db import models


class EncoderState(models.TextChoices):
    BUILDING = "BUILDING", "Being built"
    ACTIVE = "ACTIVE", "Searched"
    RETIRED = "RETIRED", "Retired"


class Storage(models.TextChoices):
    """pgvector's type for a vector."""

    VECTOR = "vector", "32-bit floats"
    HALFVEC = "halfvec", "16-bit floats"


class Encoder(models.Model):
    """An encoder and its table of vectors, which the tables' owner creates and drops.

    `fingerprint` identifies the vector space (`corpus.encoders.folders.Facts`); empty for vectors
    adopted by a migration until it is known. `position` is the place among the configured encoders,
    null for one no longer configured. `searched_as` is the place among the searched ones; it
    changes only when everything configured is ready, so that the primary encoder, whose cosine the
    gate reads, stays until then.
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
        """The table of its vectors: `chunk_id`, and `embedding` of unit norm."""
        return f"corpus_vectors_{self.pk}"

    @property
    def partitions(self) -> list[str]:
        """The tables that hold its vectors: hash partitions by `chunk_id`, or the table itself."""
        count = int(self.spec.get("partitions") or 1)
        return [f"{self.table}_{n}" for n in range(count)] if count > 1 else [self.table]
