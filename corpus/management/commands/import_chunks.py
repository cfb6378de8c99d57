"""Import documents as passages that another system has cut."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from core.errors import MedragError
from core.progress import BYTES, Progress
from corpus.intake.files import People
from corpus.intake.passages_import import Imported, Sorted, documents_import, sort_lines
from corpus.intake.wait import follow, list_failures
from corpus.management.arguments import add_ingesting, collection_named, person_named
from corpus.models import Collection, Document
from corpus.services.lifecycle import document_publish, document_submit, refuse_to_publish

FAULTS_SHOWN = 50


class Command(BaseCommand):
    help = (
        "Import documents as passages that another system has cut: JSON lines with title and "
        "text, and optionally id, url, section_path, source, page and boxes. Passages are "
        "stored unchanged."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="PATH|-", help="file, or - for standard input")
        parser.add_argument("--collection", metavar="SLUG", required=True, help="where they go")
        parser.add_argument("--publish", action="store_true", help="publish new documents at once")
        add_ingesting(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        people = People(person_named(options["user"]), person_named(options["publisher"]))
        if options["publish"] and not options["dry_run"]:  # before the first line is read
            try:
                refuse_to_publish(collection, uploader=people.uploader, publisher=people.publisher)
            except MedragError as error:
                raise CommandError(error.sentence) from error
        with _opened(options["path"]) as stream:
            with Progress("Reading", stream.seek(0, 2), BYTES) as progress:
                lines = sort_lines(stream, on_bytes=progress.step)
            imported = _import(stream, lines, collection, people, options)
        self._report(lines, imported, dry_run=options["dry_run"])
        documents = [d.pk for d in (*imported.added, *imported.present) if d.pk]
        if options["wait"] and not options["dry_run"]:
            follow(documents)
        if list_failures(documents, self.stderr) or lines.faulty or imported.refused:
            raise SystemExit(1)

    def _report(self, lines: Sorted, imported: Imported, *, dry_run: bool) -> None:
        for number, fault in list(lines.faults.items())[:FAULTS_SHOWN]:
            self.stderr.write(f"line {number}: {fault}")
        if lines.faulty > FAULTS_SHOWN:
            self.stderr.write(f"... and {lines.faulty - FAULTS_SHOWN} more lines.")
        if lines.unread:
            self.stderr.write(f"Ignored fields: {', '.join(sorted(lines.unread))}.")
        for title, sentence in imported.refused.items():
            self.stderr.write(f"{title}: {sentence}")
        self.stdout.write(
            f"{len(imported.added)} documents {'would be ' if dry_run else ''}queued, "
            f"{len(imported.present)} here already, {len(imported.refused)} refused; "
            f"{lines.faulty} lines left out.{' Nothing was written.' if dry_run else ''}"
        )


def _import(
    stream: BinaryIO,
    lines: Sorted,
    collection: Collection,
    people: People,
    options: dict[str, Any],
) -> Imported:
    def publish(document: Document) -> None:
        if options["publish"]:
            document_submit(document, by=people.uploader)
            document_publish(document, by=people.publisher, today=timezone.localdate())

    verb = "Checking" if options["dry_run"] else "Queueing"
    with Progress(verb, len(lines.groups), "documents") as progress:
        return documents_import(
            stream,
            lines.groups,
            collection=collection,
            people=people,
            dry_run=options["dry_run"],
            on_document=progress.step,
            on_added=publish,
        )


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Yield the file, or a copy of standard input, since the lines are read twice."""
    if path == "-":
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            yield copy
        return
    if not Path(path).is_file():
        raise CommandError(f"{path}: there is no such file.")
    with Path(path).open("rb") as stream:
        yield stream
