"""Queue the records of a published corpus for ingestion, each as a document of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from core.errors import MedragError
from core.progress import BYTES, Progress
from corpus.intake.corpus_import import ImportOutcome, Plan, corpus_import
from corpus.intake.files import People
from corpus.intake.folders import LEFT_OUT as LINK_LEFT_OUT
from corpus.intake.folders import files_below
from corpus.intake.published_formats import FORMATS, LEFT_OUT
from corpus.intake.wait import follow, list_held_back
from corpus.management.arguments import collection_of_files, person_named
from corpus.models import Job, JobState

LISTED = 20  # refused records with the same sentence; the others are counted


class Command(BaseCommand):
    help = (
        "Import a published corpus, one document per record, from a file, a folder or an archive."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        known = "; ".join(f"{name}: {form.about}" for name, form in FORMATS.items())
        parser.add_argument("format", choices=FORMATS, metavar="FORMAT", help=known)
        parser.add_argument("path", type=Path, metavar="PATH", help="file, folder or archive")
        parser.add_argument(
            "--collection", metavar="SLUG", help="collection of the documents (default: General)"
        )
        parser.add_argument(
            "--language",
            action="append",
            metavar="CODE",
            help="import only records in this language, if the record states one (default: "
            "en); repeatable; `any` imports all",
        )
        parser.add_argument(
            "--limit", type=int, metavar="N", help="import only the first N records"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="count the records and store nothing"
        )
        parser.add_argument("--publish", action="store_true", help="publish new documents at once")
        parser.add_argument(
            "--despite-doubts",
            action="store_true",
            help="with --publish: also documents with values in doubt; else these are left "
            "in review",
        )
        parser.add_argument("--publisher", metavar="NAME", help="who is recorded as the publisher")
        parser.add_argument("--user", metavar="NAME", help="who is recorded as the uploader")
        parser.add_argument(
            "--wait", action="store_true", help="wait until every document is indexed or has failed"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        if not path.exists():
            raise CommandError(f"{path}: there is no such file or folder.")
        if options["limit"] is not None and options["limit"] < 1:
            raise CommandError("--limit must be a number of records, at least 1.")
        if options["despite_doubts"] and not options["publish"]:
            raise CommandError("--despite-doubts belongs to --publish: name both.")
        plan = _plan(options)
        listing = files_below(path)
        for link in listing.left_out:
            self.stderr.write(f"{link}: {LINK_LEFT_OUT}")
        # How many records a dump holds is known at its end only.
        size = sum(file.stat().st_size for file in listing.files)
        try:
            with Progress("Reading", size, BYTES) as progress:
                outcome = corpus_import(path, plan=plan, on_bytes=progress.step)
        except MedragError as error:
            raise CommandError(error.sentence) from error
        except KeyboardInterrupt:
            raise CommandError(
                "Interrupted. What was imported so far is kept. Run the same command to continue."
            ) from None
        self._report(outcome, dry_run=plan.dry_run)
        documents = [*outcome.added, *outcome.present]
        if options["wait"] and not plan.dry_run:
            follow(documents)
            list_held_back(outcome.added, self.stdout, most=LISTED)
        if self._list_failures(outcome.added) or outcome.refused:
            raise SystemExit(1)

    def _report(self, outcome: ImportOutcome, *, dry_run: bool) -> None:
        sentences: Counter[str] = Counter()
        for name, sentence in outcome.refused:
            sentences[sentence] += 1
            if sentences[sentence] <= LISTED:
                self.stderr.write(f"{name}: {sentence}")
        for sentence, count in sentences.items():
            if count > LISTED:
                self.stderr.write(f"and {count - LISTED} more: {sentence}")
        kinds = ", ".join(f"{n} {LEFT_OUT[code]}" for code, n in sorted(outcome.left_out.items()))
        new = f"{outcome.new} would be queued" if dry_run else f"{len(outcome.added)} queued"
        self.stdout.write(
            f"{outcome.read} records: {new}, "
            f"{len(outcome.present) + outcome.repeated} here already, "
            f"{outcome.left_out.total()} left out{f' ({kinds})' if kinds else ''}, "
            f"{len(outcome.refused)} refused.{' Nothing was written.' if dry_run else ''}"
        )

    def _list_failures(self, documents: list[int]) -> int:
        failed = Job.objects.filter(document_id__in=documents, state=JobState.FAILED)
        for job in failed.select_related("document")[:LISTED]:
            self.stderr.write(f"{job.document.filename}: {job.last_error}")
        return failed.count()


def _plan(options: dict[str, Any]) -> Plan:
    languages = frozenset(options["language"] or ["en"])
    dry_run = bool(options["dry_run"])
    return Plan(
        form=FORMATS[options["format"]],
        collection=collection_of_files(options["collection"], dry_run=dry_run),
        people=People(person_named(options["user"]), person_named(options["publisher"])),
        today=timezone.localdate(),
        languages=frozenset() if "any" in languages else languages,
        publish=bool(options["publish"]),
        despite_doubts=bool(options["despite_doubts"]),
        limit=options["limit"],
        dry_run=dry_run,
    )
