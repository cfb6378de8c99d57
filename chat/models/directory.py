"""Models of what the hospital's directory says of accounts and groups."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models


class DirectoryAccount(models.Model):
    """An account that the directory knows; written by `chat.sign_in` alone."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="in_directory",
    )
    # The directory's permanent id of the person; never changed, since names pass to others.
    external_id = models.CharField(max_length=191, null=True, blank=True, unique=True)
    is_its_own = models.BooleanField(default=False)  # the directory created the account
    is_closed = models.BooleanField(default=False)  # by the directory, which may reopen it
    is_gone = models.BooleanField(default=False)  # deleted there: unknown to it until created anew
    groups = ArrayField(models.TextField(), default=list)  # names in [groups] of MEDRAG_OIDC

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"account {self.pk} of the directory"


class DirectoryState(models.Model):
    """What is known of the directory itself, in one row."""

    heard_at = models.DateTimeField()  # to the minute: the last request with the right token
    groups_gone = ArrayField(models.TextField(), default=list)  # deleted there, as `is_gone`

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return "state of the directory"
