"""Store the endpoints that events are announced to, and each message."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from core.leases import Leased


class Event(models.TextChoices):
    INDEXED = "guideline.indexed", "Guideline indexed"
    PUBLISHED = "guideline.published", "Guideline published"
    SUPERSEDED = "guideline.superseded", "Guideline superseded"
    WITHDRAWN = "guideline.withdrawn", "Guideline withdrawn"
    GAP = "gap.reported", "Gap reported"
    DRIFTED = "quality.drifted", "Quality drifted"
    STOPPED = "answering.stopped", "Answering stopped"
    RESUMED = "answering.resumed", "Answering resumed"
    RETRACTED = "guideline.retracted", "Guideline on a list of retractions"


class Endpoint(models.Model):
    """An address that messages are sent to.

    It is never deleted, only deactivated, and its messages stay. `secret` signs messages, so it is
    stored as it is; people see it once.
    """

    name = models.CharField(max_length=100)
    url = models.CharField("address", max_length=500)
    events = ArrayField(models.CharField(max_length=30, choices=Event))
    secret = models.CharField(max_length=100, editable=False)
    is_active = models.BooleanField("active", default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["name", "pk"]
        default_permissions = ("view", "add", "change")

    def __str__(self) -> str:
        return self.name


class DeliveryState(models.TextChoices):
    PENDING = "pending", "Waiting"
    DELIVERED = "delivered", "Delivered"
    FAILED = "failed", "Given up"


class Delivery(Leased):
    """A message to one endpoint. `body` is the JSON exactly as signed and sent."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="deliveries")
    event = models.CharField(max_length=30, choices=Event)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=DeliveryState, default=DeliveryState.PENDING)
    due_at = models.DateTimeField("next attempt", db_default=Now())
    last_error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-created_at", "-pk"]
        default_permissions = ("view", "change")
        indexes = [
            models.Index(
                fields=["endpoint", "due_at"],
                condition=models.Q(state="pending"),
                name="delivery_pending",
            ),
            models.Index(fields=["-created_at", "-id"], name="delivery_newest"),
        ]

    def __str__(self) -> str:
        return self.message_id

    @property
    def message_id(self) -> str:
        """The header `webhook-id`, the same in each attempt."""
        return f"msg_{self.pk.hex}"
