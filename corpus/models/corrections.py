"""What staff corrected of what was read, kept apart from it."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from corpus.models.documents import Document


class Correction(models.Model):
    """The right words of a block or a table cell that was misread, as somebody typed them.

    Never changed but for `is_current` and who saw it: another wording, and taking it back, which
    is a correction to what was read, is a row of its own.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="corrections")
    page = models.PositiveIntegerField()  # 1-based
    block = models.PositiveIntegerField()  # its position among the page's blocks
    cell = models.PositiveIntegerField(null=True)  # its position among the table's printed cells
    as_read = models.TextField(blank=True)
    around = models.TextField()  # as read: the cells of its row; of a block the block itself
    text = models.TextField()
    reason = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    seen_by = models.ForeignKey(  # who published it
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    seen_at = models.DateTimeField(null=True)
    is_current = models.BooleanField(default=True)  # no later one of the same place

    class Meta:
        ordering = ["document", "page", "pk"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"correction {self.pk}"

    @property
    def is_taken_back(self) -> bool:
        """Whether what was read counts again."""
        return self.text == self.as_read
