"""Queue files for ingestion, and follow them to the end if asked."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from corpus.bulk import Batch, bulk_ingest, paths_below
from corpus.errors import MedragError
from corpus.following import follow, progress_bar
from corpus.manifest import Outcome, People, manifest_ingest, read_manifest
from corpus.models import Collection, Job, JobState
from corpus.services.documents import collection_default


class Command(BaseCommand):
    help = "Queue files for ingestion: files, folders (all below them) and patterns."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="*", metavar="PATH")
        parser.add_argument("--manifest", type=Path, help="a JSON file that describes documents")
        parser.add_argument("--collection", metavar="SLUG", help="the shelf they belong to")
        parser.add_argument("--publish", action="store_true", help="publish what is new at once")
        parser.add_argument("--wait", action="store_true", help="until all are indexed or failed")
        parser.add_argument("--user", help="who is recorded as the uploader")
        parser.add_argument("--publisher", help="who is recorded as the publisher")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["paths"]) == bool(options["manifest"]):
            raise CommandError("Name files or folders, or a manifest with --manifest.")
        people = People(_person(options["user"]), _person(options["publisher"]))
        try:
            outcome = self._queue(people, options)
        except MedragError as error:
            raise CommandError(error.sentence) from error
        self._report(outcome)
        documents = [d.pk for d in (*outcome.added, *outcome.present)]
        if options["wait"]:
            follow(documents)
        if self._list_failures(documents) or outcome.refused:
            raise SystemExit(1)

    def _queue(self, people: People, options: dict[str, Any]) -> Outcome:
        today = timezone.localdate()
        if options["manifest"]:
            manifest = read_manifest(options["manifest"])
            with progress_bar(len(manifest.entries), "Queueing") as bar:
                return manifest_ingest(
                    manifest, people=people, today=today, on_file=lambda path: _step(bar)
                )
        batch = Batch(_collection(options["collection"]), people, options["publish"], today)
        paths = _expand(options["paths"])
        with progress_bar(len(paths), "Queueing") as bar:
            return bulk_ingest(paths, batch=batch, on_file=lambda path: _step(bar))

    def _report(self, outcome: Outcome) -> None:
        for path, sentence in outcome.refused.items():
            self.stderr.write(f"{path}: {sentence}")
        self.stdout.write(
            f"{len(outcome.added)} queued, {len(outcome.present)} here already, "
            f"{len(outcome.refused)} refused."
        )

    def _list_failures(self, documents: list[int]) -> int:
        jobs = Job.objects.filter(document_id__in=documents, state=JobState.FAILED)
        for job in jobs.select_related("document"):
            self.stderr.write(f"{job.document.filename}: {job.last_error}")
        return len(jobs)


def _step(bar: Any) -> None:
    bar.update(1)


def _expand(arguments: list[str]) -> list[Path]:
    """Files in a stable order, each once. Raises CommandError for a path that names nothing."""
    found: dict[Path, None] = {}
    for argument in arguments:
        matches = [argument] if Path(argument).exists() else _glob(argument)
        if not matches:
            raise CommandError(f"{argument}: there is no such file or folder.")
        for match in matches:
            found.update(dict.fromkeys(paths_below(Path(match))))
    return list(found)


def _glob(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  may be absolute


def _person(username: str | None) -> User | None:
    if not username:
        return None
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is no user {username}.")
    return user


def _collection(slug: str | None) -> Collection:
    if not slug:
        return collection_default()
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        known = ", ".join(Collection.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no collection {slug}. Known: {known}.")
    return collection
