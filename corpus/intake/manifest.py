"""Ingest documents listed in a table, JSON or CSV, and bring each to its lifecycle state.

    {"collections": [{"slug", "name", "description", "owner_name", "owner_contact"}],
     "documents": [{"file", "title", "collection", "lifecycle", "supersedes", ...}]}

In CSV the first line has the column names; an empty cell counts as missing. `file` and `supersedes`
are paths relative to the manifest's folder or another given one. All rows are checked before the
first file is ingested, and all errors are reported together.
"""

from __future__ import annotations

import csv
import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError

from core.errors import MedragError
from corpus.intake.files import Item, Outcome, People, take_in
from corpus.intake.folders import leads_out
from corpus.models import Collection, Document, Lifecycle
from corpus.review.words_found import PagesNotReviewed, pages_named
from corpus.services.history import history_add
from corpus.services.lifecycle import (
    document_publish,
    document_submit,
    document_supersede_later,
    document_withdraw,
    refuse_to_publish,
)
from corpus.staff_selectors import page_checks, pages_unseen

# Fields of `Document` that a row may give.
FIELDS = (
    *("title", "version", "issuer", "journal", "authority", "specialty", "population", "language"),
    *("year", "source_type", "source_url", "licence", "effective_from", "review_by"),
)
COLUMNS = ("file", *FIELDS, "collection", "lifecycle", "supersedes", "withdrawn_reason")
_COLLECTION_KEYS = ("name", "description", "owner_name", "owner_contact")


class ManifestError(MedragError):
    """The manifest is invalid; nothing of it was ingested."""

    code = "bad_manifest"


@dataclass(frozen=True)
class Entry:
    """One document of a manifest, with names resolved and values checked."""

    place: str  # where it stands, for people
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


@dataclass(frozen=True)
class Defaults:
    """Values for rows without them: the files' folder, and the collection ("" for none)."""

    folder: Path
    collection: str = ""


class RowError(ValueError):
    """What is wrong with one row and what to do, as a sentence."""


Row = tuple[str, Mapping[str, Any]]  # its place, and its values by column


def read_manifest(path: Path, *, folder: Path | None = None, collection: str = "") -> Manifest:
    """Read and check a manifest. Raises ManifestError with a line for each bad row."""
    collections, rows = _read(path)
    defaults = Defaults(folder or path.parent, collection)
    entries: list[Entry] = []
    faults: list[tuple[str, str]] = []
    for place, raw in rows:
        try:
            entries.append(_entry(place, raw, defaults))
        except RowError as error:
            faults.append((place, str(error)))
    faults += _loose_ends(entries, collections)
    if faults:
        order = [place for place, _ in rows]
        faults.sort(key=lambda fault: order.index(fault[0]))
        listed = "\n  ".join(f"{place}: {what}" for place, what in faults)
        raise ManifestError(
            f"{path} has errors, so nothing was ingested. Correct these rows:\n  {listed}"
        )
    return Manifest(collections, tuple(entries))


def _read(path: Path) -> tuple[dict[str, dict[str, str]], list[Row]]:
    readers = {".csv": _read_csv, ".json": _read_json}
    read = readers.get(path.suffix.lower())
    if read is None:
        raise ManifestError(
            f"{path} is not a manifest.", hint="Its name must end in .csv or .json."
        )
    try:
        return read(path)
    except (OSError, ValueError, TypeError, AttributeError, KeyError, csv.Error) as error:
        what = f"{type(error).__name__}: {error}"
        raise ManifestError(
            f"{path} can't be read as a manifest ({what}). Nothing was ingested."
        ) from error


def _read_json(path: Path) -> tuple[dict[str, dict[str, str]], list[Row]]:
    raw = json.loads(path.read_text(encoding="utf-8"))
    collections = {
        str(c["slug"]): {key: str(c[key]) for key in _COLLECTION_KEYS if c.get(key)}
        for c in raw.get("collections", [])
    }
    rows = [
        (f"document {number} ({entry.get('file', 'no file')})", entry)
        for number, entry in enumerate(raw["documents"], start=1)
    ]
    return collections, rows


def _read_csv(path: Path) -> tuple[dict[str, dict[str, str]], list[Row]]:
    """Read CSV; the first line decides the separator: comma, semicolon or tab."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        separator = max(",;\t", key=stream.readline().count)
        stream.seek(0)
        reader = csv.DictReader(stream, delimiter=separator, restkey="", strict=True)
        rows: list[Row] = []
        line = 1
        for row in reader:
            if "" in row:  # the rest of a row that is longer than the first one
                row = {**row, "": "more cells"}
            filled = {key: value for key, value in row.items() if value}
            rows.append((f"line {line + 1}", filled))
            line = reader.line_num
    return {}, rows


def _entry(place: str, raw: Mapping[str, Any], defaults: Defaults) -> Entry:
    """Check one row. Raises RowError."""
    if "" in raw:
        raise RowError("the row has more cells than the first line: quote a cell with a separator")
    unknown = sorted(raw.keys() - set(COLUMNS))
    if unknown:
        raise RowError(
            f"unknown keys {', '.join(unknown)}; those that are known: {', '.join(COLUMNS)}"
        )
    if not raw.get("file"):
        raise RowError("file is missing: name the file that the row describes")
    collection = str(raw.get("collection") or defaults.collection)
    if not collection:
        raise RowError("collection is missing: name one, or give --collection for all rows")
    lifecycle = str(raw.get("lifecycle") or Lifecycle.DRAFT).strip().upper()
    if lifecycle not in Lifecycle.values:
        known = ", ".join(Lifecycle.values)
        raise RowError(f"lifecycle: there is no {raw['lifecycle']}; use one of {known}")
    superseded = raw.get("supersedes")
    return Entry(
        place=place,
        path=_found(defaults.folder, str(raw["file"])),
        collection=collection,
        lifecycle=Lifecycle(lifecycle),
        supersedes=_found(defaults.folder, str(superseded)) if superseded else None,
        withdrawn_reason=str(raw.get("withdrawn_reason") or ""),
        values={key: field_value(key, raw[key]) for key in FIELDS if raw.get(key)},
    )


def _found(folder: Path, name: str) -> Path:
    """Return a file in the folder or below it, nowhere else. Raises RowError."""
    for candidate in (folder / name, folder / "guidelines" / name):
        if candidate.is_file():
            if leads_out(candidate, folder):
                raise RowError(f"{name}: the file lies outside {folder}; copy it there")
            return candidate.resolve()
    raise RowError(f"{name}: there is no such file in {folder}")


def field_value(key: str, value: Any) -> Any:
    """Convert text for a field of `Document`. Raises RowError."""
    field: Any = Document._meta.get_field(key)
    if isinstance(value, dict | list | bool):
        raise RowError(f"{key}: a text or a number is expected")
    try:
        return field.clean(str(value).strip(), None)
    except ValidationError as error:
        known = ", ".join(str(choice) for choice, _ in field.choices or ())
        raise RowError(
            f"{key}: {' '.join(error.messages)}" + (f" Use one of {known}." if known else "")
        ) from error


def _loose_ends(entries: list[Entry], collections: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the faults between rows: the place and the sentence."""
    published = {e.path for e in entries if e.lifecycle == Lifecycle.PUBLISHED}
    replaced = {e.supersedes for e in entries if e.path in published}
    known = {*collections, *Collection.objects.values_list("slug", flat=True)}
    seen: dict[Path, str] = {}
    for entry in entries:
        if entry.path in seen:
            yield entry.place, f"the file is that of {seen[entry.path]} too: leave one of them out"
        if entry.supersedes == entry.path:
            yield entry.place, "the document supersedes itself"
        if entry.lifecycle == Lifecycle.SUPERSEDED and entry.path not in replaced:
            yield entry.place, "it is SUPERSEDED, but no published entry supersedes it"
        if entry.lifecycle == Lifecycle.WITHDRAWN and not entry.withdrawn_reason:
            yield entry.place, "it is WITHDRAWN without a withdrawn_reason"
        if entry.collection not in known:
            others = ", ".join(sorted(known)) or "none yet"
            yield (
                entry.place,
                f"there is no collection {entry.collection}: make it in the administration, or "
                f"use one of {others}",
            )
        seen.setdefault(entry.path, entry.place)


def manifest_ingest(
    manifest: Manifest,
    *,
    people: People,
    today: datetime.date,
    dry_run: bool = False,
    despite_doubts: bool = False,
    on_file: Callable[[Path], None] = lambda path: None,
) -> Outcome:
    """Ingest a manifest's files; repeating it only finishes what was interrupted.

    What is to be published is left in review if values are in doubt, unless `despite_doubts`.
    `on_file` is called before each file. Raises NotPermitted and SecondPersonNeeded before the
    first where it could not be published.
    """
    for slug, values in ({} if dry_run else manifest.collections).items():
        Collection.objects.get_or_create(slug=slug, defaults=dict(values))
    collections = {collection.slug: collection for collection in Collection.objects.all()}
    if not dry_run:
        unpublished = (Lifecycle.DRAFT, Lifecycle.REVIEW)
        for slug in sorted(
            {e.collection for e in manifest.entries if e.lifecycle not in unpublished}
        ):
            collection = collections[slug]
            refuse_to_publish(collection, uploader=people.uploader, publisher=people.publisher)
    items = []
    for entry in manifest.entries:
        document = Document(**entry.values, despite_doubts=despite_doubts)
        if entry.collection in collections:
            document.collection = collections[entry.collection]
        items.append(Item(entry.path, document))
    outcome = take_in(items, uploader=people.uploader, dry_run=dry_run, on_file=on_file)
    if not dry_run:
        entries = [entry for entry in manifest.entries if entry.path in outcome.documents]
        _bring_to_life(entries, outcome, people, today, despite_doubts=despite_doubts)
    return outcome


def _bring_to_life(
    entries: list[Entry],
    outcome: Outcome,
    people: People,
    today: datetime.date,
    *,
    despite_doubts: bool,
) -> None:
    """Take each lifecycle step only from the state before it, so that repeating it does nothing.

    What can't be published, or has to be checked first, is rejected, and stops no other. What is
    superseded stays in force until its successor is published and indexed.
    """
    documents = outcome.documents
    for entry in entries:
        document = documents[entry.path]
        try:
            if document.lifecycle == Lifecycle.DRAFT and entry.lifecycle != Lifecycle.DRAFT:
                document_submit(document, by=people.uploader)
            if document.lifecycle == Lifecycle.REVIEW and entry.lifecycle != Lifecycle.REVIEW:
                _refuse_doubts(document, entry, despite_doubts=despite_doubts)
                document_publish(
                    document, by=people.publisher, today=today, despite_doubts=despite_doubts
                )
        except MedragError as error:
            outcome.refused[entry.path] = error.sentence
    for entry in entries:
        old = documents.get(entry.supersedes) if entry.supersedes else None
        if old is not None and old.lifecycle not in (Lifecycle.SUPERSEDED, Lifecycle.WITHDRAWN):
            successor = documents[entry.path]
            document_supersede_later(old, by=people.publisher, successor=successor)
    for entry in entries:
        document = documents[entry.path]
        document.refresh_from_db()
        if entry.lifecycle == Lifecycle.WITHDRAWN and document.lifecycle == Lifecycle.PUBLISHED:
            document_withdraw(document, by=people.publisher, reason=entry.withdrawn_reason)
            if people.publisher:
                line = f"Withdrawn: {entry.withdrawn_reason}"
                history_add(document, by=people.publisher, line=line)


def _refuse_doubts(document: Document, entry: Entry, *, despite_doubts: bool) -> None:
    """Raise PagesNotReviewed for a document that was read before and held back for its doubts."""
    if despite_doubts or entry.lifecycle != Lifecycle.PUBLISHED:
        return
    if doubtful := pages_unseen(page_checks(document)):
        raise PagesNotReviewed(
            f"Left in review, with values in doubt on {pages_named(doubtful)}.",
            hint="Open “Check and publish” in the administration.",
        )
