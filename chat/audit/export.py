"""Export rows of the log: whole, so that each hash can be recomputed, or without texts."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from chat.audit.log import Actor, record
from chat.models import AuditEvent

_BATCH = 2000
_ID_PARTS = 2  # of an actor `user:7:alice`


def event_rows(events: QuerySet[AuditEvent], *, texts: bool) -> Iterator[dict[str, Any]]:
    """Yield a row per event, in the order of the chain.

    With `texts` a row has the fields of `manage.py audit export`; without, no payload and no user
    name.
    """
    selected = events if texts else events.defer("payload")
    for event in selected.order_by("seq").iterator(chunk_size=_BATCH):
        row = {
            "seq": event.seq,
            "prev_hash": bytes(event.prev_hash).hex(),
            "at": f"{event.at.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%S.%f}Z",
            "actor": event.actor if texts else ":".join(event.actor.split(":")[:_ID_PARTS]),
            "action": event.action,
            "subject": event.subject,
        }
        if texts:
            row["payload"] = event.payload
        yield {**row, "hash": bytes(event.hash).hex()}


def record_work(action: str, *, actor: Actor, payload: dict[str, Any]) -> None:
    """Record in the log what somebody did with the log."""
    with transaction.atomic():
        record(action, actor=actor, subject="audit:log", payload=payload)
