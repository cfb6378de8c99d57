"""Turn changes of guidelines and reported gaps into messages.

`WebhooksConfig.ready` connects the receivers, after those of the audit log.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.dispatch import Signal

from chat.models import Turn
from chat.rights import reasons_open
from chat.signals import gap_reported
from corpus import signals
from corpus.access import readable_ids
from corpus.models import AnsweringStop, Document
from webhooks.models import Event
from webhooks.services import event_announce

GUIDELINE_EVENTS: tuple[tuple[Event, Signal], ...] = (
    (Event.INDEXED, signals.document_indexed),
    (Event.PUBLISHED, signals.document_published),
    (Event.PUBLISHED, signals.document_reinstated),
    (Event.SUPERSEDED, signals.document_superseded),
    (Event.WITHDRAWN, signals.document_withdrawn),
)
STOP_EVENTS: tuple[tuple[Event, Signal], ...] = (
    (Event.STOPPED, signals.answering_stopped),
    (Event.RESUMED, signals.answering_resumed),
)


def connect() -> None:
    """Connect a receiver to every announced signal; safe to call again."""
    for event, signal in GUIDELINE_EVENTS:
        signal.connect(_guideline_receiver(event), weak=False, dispatch_uid=f"webhooks.{event}")
    for event, signal in STOP_EVENTS:
        signal.connect(_stop_receiver(event), weak=False, dispatch_uid=f"webhooks.{event}")
    gap_reported.connect(announce_gap, dispatch_uid="webhooks.gap")


def _guideline_receiver(event: Event) -> Any:
    def receive(sender: object, *, document: Document, **extra: Any) -> None:
        event_announce(event, lambda: guideline_payload(document))

    return receive


def guideline_payload(announced: Document) -> dict[str, Any]:
    """Return a document's data as of this transaction. Runs one query.

    The document is read again, since the indexing job read it long before.
    """
    documents = Document.objects.select_related("collection", "superseded_by")
    document = documents.get(pk=announced.pk)
    successor = document.superseded_by
    return {
        "id": document.pk,
        "sha256": document.sha256,
        "title": document.title,
        "version": document.version,
        "collection": document.collection.slug,
        "state": document.lifecycle,
        "superseded_by": successor.sha256 if successor else None,
    }


def _stop_receiver(event: Event) -> Any:
    def receive(sender: object, *, stop: AnsweringStop, actor: User, **extra: Any) -> None:
        event_announce(event, lambda: stop_payload(stop, by=actor))

    return receive


def stop_payload(stop: AnsweringStop, *, by: User) -> dict[str, Any]:
    """Return what is stopped, or answered again, and whom to call; its reason may be clinical.

    It is of all guidelines if it names neither a collection nor a document.
    """
    return {
        "id": stop.pk,
        "collection": stop.collection.slug if stop.collection else None,
        "sha256": stop.document.sha256 if stop.document else None,
        "by": by.get_full_name() or by.get_username(),
        "contact": stop.contact,
    }


def announce_gap(sender: object, *, turn: Turn, **extra: Any) -> None:
    event_announce(Event.GAP, lambda: gap_payload(turn))


def gap_payload(turn: Turn) -> dict[str, Any]:
    """Return a refusal with its reason, as one may know it to whom only open collections are open.

    Who reads the messages of another system is not known here.
    """
    reason = reasons_open([turn], readable_ids(None))[turn.pk]
    return {"id": str(turn.pk), "state": turn.status, "reason": reason}
