"""Idempotency keys of uploads."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class UploadKey(models.Model):
    """A client's key for an upload (`Idempotency-Key`).

    `fingerprint` covers the whole request: the same key with another request is an error.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)  # SHA-256, in hex
    sha256 = models.CharField(max_length=64)  # of the document that it became
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="upload_key_once"),
        ]

    def __str__(self) -> str:
        return self.key
