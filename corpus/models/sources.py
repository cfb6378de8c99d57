"""Models of watched sources: folders and addresses whose files become drafts."""

from __future__ import annotations

from django.db import models

from core.leases import Leased
from corpus.models.documents import Collection, Document


class Source(Leased):
    """A source by its name in MEDRAG_SOURCES. `corpus.sources` is its only writer."""

    name = models.CharField(max_length=31, unique=True)
    collection = models.ForeignKey(
        Collection, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    looked_at = models.DateTimeField("last look", null=True)
    fault = models.TextField(blank=True)  # of the last look; then nothing was changed
    is_wanted = models.BooleanField(default=False)  # somebody pressed "Look now"

    class Meta:
        verbose_name = "watched source"
        ordering = ["name"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name


class SourceFile(models.Model):
    """A path or address of a source, and every document that stood there.

    `sha256` and `stamp` are of the bytes that stood there last; the stamp is empty for an address.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="files")
    ref = models.CharField(max_length=500)
    sha256 = models.CharField(max_length=64, blank=True)
    stamp = models.CharField(max_length=50, blank=True)  # size and time of change
    documents = models.ManyToManyField(Document, related_name="source_files")
    seen_at = models.DateTimeField(null=True)
    gone_at = models.DateTimeField(null=True)
    fault = models.TextField(blank=True)  # why it could not be taken in; tried at each look

    class Meta:
        ordering = ["source", "ref"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["source", "ref"], name="source_file_once"),
        ]

    def __str__(self) -> str:
        return self.ref
