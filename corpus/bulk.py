"""Ingest many files at once."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.errors import MedragError
from corpus.manifest import Outcome, People, sentence_of
from corpus.models import Collection, Document
from corpus.services.documents import DuplicateDocument, document_ingest
from corpus.services.lifecycle import document_publish, document_submit


@dataclass(frozen=True)
class Batch:
    """What is the same for all files of one call."""

    collection: Collection
    people: People
    publish: bool
    today: datetime.date


def paths_below(path: Path) -> Iterator[Path]:
    """The file itself, or every file below a folder by name, hidden ones left out."""
    if not path.is_dir():
        yield path
        return
    for found in sorted(path.rglob("*")):
        hidden = any(part.startswith(".") for part in found.relative_to(path).parts)
        if found.is_file() and not hidden:
            yield found


def bulk_ingest(
    paths: Sequence[Path], *, batch: Batch, on_file: Callable[[Path], None] = lambda path: None
) -> Outcome:
    """Ingest each file; one that is refused stops none of the others. `on_file` before each."""
    outcome = Outcome()
    for path in paths:
        on_file(path)
        document = Document(collection=batch.collection)
        try:
            with path.open("rb") as stream:
                document_ingest(
                    document, upload=stream, uploaded_by=batch.people.uploader, filename=path.name
                )
            outcome.added.append(document)
            if batch.publish:
                document_submit(document, by=batch.people.uploader)
                document_publish(document, by=batch.people.publisher, today=batch.today)
        except DuplicateDocument as error:
            outcome.present.append(error.existing)
        except (MedragError, OSError) as error:
            outcome.refused[path] = sentence_of(error)
    return outcome
