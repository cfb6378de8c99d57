"""A folder of documents described by a JSON file: what each is, and where it stands in its life.

    {"collections": [{"slug", "name", "description", "owner_name", "owner_contact"}],
     "documents": [{"file", "title", "collection", "lifecycle", "supersedes", ...}]}

`file` and `supersedes` are paths relative to the manifest. Ingesting one again changes nothing but
finishes what was interrupted.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from corpus.errors import MedragError
from corpus.models import Collection, Document, Lifecycle
from corpus.services.documents import DuplicateDocument, document_ingest
from corpus.services.lifecycle import (
    document_publish,
    document_submit,
    document_supersede,
    document_withdraw,
)

_TEXTS = (
    *("title", "version", "issuer", "authority", "specialty", "population"),
    *("language", "source_url", "licence"),
)
_DATES = ("effective_from", "review_by")
_KNOWN = {
    *("file", "collection", "lifecycle", "supersedes", "withdrawn_reason"),
    *_TEXTS,
    *_DATES,
}


class ManifestError(MedragError):
    """The manifest can't be followed; nothing of it was ingested."""

    code = "bad_manifest"


@dataclass(frozen=True)
class Entry:
    """One document of a manifest, its names resolved and its values checked."""

    path: Path
    collection: str
    lifecycle: Lifecycle
    supersedes: Path | None
    withdrawn_reason: str
    values: Mapping[str, Any]  # fields of `Document`


@dataclass(frozen=True)
class Manifest:
    """`collections` maps slugs to the fields of `Collection`."""

    collections: Mapping[str, Mapping[str, str]]
    entries: tuple[Entry, ...]


@dataclass
class Outcome:
    """What became of the files: `refused` maps a path to the sentence that says why."""

    added: list[Document] = field(default_factory=list)
    present: list[Document] = field(default_factory=list)
    refused: dict[Path, str] = field(default_factory=dict)


@dataclass(frozen=True)
class People:
    """Who is recorded; None for the system. A second person where publishing needs one."""

    uploader: User | None = None
    publisher: User | None = None


def read_manifest(path: Path) -> Manifest:
    """Raises ManifestError that names the entry and the key."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        collections = {str(c["slug"]): _collection(c) for c in raw.get("collections", [])}
        entries = tuple(_entry(path.parent, entry) for entry in raw["documents"])
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ManifestError(f"{path} is not a manifest that can be read ({what}).") from error
    _refuse_loose_ends(entries, collections)
    return Manifest(collections, entries)


def manifest_ingest(
    manifest: Manifest,
    *,
    people: People,
    today: datetime.date,
    on_file: Callable[[Path], None] = lambda path: None,
) -> Outcome:
    """Ingest every document, then bring each to its place in life. Calls `on_file` before each."""
    shelves = {slug: _shelf(slug, values) for slug, values in manifest.collections.items()}
    outcome = Outcome()
    documents: dict[Path, Document] = {}
    for entry in manifest.entries:
        on_file(entry.path)
        collection = shelves.get(entry.collection) or Collection.objects.get(slug=entry.collection)
        document = Document(collection=collection, **entry.values)
        try:
            with entry.path.open("rb") as stream:
                document_ingest(
                    document,
                    upload=stream,
                    uploaded_by=people.uploader,
                    filename=entry.path.name,
                )
            outcome.added.append(document)
        except DuplicateDocument as error:
            document = error.existing
            outcome.present.append(document)
        except (MedragError, OSError) as error:
            outcome.refused[entry.path] = sentence_of(error)
            continue
        documents[entry.path] = document
    _bring_to_life(manifest, documents, people, today)
    return outcome


def sentence_of(error: MedragError | OSError) -> str:
    if isinstance(error, MedragError):
        return error.sentence
    return f"The file can't be opened: {error.strerror}."


def _bring_to_life(
    manifest: Manifest, documents: Mapping[Path, Document], people: People, today: datetime.date
) -> None:
    """Each step only from the state before it, so that doing it twice does nothing."""
    entries = [entry for entry in manifest.entries if entry.path in documents]
    for entry in entries:
        document = documents[entry.path]
        if document.lifecycle == Lifecycle.DRAFT and entry.lifecycle != Lifecycle.DRAFT:
            document_submit(document, by=people.uploader)
        if document.lifecycle == Lifecycle.REVIEW and entry.lifecycle != Lifecycle.REVIEW:
            document_publish(document, by=people.publisher, today=today)
    for entry in entries:
        old = documents.get(entry.supersedes) if entry.supersedes else None
        if old is not None and old.lifecycle == Lifecycle.PUBLISHED:
            document_supersede(old, by=people.publisher, successor=documents[entry.path])
    for entry in entries:
        document = documents[entry.path]
        document.refresh_from_db()
        if entry.lifecycle == Lifecycle.WITHDRAWN and document.lifecycle == Lifecycle.PUBLISHED:
            document_withdraw(document, by=people.publisher, reason=entry.withdrawn_reason)


def _collection(raw: Mapping[str, Any]) -> dict[str, str]:
    keys = ("name", "description", "owner_name", "owner_contact")
    return {key: str(raw[key]) for key in keys if raw.get(key)}


def _shelf(slug: str, values: Mapping[str, str]) -> Collection:
    return Collection.objects.get_or_create(slug=slug, defaults=dict(values))[0]


def _entry(folder: Path, raw: Mapping[str, Any]) -> Entry:
    name = str(raw["file"])
    unknown = sorted(raw.keys() - _KNOWN)
    if unknown:
        raise ValueError(f"{name}: unknown keys {', '.join(unknown)}")
    values: dict[str, Any] = {key: str(raw[key]) for key in _TEXTS if raw.get(key)}
    for key in _DATES:
        if raw.get(key):
            values[key] = datetime.date.fromisoformat(raw[key])
    _refuse_bad_values(name, values)
    superseded = raw.get("supersedes")
    return Entry(
        path=_found(folder, name),
        collection=str(raw["collection"]),
        lifecycle=Lifecycle(raw.get("lifecycle", Lifecycle.DRAFT)),
        supersedes=_found(folder, superseded) if superseded else None,
        withdrawn_reason=str(raw.get("withdrawn_reason") or ""),
        values=values,
    )


def _found(folder: Path, name: str) -> Path:
    """Files lie beside the manifest or in a folder of their own below it."""
    for candidate in (folder / name, folder / "guidelines" / name):
        if candidate.is_file():
            return candidate.resolve()
    raise ValueError(f"{name}: there is no such file")


def _refuse_bad_values(name: str, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        try:
            Document._meta.get_field(key).clean(value, None)  # type: ignore[union-attr]
        except ValidationError as error:
            raise ValueError(f"{name}: {key}: {' '.join(error.messages)}") from error


def _refuse_loose_ends(entries: tuple[Entry, ...], collections: Mapping[str, Any]) -> None:
    published = {e.path for e in entries if e.lifecycle == Lifecycle.PUBLISHED}
    replaced = {e.supersedes for e in entries if e.path in published}
    for entry in entries:
        name = entry.path.name
        if entry.lifecycle == Lifecycle.SUPERSEDED and entry.path not in replaced:
            raise ManifestError(f"{name} is SUPERSEDED, but no published entry supersedes it.")
        if entry.lifecycle == Lifecycle.WITHDRAWN and not entry.withdrawn_reason:
            raise ManifestError(f"{name} is WITHDRAWN without a withdrawn_reason.")
        known = entry.collection in collections
        if not known and not Collection.objects.filter(slug=entry.collection).exists():
            raise ManifestError(f"{name}: there is no collection {entry.collection}.")
