"""Import documents of passages that another system has cut, from JSON lines.

Lines with the same original SHA-256, or else the same source and title, form one document, wherever
they are in the file. Its bytes are these lines as `corpus.parsing.published.exchanged` writes them,
so that it is identified by the SHA-256 of its content and processed like every file. Whatever its
state was elsewhere, it begins as a draft.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from typing import Any, BinaryIO

from core.errors import MedragError
from corpus import selectors
from corpus.intake.files import LOOKED_UP_TOGETHER, People
from corpus.intake.manifest import FIELDS, RowError, field_value
from corpus.models import Collection, Document
from corpus.parsing.published.exchanged import (
    MAX_LINE_BYTES,
    Passage,
    PassageError,
    read_passage,
    write_passage,
)
from corpus.services.documents import DuplicateDocument, document_ingest, refuse_others

FAULTS_KEPT = 1_000


@dataclass(frozen=True)
class Group:
    """The lines of one document, as offsets in the file, in order."""

    title: str
    offsets: tuple[int, ...]


@dataclass
class Sorted:
    """A file's lines by document, and the errors of skipped lines by number.

    `faulty` counts all of these, `faults` holds the first thousand. `unread` are ignored keys.
    """

    groups: list[Group] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)
    faulty: int = 0
    unread: set[str] = field(default_factory=set)


@dataclass
class Imported:
    """Documents; `refused` maps a title to the sentence that says why."""

    added: list[Document] = field(default_factory=list)
    present: list[Document] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


_KNOWN = {
    *("id", "url", "title", "section_path", "text", "source", "page", "boxes", "spans"),
    *("document", "context", "tokens", "disabled"),  # of our own export
}


def sort_lines(stream: BinaryIO, *, on_bytes: Callable[[int], None]) -> Sorted:
    """Check every line and group lines by document; only offsets are kept.

    Documents come in the order of their first lines. `on_bytes` gets the length of each line.
    """
    result = Sorted()
    offsets: dict[tuple[str, ...], list[int]] = {}
    for number, (start, line) in enumerate(_lines(stream), start=1):
        on_bytes(len(line))
        if not line.strip():
            continue
        try:
            passage, raw = _read(line)
            _values(passage, raw)
        except (PassageError, RowError) as error:
            result.faulty += 1
            if len(result.faults) < FAULTS_KEPT:
                result.faults[number] = str(error)
            continue
        result.unread |= raw.keys() - _KNOWN
        # What the lines of one document have in common; the title stands last.
        original = str(_of_document(raw).get("sha256") or "")
        origin = (original,) if original else ("", passage.source)
        offsets.setdefault((*origin, passage.title), []).append(start)
    result.groups = [Group(key[-1], tuple(found)) for key, found in offsets.items()]
    return result


def documents_import(
    stream: BinaryIO,
    groups: Sequence[Group],
    *,
    collection: Collection,
    people: People,
    dry_run: bool = False,
    on_document: Callable[[], None] = lambda: None,
    on_added: Callable[[Document], None] = lambda document: None,
) -> Imported:
    """Ingest a document for each group; a rejected one stops no other.

    Existing documents are left alone: one query for every 200. A dry run writes nothing.
    """
    result = Imported()
    iterator = iter(groups)
    while batch := list(islice(iterator, LOOKED_UP_TOGETHER)):
        digests = [hashlib.sha256(_content(stream, group)).hexdigest() for group in batch]
        known = selectors.documents_by_sha256(digests)
        for group, digest in zip(batch, digests, strict=True):
            on_document()
            if digest in known:
                result.present.append(known[digest])
                continue
            stream.seek(group.offsets[0])  # the first of its lines describes it
            document = Document(collection=collection, **_values(*_read(stream.readline())))
            try:
                if dry_run:
                    refuse_others(people.uploader, collection)
                else:
                    document_ingest(
                        document,
                        upload=BytesIO(_content(stream, group)),
                        uploaded_by=people.uploader,
                        filename=f"{group.title[:100]}.jsonl",
                    )
                    on_added(document)
                result.added.append(document)
            except DuplicateDocument as error:  # another run was faster
                result.present.append(error.existing)
            except MedragError as error:
                result.refused[group.title] = error.sentence
    return result


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its offset; of one over the limit, only the beginning."""
    start = stream.seek(0)
    while line := stream.readline(MAX_LINE_BYTES + 2):
        yield start, line
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE_BYTES)
        start = stream.tell()


def _read(line: bytes) -> tuple[Passage, Mapping[str, Any]]:
    """Parse a line. Raises PassageError."""
    return read_passage(line), json.loads(line)


def _content(stream: BinaryIO, group: Group) -> bytes:
    lines = []
    for offset in group.offsets:
        stream.seek(offset)
        lines.append(write_passage(read_passage(stream.readline())))
    return ("\n".join(lines) + "\n").encode()


def _values(passage: Passage, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of `Document`. Raises RowError."""
    given = {**_of_document(raw), "title": passage.title, "source_url": passage.url}
    if passage.source:
        given["issuer"] = passage.source
    return {key: field_value(key, given[key]) for key in FIELDS if given.get(key)}


def _of_document(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    described = raw.get("document") or {}
    if not isinstance(described, dict):
        raise RowError("document must be an object")
    return described
