"""Restore a backup into an empty site."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error

from core.errors import MedragError
from medrag_site.backups.restoring import AGAIN, restore


class Command(BaseCommand):
    help = "Restore a backup into an empty data folder and database, and verify it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="folder that manage.py backup has written")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        try:
            restored = restore(folder.absolute(), self.stderr.write)
        except MedragError as error:
            raise CommandError(error.sentence) from error
        except (Error, OSError) as error:
            message = " ".join(str(error).split())
            raise CommandError(f"The restore failed: {message} {AGAIN}") from error
        for warning in restored.warnings:
            self.stderr.write(f"WARNING {warning}")
        known = restored.manifest
        searched = (
            f"a search found {restored.found}" if restored.found else "no document is in force"
        )
        self.stdout.write(
            f"Restored the backup of {known.made_at}: {len(known.documents)} files match their "
            f"hashes, {sum(known.tables.values())} rows, audit log verified to row "
            f"{known.chain_seq} with {restored.answers} answers, {searched}. "
            "Start the site with manage.py serve."
        )
        self.stdout.write(
            "What was done after the backup is not in it: guidelines that were withdrawn, replaced "
            "or stopped since then answer again, and accounts that were closed are open. Do so "
            "again before people ask. The log's events after row "
            f"{known.chain_seq}, at a collector or in the old database, say which."
        )
