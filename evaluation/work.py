"""What the child process does in the database of its own: fill it once, then search it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.core.management import call_command
from django.utils.text import slugify

from corpus.models import Chunk, Collection, Document
from corpus.services.loading import PlainDocument, documents_load
from evaluation import databases
from evaluation.datasets.types import Dataset, SourceDocument
from evaluation.errands import Brought, Errand, write_brought
from evaluation.peers.asking import peers_ask
from evaluation.searching import search_all

Say = Callable[[str], None]
EVERY_S = 10.0  # between two lines of progress


class _Progress:
    """Says something at most every few seconds."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._started = self._said = time.monotonic()

    def tell(self, line: Callable[[float], str]) -> None:
        now = time.monotonic()
        if now - self._said >= EVERY_S:
            self._said = now
            self._say(line(now - self._started))


def run_errand(errand: Errand, say: Say) -> None:
    """Migrate, index what is missing, search, and write one file for each configuration.

    Raises NoSuchDatabase before anything is written where this is not a database of our own, and
    DatasetError.
    """
    databases.refuse_users_database()
    dataset = errand.source.read()
    with databases.filling():
        call_command("migrate", verbosity=0)
        _fill(dataset, errand, say)
    if errand.peers:
        # All in turn, query by query: what else the machine does must hit them alike.
        configured = errand.configurations
        found = iter(peers_ask(dataset, configured, errand.peers, depth=errand.depth, say=say))
    else:
        found = _searched(dataset, errand, say)
    for number, brought in enumerate(found):
        write_brought(Path(errand.out) / f"{number}.json", brought)


def _searched(dataset: Dataset, errand: Errand, say: Say) -> Iterator[Brought]:
    total = len(dataset.queries)
    for configuration in errand.configurations:
        progress = _Progress(say)
        yield search_all(
            dataset,
            configuration,
            depth=errand.depth,
            on_progress=lambda done, name=configuration.name, progress=progress: (  # type: ignore[misc]
                progress.tell(lambda _: f"{name}: {done} of {total} queries")
            ),
        )
        say(f"{configuration.name}: {total} queries searched")


def _fill(dataset: Dataset, errand: Errand, say: Say) -> None:
    """Index the documents unless the database says that all are there."""
    note = {"documents_digest": dataset.documents_digest, "name": dataset.name}
    if dict(databases.note_of_this()).get("complete") == dataset.documents_digest:
        say(f"{Document.objects.count()} documents are indexed already")
        return
    databases.note_kept(note)  # an interrupted one is known for this site's too
    total = len(dataset.documents)
    say(f"indexing {total} documents")
    progress = _Progress(say)
    documents_load(
        map(_plain, dataset.documents),
        collection=_shelf(dataset),
        with_context=errand.with_context,
        on_progress=lambda done, passages: progress.tell(
            lambda s: f"{done} of {total} documents, {passages / s:.0f} passages a second"
        ),
    )
    databases.tidy()
    held = {"documents": Document.objects.count(), "passages": Chunk.objects.count()}
    databases.note_kept({**note, **held, "complete": dataset.documents_digest})
    say(f"{held['documents']} documents, {held['passages']} passages indexed")


def _shelf(dataset: Dataset) -> Collection:
    defaults = {"name": dataset.name[:200], "description": "A data set of the evaluation."}
    slug = slugify(dataset.name.replace("/", "-"))[:50] or "dataset"
    return Collection.objects.get_or_create(slug=slug, defaults=defaults)[0]


def _plain(document: SourceDocument) -> PlainDocument:
    return PlainDocument(
        sha256=document.sha256,
        name=document.id,
        title=document.title,
        text=document.text,
        size_bytes=len(document.content),
    )
