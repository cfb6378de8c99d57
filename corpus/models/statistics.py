"""What BM25 needs to know about the whole index."""

from __future__ import annotations

from django.db import models


class Lexeme(models.Model):
    """A lexeme's document frequency: the number of indexed chunks that hold it."""

    lexeme = models.TextField(primary_key=True)
    document_frequency = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.lexeme


class IndexStatistics(models.Model):
    """Totals over all indexed chunks, in one row: BM25's N and average length."""

    chunks = models.PositiveBigIntegerField(default=0)
    total_length = models.PositiveBigIntegerField(default=0)
    # How many chunks were cut by which configuration; those that none was are not named.
    configurations: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(
        default=dict
    )

    class Meta:
        verbose_name_plural = "index statistics"
        constraints = [
            models.CheckConstraint(condition=models.Q(pk=1), name="index_statistics_one_row"),
        ]

    def __str__(self) -> str:
        return f"{self.chunks} chunks"
