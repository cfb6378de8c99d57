"""Summaries of sections, and texts written by a language model."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import VectorField

from corpus.models.documents import Document
from corpus.models.encoders import Encoder


class SectionSummary(models.Model):
    """A summary of a section or a whole document, which leads to its passages.

    Found by its vector only; never shown, quoted, cited, exported or counted.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="summaries")
    section_path = ArrayField(models.TextField(), default=list)  # empty: the document
    first_index = models.PositiveIntegerField()  # of its passages, both inclusive
    last_index = models.PositiveIntegerField()
    text = models.TextField()
    made_by = models.TextField()  # `corpus.summaries.made_by`

    class Meta:
        ordering = ["document", "first_index", "-last_index"]
        verbose_name_plural = "section summaries"
        constraints = [
            models.UniqueConstraint(
                fields=["document", "first_index", "last_index"], name="summary_once"
            ),
        ]

    def __str__(self) -> str:
        return f"passages {self.first_index} to {self.last_index}"


class SummaryVector(models.Model):
    """A summary's vector, in a table of its own, so that comparing them all reads little."""

    summary = models.OneToOneField(
        SectionSummary, on_delete=models.CASCADE, primary_key=True, related_name="vector"
    )
    encoder = models.ForeignKey(Encoder, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=100)  # {sha256}_s{first}_{last}: ties go by it
    embedding = VectorField()  # unit norm, of as many dimensions as its encoder makes

    def __str__(self) -> str:
        return f"of summary {self.pk}"


class ContextLine(models.Model):
    """A context line or summary that a language model wrote, stored to avoid a second request.

    `key` is the SHA-256 of prompt version, model, and the text that the model saw.
    """

    key = models.CharField(max_length=64, primary_key=True)
    line = models.TextField()
    model = models.CharField(max_length=200)
    prompt = models.CharField(max_length=50)
    written_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key
