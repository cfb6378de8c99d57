"""Queue files for ingestion, and follow them to the end if asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from core.errors import MedragError
from core.progress import Progress
from corpus.intake.files import Batch, Outcome, People, bulk_ingest
from corpus.intake.folders import LEFT_OUT, files_below, files_matching
from corpus.intake.manifest import manifest_ingest, read_manifest
from corpus.intake.wait import follow, list_failures, list_held_back, report_publication
from corpus.intake.waiting import documents_publish
from corpus.management.arguments import add_ingesting, collection_of_files, person_named
from corpus.models import Collection, Document, Lifecycle
from corpus.parsing.sniff import READ_FORMATS
from corpus.selectors import worker_is_alive


class Command(BaseCommand):
    help = (
        "Queue files for ingestion: files, folders with everything below them, and patterns. "
        + READ_FORMATS
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="*", metavar="PATH", help="file, folder or pattern")
        parser.add_argument(
            "--manifest",
            type=Path,
            metavar="FILE",
            help="CSV or JSON file that describes the documents; PATH is then the folder of "
            "their files",
        )
        parser.add_argument(
            "--collection", metavar="SLUG", help="collection of the documents (default: General)"
        )
        parser.add_argument(
            "--publish",
            action="store_true",
            help="publish new documents at once, and those that are here in review",
        )
        parser.add_argument(
            "--despite-doubts",
            action="store_true",
            help="with --publish or --manifest: publish also what has values in doubt once it is "
            "read, without quoting these; else that is left in review",
        )
        add_ingesting(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["paths"] and not options["manifest"]:
            raise CommandError("Name files or folders, or a manifest with --manifest.")
        if options["despite_doubts"] and not (options["publish"] or options["manifest"]):
            raise CommandError("--despite-doubts belongs to --publish or --manifest: name both.")
        people = People(person_named(options["user"]), person_named(options["publisher"]))
        try:
            outcome = self._queue(people, options)
        except MedragError as error:
            raise CommandError(error.sentence) from error
        self._report(outcome, dry_run=options["dry_run"])
        if outcome.added and not options["dry_run"]:
            self._say_where(outcome, is_followed=bool(options["wait"]))
        if options["publish"] and outcome.present:
            self._publish(outcome.present, people, options)
        documents = [d.pk for d in (*outcome.added, *outcome.present) if d.pk]
        if options["wait"] and not options["dry_run"]:
            follow(documents)
            list_held_back([document.pk for document in outcome.added], self.stdout)
        if list_failures(documents, self.stderr) or outcome.refused:
            raise SystemExit(1)

    def _publish(self, here: list[Document], people: People, options: dict[str, Any]) -> None:
        """Publish those files that were here already and wait in review."""
        publication = documents_publish(
            here,
            by=people.publisher,
            today=timezone.localdate(),
            despite_doubts=bool(options["despite_doubts"]),
            dry_run=bool(options["dry_run"]),
        )
        if publication.published or publication.left:
            report_publication(publication, self.stdout, dry_run=bool(options["dry_run"]))

    def _queue(self, people: People, options: dict[str, Any]) -> Outcome:
        today, dry_run = timezone.localdate(), bool(options["dry_run"])
        verb = "Checking" if dry_run else "Queueing"
        if options["manifest"]:
            manifest = read_manifest(
                options["manifest"],
                folder=_folder(options["paths"]),
                collection=options["collection"] or "",
            )
            with Progress(verb, len(manifest.entries)) as progress:
                return manifest_ingest(
                    manifest,
                    people=people,
                    today=today,
                    dry_run=dry_run,
                    despite_doubts=bool(options["despite_doubts"]),
                    on_file=lambda path: progress.step(),
                )
        paths = self._expand(options["paths"])
        if not paths:
            raise CommandError(f"No file was found there, and nothing was stored. {READ_FORMATS}")
        collection = collection_of_files(options["collection"], dry_run=dry_run)
        despite = bool(options["despite_doubts"])
        batch = Batch(collection, people, options["publish"], today, despite)
        with Progress(verb, len(paths)) as progress:
            return bulk_ingest(
                paths, batch=batch, dry_run=dry_run, on_file=lambda path: progress.step()
            )

    def _expand(self, arguments: list[str]) -> list[Path]:
        """Return files in a stable order, each once. Raises CommandError for a bad path."""
        files: dict[Path, None] = {}
        for argument in arguments:
            path = Path(argument)
            listing = files_below(path) if path.exists() else files_matching(argument)
            if not path.exists() and not (listing.files or listing.left_out):
                raise CommandError(f"{argument}: there is no such file or folder.")
            for link in listing.left_out:
                self.stderr.write(f"{link}: {LEFT_OUT}")
            files.update(dict.fromkeys(listing.files))
        return list(files)

    def _report(self, outcome: Outcome, *, dry_run: bool) -> None:
        for path, sentence in outcome.refused.items():
            self.stderr.write(f"{path}: {sentence}")
        self.stdout.write(
            f"{len(outcome.added)} {'would be ' if dry_run else ''}queued, "
            f"{len(outcome.present)} here already, {len(outcome.refused)} refused."
            f"{' Nothing was written.' if dry_run else ''}"
        )

    def _say_where(self, outcome: Outcome, *, is_followed: bool) -> None:
        """Print the files' collections, who may search them, and what they wait for.

        Runs three queries.
        """
        pks = [document.pk for document in outcome.added]
        collections = Collection.objects.filter(documents__in=pks).distinct()
        drafts = Document.objects.filter(pk__in=pks, lifecycle=Lifecycle.DRAFT).count()
        self.stdout.write(f"Collection: {', '.join(f'{s.name} ({s.slug})' for s in collections)}.")
        if drafts:
            self.stdout.write(
                f"Drafts: {drafts}. Questions find them after they are published, in the "
                "administration under Guideline documents."
            )
        if not is_followed and _are_to_be_clear(outcome.added):
            self.stdout.write(
                "Documents with values in doubt will be left in review; --wait lists them."
            )
        if not is_followed and not worker_is_alive():
            self.stdout.write(
                "No worker is running, so nothing is ingested yet. Nothing is lost: start "
                "manage.py worker or manage.py serve, or run this command again with --wait."
            )


def _are_to_be_clear(documents: list[Document]) -> bool:
    """Tell whether any of these is published only if no value is in doubt once it is read."""
    published = (d for d in documents if d.lifecycle == Lifecycle.PUBLISHED)
    return any(not document.despite_doubts for document in published)


def _folder(paths: list[str]) -> Path | None:
    """Return the folder given with a manifest; None for the manifest's own."""
    if not paths:
        return None
    if len(paths) > 1 or not Path(paths[0]).is_dir():
        raise CommandError("With a manifest, name only one folder: that of its files.")
    return Path(paths[0])
