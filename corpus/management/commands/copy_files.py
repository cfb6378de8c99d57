"""Copy the files of documents between the data folder and a bucket of S3."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.storage import Storage
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import MedragError
from core.progress import Progress
from corpus.services.moving import files_copy
from corpus.storages.disk import SyncedFiles


class Command(BaseCommand):
    help = (
        "Copy the files of all documents to where MEDRAG_FILES names now, from the data folder or "
        "from a bucket. May be interrupted and run again; deletes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--from-folder", action="store_true", help="from the data folder")
        source.add_argument("--from-bucket", metavar="NAME", help="from this bucket")
        parser.add_argument("--prefix", default="", help="of the bucket's names")
        parser.add_argument(
            "--endpoint", default="", help="address of another server than Amazon's"
        )
        parser.add_argument("--region", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        in_bucket = bool(settings.FILES["bucket"])
        if options["from_folder"] and not in_bucket:
            raise CommandError("The files are in the data folder already. Name a bucket first.")
        try:
            with Progress("Copying files", 0) as progress:
                moved = files_copy(_source(options), say=progress.at)
        except MedragError as error:
            raise CommandError(f"{error.sentence} What was copied so far stays.") from error
        self.stdout.write(f"{moved.copied} copied, {moved.there} there already.")
        if moved.missing:
            names = "\n".join(moved.missing)
            raise CommandError(f"{len(moved.missing)} are in neither place:\n{names}")


def _source(options: dict[str, Any]) -> Storage:
    if options["from_folder"]:
        return SyncedFiles(location=settings.FILES_DIR)
    from corpus.storages.bucket import Bucket  # late: S3's client takes a second

    return Bucket(
        bucket_name=options["from_bucket"],
        location=options["prefix"],
        endpoint_url=options["endpoint"] or None,
        region_name=options["region"] or None,
    )
