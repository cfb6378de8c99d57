"""What a passage says, piece by piece."""

from __future__ import annotations

from django.db import models

from corpus.models.documents import Chunk


class PassageStatement(models.Model):
    """A statement of a passage, as `corpus.statements` cuts it: what an answer is made of.

    Passages that overlap have what they share each. `pieces` is the JSON of
    `corpus.statements.Piece`: first what is said, then what it depends on.
    """

    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="statements")
    index = models.PositiveIntegerField()  # 0-based, in reading order
    kind = models.CharField(max_length=20)  # of its block: `paragraph`, `list_item`, `table` ...
    text = models.TextField()  # as shown: a row with its labels, an item with its introduction
    pieces = models.JSONField()  # list of [page, start, end, text]
    caption = models.TextField(blank=True)  # of a row's table
    table = models.PositiveIntegerField(null=True)  # of a row: where its table starts on the page
    row = models.PositiveIntegerField(null=True)  # 0-based, among all rows of that table

    class Meta:
        ordering = ["chunk", "index"]
        constraints = [
            models.UniqueConstraint(fields=["chunk", "index"], name="statement_once"),
        ]

    def __str__(self) -> str:
        return f"statement {self.index}"


class StatementVector(models.Model):
    """A statement's vector, a byte a component (`corpus.encoders.statement_vectors`).

    In a table of its own: a question reads some hundred statements and compares sixteen.
    """

    statement = models.OneToOneField(
        PassageStatement, on_delete=models.CASCADE, primary_key=True, related_name="vector"
    )
    made_of = models.BinaryField()  # digest of the encoder and of the text that it read
    components = models.BinaryField()  # int8, in order; its length is not kept

    def __str__(self) -> str:
        return f"of statement {self.pk}"
