"""What BM25 counts over the whole index."""

from __future__ import annotations

from django.db import models


class Lexeme(models.Model):
    """In how many indexed chunks a lexeme stands: the document frequency of BM25."""

    lexeme = models.TextField(primary_key=True)
    document_frequency = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.lexeme


class IndexStatistics(models.Model):
    """The one row of totals over all indexed chunks: the N and average length of BM25."""

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
