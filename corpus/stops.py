"""Tell what answering is stopped from, for all that ask, search or show. Runs one query."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from corpus.models import AnsweringStop


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
    held = AnsweringStop.objects.filter(ended_at=None).select_related("document", "collection")
    whole = [stop for stop in held if not (stop.document_id or stop.collection_id)]
    return Stops((*whole, *(stop for stop in held if stop not in whole)))
