"""Run a child process's task in the evaluation's own database: fill it once, then search it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from django.core.management import call_command
from django.db import connections
from django.utils.text import slugify

from bench.datasets.types import Dataset
from bench.runs import databases
from bench.runs.bulk_load import PlainDocument, documents_load
from bench.runs.child_tasks import ChildTask, Failed, Outcome, write_outcome
from bench.runs.configurations import Configuration
from bench.runs.search import search_all
from bench.runs.windows import cut_by
from core.errors import MedragError
from core.progress import Progress
from corpus.models import Chunk, Collection, Document
from evaluation.datasets.types import SourceDocument

Say = Callable[[str], None]


def run_child_task(task: ChildTask, say: Say) -> None:
    """Migrate, index missing documents, search, and write one outcome file for each configuration.

    Raises NoSuchDatabase before anything is written where this process does not work on a database
    of the evaluation, and DatasetError.
    """
    databases.refuse_users_database()
    dataset = task.source.read()
    with databases.filling(lambda: say("another evaluation is indexing here: waiting for it")):
        call_command("migrate", verbosity=0)
        _fill(dataset, task, say)
    for number, outcome in enumerate(_searched(dataset, task, say)):
        write_outcome(Path(task.out) / f"{number}.json", outcome)


def _searched(dataset: Dataset, task: ChildTask, say: Say) -> Iterator[Outcome]:
    """Yield the outcome of each configuration; one that fails does not stop the others."""
    for configuration in task.configurations:
        started = time.monotonic()
        try:
            outcome: Outcome = _found(dataset, configuration)
        except Exception as error:  # noqa: BLE001 - the report names it, the others go on
            outcome = Failed(configuration.name, why(error))
            for connection in connections.all(initialized_only=True):
                connection.close_if_unusable_or_obsolete()
        said = f"failed: {outcome.why}" if isinstance(outcome, Failed) else "searched"
        yield outcome
        say(f"{configuration.name}: {said} ({time.monotonic() - started:.0f} s)")


def _found(dataset: Dataset, configuration: Configuration) -> Outcome:
    with Progress(f"  {configuration.name}", len(dataset.queries), "queries") as progress:
        return search_all(dataset, configuration, on_progress=progress.at)


def _fill(dataset: Dataset, task: ChildTask, say: Say) -> None:
    """Index the documents unless the database's note says that all are indexed."""
    note = {"documents_digest": dataset.documents_digest, "name": dataset.name}
    if dict(databases.note_of_this()).get("complete") == dataset.documents_digest:
        say(f"{Document.objects.count()} documents are indexed already")
        return
    databases.note_kept(note)  # marks it as this site's, also if interrupted
    total = len(dataset.documents)
    say(f"indexing {total} documents")
    with Progress("  Indexing", total, "documents") as progress:
        documents_load(
            map(_plain, dataset.documents),
            collection=_shelf(dataset),
            cut=cut_by(task.window) if task.window else None,
            on_progress=lambda done, passages: progress.at(done, note=f"{passages} passages"),
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


_ROOT = Path(__file__).resolve().parents[1]


def why(error: Exception) -> str:
    """Return a MedragError's sentence; for another error its class and the last place in our code.

    Messages of other errors may quote their input, so they are left out.
    """
    if isinstance(error, MedragError):
        return error.sentence
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f"{path.relative_to(_ROOT).as_posix()}, line {frame.lineno}"
        for frame in frames
        if (path := Path(frame.filename)).is_relative_to(_ROOT)
        and "site-packages" not in path.parts
    ]
    return f"{type(error).__name__} at {places[-1]}." if places else f"{type(error).__name__}."
