"""Reads of what is to be sent."""

from __future__ import annotations

from django.db.models import QuerySet
from django.db.models.functions import Now

from webhooks.models import Delivery, DeliveryState, Endpoint


def deliveries_due() -> QuerySet[Delivery]:
    """Return what waits for an attempt now, to endpoints that are active."""
    waiting = Delivery.objects.filter(state=DeliveryState.PENDING, due_at__lte=Now())
    return waiting.filter(endpoint__is_active=True)


def are_deliveries_due() -> bool:
    """Tell whether the worker has a message to send. One query."""
    return deliveries_due().exists()


def endpoints_due() -> list[Endpoint]:
    """Return endpoints that something waits for. One query."""
    waiting = deliveries_due().order_by().values("endpoint")
    return list(Endpoint.objects.filter(pk__in=waiting).order_by("pk"))
