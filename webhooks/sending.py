"""Send pending messages, signed by Standard Webhooks: each at least once, or given up.

An attempt is counted, and the next one scheduled, before anything is sent. A process killed before
it records that a message arrived therefore leaves a message that is sent once more, under the same
id, by which the receiver recognises it. No transaction and no lock is held during a network call.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import datetime
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connections, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from core.errors import MedragError
from core.leases import FREE, Lease, ends_in
from core.llm.transport import BoundedTransport, CallFailed, posted
from webhooks.models import Delivery, DeliveryState, Endpoint
from webhooks.services import refuse_bad_address

SEND_S = 10.0  # for one attempt in all
# After each attempt but the last; the first exceeds an attempt, so that two never overlap.
WAITS_S = (20, 120, 900, 3600, 4 * 3600, 12 * 3600)
MAX_ATTEMPTS = len(WAITS_S) + 1
ENDPOINTS_AT_ONCE = 8
ROUND_S = 10.0  # then endpoints with new deliveries have their turn
UNKNOWN = "Whether it arrived is not known: the sender is at it, or was stopped."


def deliveries_due() -> QuerySet[Delivery]:
    """Return the deliveries whose next attempt is due, to active endpoints."""
    waiting = Delivery.objects.filter(state=DeliveryState.PENDING, due_at__lte=Now())
    return waiting.filter(endpoint__is_active=True)


def are_deliveries_due() -> bool:
    """Tell whether a delivery is due. Runs one query."""
    return deliveries_due().exists()


def deliveries_send_due() -> None:
    """Send until no delivery is due. Raises the database's errors.

    Endpoints are served in parallel, and the messages to each in sequence: an endpoint that never
    answers delays only its own.
    """
    while endpoints := endpoints_due():
        with ThreadPoolExecutor(ENDPOINTS_AT_ONCE) as pool:
            list(pool.map(_send_in_thread, endpoints))


def endpoints_due() -> list[Endpoint]:
    """Return the endpoints with a delivery due. Runs one query."""
    waiting = deliveries_due().order_by().values("endpoint")
    return list(Endpoint.objects.filter(pk__in=waiting).order_by("pk"))


def _send_in_thread(endpoint: Endpoint) -> None:
    try:
        endpoint_send_due(endpoint)
    finally:
        connections.close_all()


def endpoint_send_due(endpoint: Endpoint) -> None:
    """Send the endpoint's due deliveries until one fails or `ROUND_S` is over."""
    ends = time.monotonic() + ROUND_S
    while time.monotonic() < ends and (lease := _claim(endpoint)):
        error = _sent(endpoint, lease.row)
        _mark(lease, error)
        if error:
            return


@transaction.atomic
def _claim(endpoint: Endpoint) -> Lease[Delivery] | None:
    """Count an attempt at the delivery that is due longest, and lease it; None if none is due.

    Deliveries whose last allowed attempt was never finished are given up first.
    """
    due = deliveries_due().filter(endpoint=endpoint)
    used_up = due.filter(attempts__gte=MAX_ATTEMPTS)
    used_up.update(state=DeliveryState.FAILED, ended_at=Now(), **FREE)
    due = due.filter(attempts__lt=MAX_ATTEMPTS).order_by("due_at", "created_at", "pk")
    return Lease.claim(due, _begun)


def _begun(delivery: Delivery) -> dict[str, Any]:
    next_at = ends_in((*WAITS_S, WAITS_S[0])[delivery.attempts - 1])
    return {"lease_until": next_at, "due_at": next_at, "last_error": UNKNOWN}


def _mark(lease: Lease[Delivery], error: str) -> None:
    """Store the outcome of this attempt, unless another one has begun since."""
    changes: dict[str, Any] = {"last_error": error}
    if not error or lease.row.attempts == MAX_ATTEMPTS:
        state = DeliveryState.FAILED if error else DeliveryState.DELIVERED
        changes |= {"state": state, "ended_at": Now()}
    lease.end(**changes)


def _sent(endpoint: Endpoint, delivery: Delivery) -> str:
    """Send the delivery once; return the error in a few words, or "". Only the status is read."""
    try:
        refuse_bad_address(endpoint.url)
        headers = signed_headers(endpoint, delivery)
        posted(endpoint.url, delivery.body, headers, timeout_s=SEND_S, transport=BoundedTransport())
    except MedragError as error:
        return error.sentence[:300]
    except TimeoutError:
        return f"No answer within {SEND_S:g} s."
    except CallFailed as error:
        if error.status is None:
            return f"It could not be reached ({error.kind})."
        is_moved = 300 <= error.status < 400
        return f"It {error.what}{': redirects are not followed' * is_moved}."
    return ""


def signed_headers(endpoint: Endpoint, delivery: Delivery) -> dict[str, str]:
    """Return the headers of an attempt made now."""
    from standardwebhooks import Webhook  # late: only sites with an endpoint need it

    now = datetime.datetime.now(datetime.UTC)
    signature = Webhook(endpoint.secret).sign(delivery.message_id, now, delivery.body)
    return {
        "Content-Type": "application/json",
        "User-Agent": "MedRAG",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
