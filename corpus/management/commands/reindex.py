"""Read documents again, or only cut and encode again what was read."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet

from core.progress import Progress
from corpus import selectors
from corpus.intake.wait import follow, list_failures
from corpus.management.arguments import collection_named, person_named
from corpus.models import Document, Job, JobState, ReadWith, Stage
from corpus.parsing.engines import ModelsMissing, require_models
from corpus.services.documents import NotNow, document_reindex


class Command(BaseCommand):
    help = (
        "Queue documents to be parsed and indexed again: named ones, those of a collection, "
        "or with --stale those that this version or these settings would parse, cut or encode "
        "differently. The present passages are searched until their replacements are ready."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--stale", action="store_true", help="only documents that are out of date"
        )
        parser.add_argument(
            "--document", action="append", metavar="SHA", default=[], help="SHA-256; repeatable"
        )
        parser.add_argument("--collection", metavar="SLUG", help="only this collection")
        parser.add_argument(
            "--read-with",
            choices=[value for value in ReadWith.values if value],
            help="parse these documents with this layout engine from now on",
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what would happen")
        parser.add_argument(
            "--wait", action="store_true", help="wait until every document is indexed or has failed"
        )
        parser.add_argument("--user", help="who is recorded in the log")

    def handle(self, *args: Any, **options: Any) -> None:
        person = person_named(options["user"])
        try:
            require_models(options["read_with"])
        except ModelsMissing as error:
            raise CommandError(error.sentence) from error
        read_again = bool(options["read_with"] or not options["stale"])
        # Of one that is only out of date its pages are kept, where the reader is the same.
        stages = {
            document: Stage.STORED
            if read_again or getattr(document, "must_be_read", True)
            else Stage.PARSED
            for document in _chosen(options)
        }
        queued = stages if options["dry_run"] else _queue(stages, options["read_with"], person)
        read = list(queued.values()).count(Stage.STORED)
        self.stdout.write(
            f"{len(queued)} documents {'would be' if options['dry_run'] else 'are'} queued: "
            f"{read} to be parsed again, {len(queued) - read} to be cut and encoded again."
        )
        if busy := len(stages) - len(queued):
            self.stdout.write(f"{busy} are being ingested at the moment and were left unchanged.")
        if options["wait"] and not options["dry_run"]:
            documents = [document.pk for document in queued]
            follow(documents)
            if list_failures(documents, self.stderr):
                raise SystemExit(1)


def _queue(
    stages: dict[Document, Stage], read_with: str | None, person: User | None
) -> dict[Document, Stage]:
    """Return the queued documents, without those that somebody else queued meanwhile."""
    queued: dict[Document, Stage] = {}
    with Progress("Queueing", len(stages), "documents") as progress:
        for document, stage in stages.items():
            try:
                document_reindex(document, by=person, stage=stage, read_with=read_with)
                queued[document] = stage
            except NotNow:
                pass
            progress.step()
    return queued


def _chosen(options: dict[str, Any]) -> QuerySet[Document]:
    """Return documents whose job has ended, by id. Raises CommandError."""
    if not (options["stale"] or options["document"] or options["collection"]):
        raise CommandError("Name documents with --document or --collection, or use --stale.")
    ended = Job.objects.filter(state__in=[JobState.DONE, JobState.FAILED])
    documents = (
        selectors.documents_stale()
        if options["stale"]
        else Document.objects.filter(job__in=ended).order_by("pk")
    )
    if options["collection"]:
        documents = documents.filter(collection=collection_named(options["collection"]))
    if options["document"]:
        digests = [digest.lower() for digest in options["document"]]
        known = set(Document.objects.filter(sha256__in=digests).values_list("sha256", flat=True))
        if missing := sorted(set(digests) - known):
            raise CommandError(f"There is no document with the SHA-256 {', '.join(missing)}.")
        documents = documents.filter(sha256__in=digests)
    return documents
