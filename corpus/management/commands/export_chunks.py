"""Write passages as JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper
from django.utils import timezone

from core.progress import Progress
from corpus.intake.passages_export import Choice, passages_counted, passages_exported
from corpus.management.arguments import refuse_unwritable
from corpus.models import Collection, Document


class Command(BaseCommand):
    help = (
        "Export the indexed passages as JSON lines, one per passage, to a file or standard output."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", nargs="?", default="-", metavar="PATH|-", help="file, or - for standard output"
        )
        parser.add_argument("--collection", metavar="SLUG", default="", help="only this collection")
        parser.add_argument(
            "--document", metavar="SHA", default="", help="only this document, by its SHA-256"
        )
        parser.add_argument(
            "--in-force", action="store_true", help="only passages that are searched today"
        )
        parser.add_argument(
            "--with-disabled", action="store_true", help="also passages that staff disabled"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["path"] != "-":
            refuse_unwritable(Path(options["path"]))
        choice = _choice(options)
        total = passages_counted(choice)
        writing = Progress("Writing", total, "passages")
        with self._opened(options["path"]) as target, writing as progress:
            for line in passages_exported(choice):
                target.write(json.dumps(line, ensure_ascii=False) + "\n")
                progress.step()
        if options["path"] != "-":
            self.stdout.write(f"Wrote {total} passages to {options['path']}.")

    @contextmanager
    def _opened(self, path: str) -> Iterator[TextIO | OutputWrapper]:
        """Open the output; the file gets its name when it is complete."""
        if path == "-":
            yield self.stdout
            return
        target = Path(path)
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with partial.open("w", encoding="utf-8") as stream:
                yield stream
            partial.replace(target)
        except OSError as error:
            raise CommandError(f"{path} can't be written: {error.strerror}.") from error
        finally:
            partial.unlink(missing_ok=True)


def _choice(options: dict[str, Any]) -> Choice:
    slug, sha256 = options["collection"], options["document"]
    if slug and not Collection.objects.filter(slug=slug).exists():
        raise CommandError(f"There is no collection {slug}. Nothing was written.")
    if sha256 and not Document.objects.filter(sha256=sha256).exists():
        raise CommandError(f"There is no document with the SHA-256 {sha256}. Nothing was written.")
    today = timezone.localdate() if options["in_force"] else None
    return Choice(slug, sha256, today, options["with_disabled"])
