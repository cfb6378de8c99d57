"""Summaries of sections, and context lines written by a language model."""

from __future__ import annotations

from django.db import models
from pgvector.django import VectorField

from corpus.models.documents import Document
from corpus.models.encoders import Encoder


class SectionSummary(models.Model):
    """A summary of a section or a whole document, which leads to its passages.

    Found by its vector only; never shown, quoted, cited, exported or counted.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="summaries")
    encoder = models.ForeignKey(Encoder, on_delete=models.CASCADE, related_name="+")
    first_index = models.PositiveIntegerField()  # of its passages, both inclusive
    last_index = models.PositiveIntegerField()
    text = models.TextField()
    embedding = VectorField()  # unit norm, of as many dimensions as its encoder makes

    class Meta:
        verbose_name_plural = "section summaries"
        constraints = [
            models.UniqueConstraint(
                fields=["document", "first_index", "last_index"], name="summary_once"
            ),
        ]

    def __str__(self) -> str:
        return f"passages {self.first_index} to {self.last_index}"


class ContextLine(models.Model):
    """A context line that a language model wrote, stored to avoid a second request.

    `key` is the SHA-256 of prompt version, model, and the text that the model saw.
    """

    key = models.CharField(max_length=64, primary_key=True)
    line = models.TextField()
    model = models.CharField(max_length=200)
    prompt = models.CharField(max_length=50)
    written_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key
