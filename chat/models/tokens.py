"""Models of what a token of the API may do, and of tokens that count once."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from chat.models.answers import Scope


class TokenGrant(models.Model):
    """Purpose, scopes and rate of a Knox token; `chat.sign_in.tokens` is its only writer."""

    token = models.OneToOneField("knox.AuthToken", on_delete=models.CASCADE, related_name="grant")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100, blank=True, help_text="what uses it")
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope))
    rate = models.CharField(max_length=20, blank=True)  # such as 600/min; empty: the site's
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    used_on = models.DateField(null=True)  # the last day, by the site's clock

    class Meta:
        verbose_name = "API token"
        ordering = ["-made_at", "-pk"]

    def __str__(self) -> str:
        return self.name or f"token {self.pk}"


class TokenCalls(models.Model):
    """The latest calls of a token; `chat.sign_in.rates` is its only writer.

    The table is unlogged: no call waits for the disk or a standby, and a crash of the server only
    forgets the calls of one window. No constraint, since a call may meet the end of its token.
    """

    token = models.OneToOneField(
        "knox.AuthToken",
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="+",
        db_constraint=False,
    )
    slot = models.BigIntegerField()  # number of the latest slot of time since 1970
    calls = ArrayField(models.IntegerField())  # in each slot, the latest last
    is_admitted = models.BooleanField()  # the latest call

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"calls of token {self.pk[:8]}"


class SpentToken(models.Model):
    """A signed token of the patient's record that was used; `chat.records.hooks` writes it."""

    digest = models.CharField(max_length=64, primary_key=True)  # of issuer and `jti`
    ends = models.DateTimeField(db_index=True)  # then it is refused as expired

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"spent token {self.pk[:8]}"
