"""Record changes of documents, collections and the lexicon in the audit log.

Connected by `ChatConfig.ready`. A receiver that fails rolls the change back, so no change happens
without its event.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.dispatch import Signal

from chat.audit import log as audit
from chat.rights import answers_citing
from corpus import signals
from corpus.models import AnsweringStop, Collection, Document, Source
from corpus.types import CitingAnswer
from retrieval.models import LexiconEntry
from retrieval.signals import lexicon_changed

DOCUMENT_ACTIONS: dict[str, Signal] = {
    "document.uploaded": signals.document_uploaded,
    "document.edited": signals.document_edited,
    "document.submitted": signals.document_submitted,
    "document.returned": signals.document_returned,
    "document.published": signals.document_published,
    "document.superseded": signals.document_superseded,
    "document.withdrawn": signals.document_withdrawn,
    "document.reinstated": signals.document_reinstated,
    "document.discarded": signals.document_discarded,
    "document.failed": signals.document_failed,
    "document.retried": signals.document_retried,
    "document.reindexed": signals.document_reindexed,
    "chunk.disabled": signals.chunk_disabled,
    "chunk.enabled": signals.chunk_enabled,
    "document.corrected": signals.correction_made,
    "page.looked": signals.page_looked,
    "page.look_taken_back": signals.page_look_taken_back,
}
STOP_ACTIONS = {
    "answering.stopped": signals.answering_stopped,
    "answering.resumed": signals.answering_resumed,
}


def connect() -> None:
    """Connect a receiver to every audited signal; may be called again."""
    for action, signal in DOCUMENT_ACTIONS.items():
        signal.connect(_document_receiver(action), weak=False, dispatch_uid=f"audit.{action}")
    for action, signal in STOP_ACTIONS.items():
        signal.connect(_stop_receiver(action), weak=False, dispatch_uid=f"audit.{action}")
    signals.collection_changed.connect(record_collection, dispatch_uid="audit.collection.changed")
    signals.source_settled.connect(record_source, dispatch_uid="audit.source.settled")
    lexicon_changed.connect(record_lexicon, dispatch_uid="audit.lexicon.changed")
    signals.answers_citing.connect(give_answers_citing, dispatch_uid="chat.answers_citing")


def _document_receiver(action: str) -> Any:
    def receive(sender: object, *, document: Document, actor: audit.Actor, **extra: Any) -> None:
        payload = {
            "id": document.pk,
            "lifecycle": document.lifecycle,
            "sha256": document.sha256,
            "version": document.version,
        }
        if document.superseded_by_id is not None:
            payload["superseded_by"] = document.superseded_by_id
        audit.record(
            action,
            actor=actor,
            subject=f"document:{document.pk}",
            payload=payload | _details(extra),
        )

    return receive


def _stop_receiver(action: str) -> Any:
    def receive(
        sender: object, *, stop: AnsweringStop, actor: audit.Actor, reason: str, **extra: Any
    ) -> None:
        of = {"collection": stop.collection_id, "document": stop.document_id}
        kind = next((name for name, key in of.items() if key is not None), "")
        audit.record(
            action,
            actor=actor,
            subject=f"{kind}:{of[kind]}" if kind else "site",
            payload={"stop": stop.pk, "hides": stop.hides, **audit.reason_details(reason)},
        )

    return receive


def _details(extra: dict[str, Any]) -> dict[str, Any]:
    """Return an event's further details: names and keys, never free text."""
    details: dict[str, Any] = {}
    if "code" in extra:
        details["code"] = str(extra["code"])
    if "source" in extra:
        details["source"] = extra["source"]
    if "fields" in extra:
        details["fields"] = sorted(extra["fields"])
    if "chunk" in extra:
        details["chunk"] = extra["chunk"].key
    if "page" in extra:
        details["page"] = extra["page"]
    if "correction" in extra:
        correction = extra["correction"]
        details |= {"correction": correction.pk, "page": correction.page}
        details["taken_back"] = correction.is_taken_back
        if correction.table:
            details["table"] = True
    if extra.get("reason"):
        details |= audit.reason_details(str(extra["reason"]))
    return details


def record_collection(
    sender: object, *, collection: Collection, actor: audit.Actor, **extra: Any
) -> None:
    """Record who may search, upload and publish in a collection, as groups by primary key.

    An empty list of groups means everybody.
    """
    groups = {
        right: sorted(getattr(collection, right).values_list("pk", flat=True))
        for right in ("searchers", "uploaders", "publishers")
    }
    payload = {"id": collection.pk, **groups, **_details(extra)}
    audit.record(
        "collection.changed",
        actor=actor,
        subject=f"collection:{collection.pk}",
        payload=payload,
    )


def record_source(
    sender: object, *, source: Source, actor: audit.Actor, settled: str, **extra: Any
) -> None:
    """Record what somebody decided about files that are gone from a source, or moved in it."""
    payload = {"source": source.name, "settled": settled}
    if "file" in extra:
        payload["file"] = extra["file"]
    audit.record("source.settled", actor=actor, subject=f"source:{source.pk}", payload=payload)


def record_lexicon(
    sender: object,
    *,
    entry: LexiconEntry,
    actor: audit.Actor,
    fields: tuple[str, ...],
    **extra: Any,
) -> None:
    """Record a lexicon entry as it is now; without `fields` it was deleted."""
    payload = {
        "id": entry.pk,
        "short": entry.short,
        "words": entry.words,
        "beside": entry.beside,
        "match": entry.match,
        "kind": entry.kind,
        "enabled": entry.enabled,
        "fields": sorted(fields),
    }
    audit.record("lexicon.changed", actor=actor, subject=f"lexicon:{entry.pk}", payload=payload)


def give_answers_citing(
    sender: object, *, document: Document, reader: User | None, **extra: Any
) -> list[CitingAnswer]:
    return answers_citing(document, reader=reader)
