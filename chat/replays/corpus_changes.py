"""Tell how the documents in force have changed since a turn, for its page and its replay."""

from __future__ import annotations

import datetime
from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from chat.models import AuditEvent, Turn
from chat.pipeline.corpus_snapshot import Snapshot, corpus_snapshot
from chat.selectors import OPEN_TO_CLINICIANS
from corpus.models import Document

NOT_OPEN = "a document that is not open to you"
# Events of a document, in words for an answer.
CHANGES = {
    "document.withdrawn": "withdrawn",
    "document.superseded": "superseded",
    "document.edited": "its details were corrected",
    "document.corrected": "its text was corrected",
    "document.reindexed": "read anew",
    "document.reinstated": "put back in force",
    "document.returned": "returned to its author",
    "document.published": "published",
    "chunk.disabled": "a passage was taken out of the search",
    "chunk.enabled": "a passage was put back into the search",
}


@dataclass(frozen=True)
class DocumentChange:
    """What happened to a document since: words of `CHANGES`, each with its day."""

    title: str
    events: tuple[tuple[str, datetime.date], ...]

    @property
    def sentence(self) -> str:
        changes = ", ".join(f"{what} on {day:%-d %B %Y}" for what, day in self.events)
        return f"{self.title}: {changes}."


def corpus_movement(turn: Turn, now: Snapshot | None = None) -> str:
    """Say how the documents in force for the turn's day have changed; empty if they have not.

    Runs one query, unless `now` is given. Empty too for a turn that was stored without a summary.
    """
    stored: dict[str, Any] | None = turn.trace.get("corpus")
    if not stored or "asked" not in turn.trace:
        return ""
    now = now or corpus_snapshot(datetime.date.fromisoformat(turn.trace["asked"]["on"]))
    then, today = int(stored["documents"]), now.documents
    if then != today:
        moved = "grown" if today > then else "shrunk"
        return f"The corpus has {moved} from {then} to {today} documents in force."
    if stored["digest"] != now.digest:
        return f"The corpus has changed: documents in force are {today} as then, not all the same."
    if stored["disabled"] != now.disabled:
        return "Other passages are taken out of the search now."
    return ""


def changed_documents(turn: Turn, readable: Set[int]) -> list[DocumentChange]:
    """Return the documents that came, went or changed since a turn, in the order of the log.

    Those that were never in force are left out; one of a collection that is not `readable` has no
    title. Runs three queries.
    """
    events: dict[int, list[tuple[str, datetime.date]]] = {}
    for event in _since(turn).iterator():
        number = int(event.subject.removeprefix("document:"))
        day = timezone.localdate(event.at)
        events.setdefault(number, []).append((CHANGES[event.action], day))
    documents = Document.objects.filter(pk__in=events, lifecycle__in=OPEN_TO_CLINICIANS)
    known = {document.pk: document for document in documents.only("title", "version", "collection")}
    return [
        DocumentChange(
            str(known[pk]) if known[pk].collection_id in readable else NOT_OPEN,
            tuple(dict.fromkeys(happened)),
        )
        for pk, happened in events.items()
        if pk in known
    ]


def _since(turn: Turn) -> QuerySet[AuditEvent]:
    """Return the events after the turn's own, by their number, which is the log's key."""
    events = AuditEvent.objects.filter(action__in=CHANGES, subject__startswith="document:")
    own = AuditEvent.objects.filter(subject=f"turn:{turn.pk}", action=f"turn.{turn.status}").first()
    events = events.filter(seq__gt=own.seq) if own else events.filter(at__gt=turn.created_at)
    return events.only("subject", "action", "at").order_by("seq")
