"""Tell what answering is stopped from, for all that ask, search or show. Runs one query."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet

from corpus.models import AnsweringStop, Document

_LOCK = (7_304, 0)  # of PostgreSQL's advisory locks: whoever stores an answer shares it


@dataclass(frozen=True)
class Stops:
    """The stops that hold now, the site's first, then the latest."""

    held: tuple[AnsweringStop, ...] = ()

    @property
    def of_site(self) -> AnsweringStop | None:
        return next((s for s in self.held if not (s.document_id or s.collection_id)), None)

    def on(self, document: int, collection: str) -> AnsweringStop | None:
        """Return the stop that covers a document (primary key) of a collection (slug)."""
        for stop in self.held:
            named = stop.collection.slug if stop.collection else ""
            if document == stop.document_id or (named and collection == named):
                return stop
        return self.of_site

    def of(self, document: Document) -> AnsweringStop | None:
        """Return the stop that covers a document. Runs no query."""
        topic = document.collection_id
        narrow = (s for s in self.held if document.pk == s.document_id or topic == s.collection_id)
        return next(narrow, self.of_site)

    def hide(self, document: int, collection: str) -> bool:
        """Tell whether any stop that covers a document leaves it out of searches, too."""
        covering = (Stops((stop,)).on(document, collection) for stop in self.held if stop.hides)
        return any(stop is not None for stop in covering)

    def readable(self, collections: Set[int]) -> list[AnsweringStop]:
        """Return the stops of the site and of these collections (keys) and their documents."""
        return [stop for stop in self.held if _collection_of(stop) in (None, *collections)]


def _collection_of(stop: AnsweringStop) -> int | None:
    return stop.document.collection_id if stop.document else stop.collection_id


def stops_held() -> Stops:
    """Return the stops that hold now. Runs one query."""
    held = AnsweringStop.objects.filter(ended_at=None).select_related(
        "document", "collection", "started_by"
    )
    whole = [stop for stop in held if not (stop.document_id or stop.collection_id)]
    return Stops((*whole, *(stop for stop in held if stop not in whole)))


def stops_covering(document: OuterRef, collection: OuterRef) -> QuerySet[AnsweringStop]:
    """Return the stops that hold on a document, for a condition of another query."""
    covering = Q(document=document) | Q(collection=collection)
    return AnsweringStop.objects.filter(covering | Q(document=None, collection=None), ended_at=None)


def stops_settled() -> Stops:
    """Return the stops that hold, and let no other begin until this transaction ends.

    Whoever stores an answer asks it last: a stop that was confirmed to its maker is seen here.
    Runs two queries.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", _LOCK)
    return stops_held()


def stops_wait() -> None:
    """Wait for the answers that are being stored; those after this transaction see its stop."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", _LOCK)
