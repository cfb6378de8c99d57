"""Models of the audit log."""

from __future__ import annotations

from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from core.leases import Leased


class AuditEvent(models.Model):
    """One row of the chain. Written only by the database function `audit_append`.

    `hash` covers the stored bytes of every other column; `chat.audit` has the formula.
    """

    seq = models.PositiveBigIntegerField("number", primary_key=True)  # 1, 2, 3 ... without gaps
    at = models.DateTimeField("time")
    actor = models.TextField(blank=True)
    action = models.TextField()
    subject = models.TextField(blank=True)
    payload = models.TextField()  # canonical JSON, kept as text: jsonb would rewrite it
    prev_hash = models.BinaryField(max_length=32, unique=True)
    hash = models.BinaryField(max_length=32, unique=True)

    class Meta:
        ordering = ["seq"]
        default_permissions = ("view",)
        permissions = [
            ("verify_auditevent", "Can verify the log"),
            ("sign_auditevent", "Can sign the head of the log"),
            ("export_auditevent", "Can export the log"),
        ]
        # Events of a subject; a hash index, since a subject may be of any length.
        indexes = [HashIndex(fields=["subject"], name="event_subject")]

    def __str__(self) -> str:
        return f"{self.seq} {self.action}"


class AuditHead(models.Model):
    """The chain's head: the only row, which every writer locks. Written only by `audit_append`."""

    seq = models.PositiveBigIntegerField(default=0)
    hash = models.BinaryField(max_length=32)

    class Meta:
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="audit_head_one_row")]

    def __str__(self) -> str:
        return str(self.seq)


class LogForwardRows(QuerySet["LogForward"]):
    """Rows of collectors."""

    def free(self) -> LogForwardRows:
        """Return the rows that nobody sends from now."""
        return self.filter(Q(lease_until=None) | Q(lease_until__lt=Now()))


class LogForward(Leased):
    """How far the log was sent to one collector, and what kept the last attempt."""

    to = models.CharField(max_length=500, primary_key=True)
    seq = models.PositiveBigIntegerField(default=0)
    fault = models.CharField(max_length=300, blank=True)

    objects = LogForwardRows.as_manager()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.to} {self.seq}"
