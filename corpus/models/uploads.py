"""What programs said of an upload, so that one sent twice is taken in once."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class UploadKey(models.Model):
    """The name that a program gave an upload of its own (`Idempotency-Key`).

    `fingerprint` is of all that came with it: the same key with anything else is a mistake.
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
