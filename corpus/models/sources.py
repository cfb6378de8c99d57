"""Models of watched sources: folders, addresses and libraries whose files become drafts."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from core.leases import Leased
from corpus.models.documents import Collection, Document


class Source(Leased):
    """A source by its name in MEDRAG_SOURCES. `corpus.sources` is its only writer.

    Of a library: a round goes from one delta link to the next, over as many looks as it takes.
    """

    name = models.CharField(max_length=31, unique=True)
    collection = models.ForeignKey(
        Collection, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    looked_at = models.DateTimeField("last look", null=True)
    fault = models.TextField(blank=True)  # of the last look; then nothing was changed
    is_wanted = models.BooleanField(default=False)  # somebody pressed "Look now"
    told = models.TextField(blank=True)  # what somebody should know, though the look went well
    asks = models.TextField(blank=True)  # too much is gone at once to withdraw it unasked
    credential_ends = models.DateField(null=True)  # of the certificate or secret
    scope = models.CharField(max_length=64, blank=True)  # digest of what `drive` and `link` are of
    drive = models.CharField(max_length=200, blank=True)  # Graph's id of the library
    link = models.TextField(blank=True)  # to the next page, or changes; empty: all are listed anew
    round_at = models.DateTimeField(null=True)  # when the round began; null: it ended
    listed_at = models.DateTimeField(null=True)  # since when all are listed; null: changes alone

    class Meta:
        verbose_name = "watched source"
        ordering = ["name"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name


class SourceFile(models.Model):
    """A path or address of a source, and every document that stood there.

    `sha256` and `stamp` are of the bytes that stood there last; the stamp is empty for an address.
    The ref of a file in a library is its id, which it keeps when it is moved or renamed.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="files")
    ref = models.CharField(max_length=500)
    sha256 = models.CharField(max_length=64, blank=True)
    stamp = models.CharField(max_length=50, blank=True)  # size and time of change
    documents = models.ManyToManyField(Document, related_name="source_files")
    seen_at = models.DateTimeField(null=True)
    gone_at = models.DateTimeField(null=True)
    place = models.TextField(blank=True)  # its path in its library, as people know it
    moved_from = models.TextField(blank=True)  # until somebody has seen it
    # Somebody said that it is gone on purpose: it is told no more.
    let_go_at = models.DateTimeField(null=True)
    let_go_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    fault = models.TextField(blank=True)  # why it could not be taken in; tried at each look

    class Meta:
        ordering = ["source", "ref"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["source", "ref"], name="source_file_once"),
        ]

    def __str__(self) -> str:
        return self.place or self.ref

    @property
    def is_told(self) -> bool:
        """Whether staff are told that it is gone or moved."""
        return bool(self.moved_from) or (self.gone_at is not None and self.let_go_at is None)


class SourceFolder(models.Model):
    """A folder of a library: a change names a file's folder by its id, never by its path."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="folders")
    item = models.CharField(max_length=200)
    name = models.TextField(blank=True)  # empty: the library's root
    parent = models.CharField(max_length=200, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["source", "item"], name="source_folder_once"),
        ]

    def __str__(self) -> str:
        return self.name
