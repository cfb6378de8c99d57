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
        "Make the summaries of sections, as MEDRAG_SUMMARIES says, for indexed documents that lack "
        "them or have others; with none, drop what is left of them. Documents that are indexed "
        "from now on get theirs with their index."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what would happen")

    def handle(self, *args: Any, **options: Any) -> None:
        documents = list(documents_to_summarise())
        if options["dry_run"]:
            self.stdout.write(f"{len(documents)} documents would be summarised anew.")
            return
        made = 0
        with Progress("Summarising", len(documents), "documents") as progress:
            for document in documents:
                try:
                    made += document_summarise(document)
                except MedragError as error:
                    raise CommandError(f"{made} documents are done. {error.sentence}") from error
                progress.step()
        self.stdout.write(f"{made} documents have their summaries ({settings.SUMMARIES}).")
