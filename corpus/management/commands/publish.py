"""Publish documents that wait in review, and say what is left and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet
from django.utils import timezone

from corpus.intake.files import digest_of
from corpus.intake.folders import files_below
from corpus.intake.wait import report_publication
from corpus.intake.waiting import documents_publish, write_left_to
from corpus.management.arguments import collection_named, person_named, refuse_unwritable
from corpus.models import Document, Lifecycle


class Command(BaseCommand):
    help = "Publish what waits in review: documents of these files, of a collection, or all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="file or folder")
        parser.add_argument(
            "--collection", metavar="SLUG", help="only documents of this collection"
        )
        parser.add_argument(
            "--despite-doubts",
            action="store_true",
            help="also what has values in doubt that nobody has looked at: these are not quoted",
        )
        parser.add_argument("--publisher", help="who is recorded as the publisher")
        parser.add_argument("--dry-run", action="store_true", help="only report what would happen")
        parser.add_argument(
            "--csv", type=Path, metavar="FILE", help="write the doubts of what is left"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_unwritable(options["csv"])
        outcome = documents_publish(
            self._waiting(options),
            by=person_named(options["publisher"]),
            today=timezone.localdate(),
            despite_doubts=options["despite_doubts"],
            dry_run=options["dry_run"],
        )
        report_publication(outcome, self.stdout, dry_run=options["dry_run"])
        if options["csv"]:
            write_left_to(options["csv"], outcome.left)

    def _waiting(self, options: dict[str, Any]) -> QuerySet[Document]:
        """Return the chosen documents in review. Raises CommandError for a path that is missing."""
        documents = Document.objects.filter(lifecycle=Lifecycle.REVIEW).order_by("filename", "pk")
        if options["collection"]:
            documents = documents.filter(collection=collection_named(options["collection"]))
        for path in options["paths"]:
            if not path.exists():
                raise CommandError(f"{path}: there is no such file or folder.")
        if options["paths"]:
            files = [file for path in options["paths"] for file in files_below(path).files]
            documents = documents.filter(sha256__in={digest_of(file) for file in files})
        return documents
