"""The queue that wakes workers. It holds a document's id and nothing else.

The queue is a table of our own database, so a wake-up is committed with the row it is about. It
may be lost, late or doubled: the truth is `corpus.models.Job`. Only this queue's cluster runs
ingestion; tasks of other apps belong to a cluster of another name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.utils import timezone
from django_q.models import OrmQ
from django_q.signing import BadSignature, SignedPackage
from django_q.tasks import async_task

INDEX_TASK = "corpus.tasks.index_document"


def enqueue(document_id: int) -> None:
    """Wake a worker for one job more. Call it in the transaction that makes it wait."""
    async_task(INDEX_TASK, document_id)


class Queue:
    """The rows of the queue. It remembers what it has decoded, since rows never change."""

    def __init__(self) -> None:
        self._documents: dict[int, int | None] = {}

    def rows(self) -> dict[int, list[int]]:
        """Return the waiting or fetched rows of each document. One query, two when there are new
        ones.
        """
        present = set(_rows().values_list("pk", flat=True))
        self._documents = {pk: d for pk, d in self._documents.items() if pk in present}
        unseen = present - self._documents.keys()
        if unseen:
            for pk, payload in _rows().filter(pk__in=unseen).values_list("pk", "payload"):
                self._documents[pk] = _document_of(payload)
        found: dict[int, list[int]] = {}
        for pk, document_id in self._documents.items():
            if document_id is not None:
                found.setdefault(document_id, []).append(pk)
        return found

    def wake(self, document_ids: Iterable[int]) -> None:
        """Wake a worker for each of these, by a row that a dead worker had fetched or a new one.

        A row that waits already is not enough: it may be all that another job has left.
        """
        wanted = list(document_ids)
        rows = self.rows() if wanted else {}
        for document_id in wanted:
            if not release(rows.get(document_id, [])):
                enqueue(document_id)


def release(row_ids: Iterable[int]) -> int:
    """Make rows that were fetched fetchable again; return how many."""
    return int(
        _rows().filter(pk__in=list(row_ids), lock__gt=timezone.now()).update(lock=timezone.now())
    )


def delete(row_ids: Iterable[int]) -> None:
    """Delete rows. What a cluster holds of them in its memory finds nothing to do."""
    _rows().filter(pk__in=list(row_ids)).delete()


def release_all() -> None:
    """Do the same for every row: what a dead cluster held in its memory is fetched again.

    Rows that another living cluster holds are fetched twice; the second claim finds nothing to do.
    """
    _rows().filter(lock__gt=timezone.now()).update(lock=timezone.now())


def _rows() -> Any:
    return OrmQ.objects.filter(key=settings.Q_CLUSTER["name"])


def _document_of(payload: str) -> int | None:
    """Return the document that a row is about; None for another task or a foreign signature."""
    try:
        task = SignedPackage.loads(payload)
    except BadSignature:
        return None
    if task.get("func") != INDEX_TASK or not task.get("args"):
        return None
    return int(task["args"][0])
