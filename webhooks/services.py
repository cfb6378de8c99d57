"""Write endpoints and deliveries; nothing else does.

A message is stored in the transaction of the change that it announces, so that both are kept or
lost together, and nobody who publishes waits for a network. `webhooks.sending` sends it.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from chat.audit import log as audit
from core.errors import MedragError
from core.wake_ups import ANNOUNCING, wake
from webhooks.models import Delivery, DeliveryState, Endpoint, Event

SECRET_BYTES = 32  # Standard Webhooks takes 24 to 64


class BadAddress(MedragError):
    """An address to which nothing is sent."""


def refuse_bad_address(url: str) -> None:
    """Raise BadAddress unless the URL is https, or http to this machine if the site allows that."""
    hint = "Nothing was changed. Give an address such as https://records.example.org/medrag."
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise BadAddress("This is not an address.", hint=hint) from None
    if not host or not url.isascii() or not url.isprintable() or " " in url:
        raise BadAddress("This is not an address.", hint=hint)
    if parts.username is not None or parts.fragment:
        raise BadAddress("The address must have no user name, password or #fragment.", hint=hint)
    if parts.scheme == "https":
        return
    if parts.scheme != "http" or not (settings.WEBHOOKS_LOOPBACK and _is_loopback(host)):
        raise BadAddress("Only https addresses are allowed.", hint=hint)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a host name may resolve to any machine


def endpoint_save(endpoint: Endpoint, *, by: User, fields: Sequence[str] = ()) -> str:
    """Store a new endpoint, or the changed `fields` of an existing one, and record it in the log.

    Returns the secret of a new endpoint, else an empty string. Raises BadAddress.
    """
    refuse_bad_address(endpoint.url)
    is_new = endpoint.pk is None
    with transaction.atomic():
        if is_new:
            endpoint.secret, endpoint.created_by = _secret(), by
            endpoint.save()
        else:
            endpoint.save(update_fields=fields)
        _record("created" if is_new else "changed", endpoint, by=by, fields=sorted(fields))
    return endpoint.secret if is_new else ""


def endpoint_renew_secret(endpoint: Endpoint, *, by: User) -> str:
    """Replace the endpoint's secret, and return the new one, which is shown only this once."""
    with transaction.atomic():
        endpoint.secret = _secret()
        endpoint.save(update_fields=["secret"])
        _record("secret_renewed", endpoint, by=by)
    return endpoint.secret


def event_announce(event: Event, tell: Callable[[], dict[str, Any]]) -> None:
    """Store a message for each active endpoint that subscribes to the event.

    Runs one query if none does, else three and those of `tell`. To be called in the transaction of
    the event. `tell` returns what another system may see: ids, titles of guidelines and states,
    never what somebody asked, wrote or was answered.
    """
    wanting = Endpoint.objects.filter(is_active=True, events__contains=[event]).order_by("pk")
    endpoints = list(wanting.values_list("pk", flat=True))
    if not endpoints:
        return
    message = {"type": str(event), "timestamp": timezone.now().isoformat(), "data": tell()}
    body = json.dumps(message, ensure_ascii=False)
    Delivery.objects.bulk_create(
        Delivery(endpoint_id=endpoint, event=event, body=body) for endpoint in endpoints
    )
    wake(ANNOUNCING)


@transaction.atomic
def deliveries_send_again(deliveries: QuerySet[Delivery]) -> int:
    """Make given-up deliveries pending again, with all their attempts, and return how many."""
    given_up = Delivery.objects.filter(pk__in=deliveries.values("pk"), state=DeliveryState.FAILED)
    wake(ANNOUNCING)
    return given_up.update(
        state=DeliveryState.PENDING, attempts=0, due_at=Now(), ended_at=None, last_error=""
    )


def deliveries_prune() -> int:
    """Delete deliveries that ended longer ago than the site keeps them; return how many."""
    before = Now() - timedelta(days=settings.WEBHOOKS_KEEP_DAYS)
    ended = Delivery.objects.exclude(state=DeliveryState.PENDING).filter(ended_at__lt=before)
    return ended.delete()[0]


def _secret() -> str:
    return f"whsec_{base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"


def _record(what: str, endpoint: Endpoint, *, by: User, **more: Any) -> None:
    """Record a change in the log, with the URL's host only: the rest may hold a secret."""
    payload = {
        "id": endpoint.pk,
        "host": urlsplit(endpoint.url).netloc,
        "events": sorted(endpoint.events),
        "active": endpoint.is_active,
        **more,
    }
    subject = f"webhook:{endpoint.pk}"
    audit.record(f"webhook.{what}", actor=by, subject=subject, payload=payload)
