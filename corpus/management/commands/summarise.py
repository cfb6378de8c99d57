"""Make the summaries that sections are found by, where they are missing or out of date."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import MedragError
from core.progress import Progress
from corpus.services.summaries import document_summarise, documents_to_summarise


class Command(BaseCommand):
    help = (
        "Create missing or outdated summaries of sections of indexed documents, as "
        "MEDRAG_SUMMARIES says; with `none`, delete all summaries. Newly indexed documents "
        "get theirs automatically."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only report what would happen")

    def handle(self, *args: Any, **options: Any) -> None:
        documents = list(documents_to_summarise())
        if options["dry_run"]:
            self.stdout.write(f"{len(documents)} documents would be summarised.")
            return
        made = 0
        with Progress("Summarising", len(documents), "documents") as progress:
            for document in documents:
                try:
                    made += document_summarise(document)
                except MedragError as error:
                    raise CommandError(
                        f"{made} documents are done and kept. {error.sentence}"
                    ) from error
                progress.step()
        self.stdout.write(f"{made} documents have their summaries ({settings.SUMMARIES}).")
