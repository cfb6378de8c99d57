"""Back the site up while it runs."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error

from core.errors import MedragError
from medrag_site.backups.making import NOTHING_KEPT, make_backup


class Command(BaseCommand):
    help = (
        "Back up database, files, keys and signed heads of the log into a new folder while the "
        "site runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="new folder, which must not exist yet")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        folder = folder.absolute()
        try:
            made = make_backup(folder, self.stderr.write)
        except MedragError as error:
            raise CommandError(error.sentence) from error
        except Error as error:
            message = " ".join(str(error).split())
            raise CommandError(f"The database failed: {message} {NOTHING_KEPT}") from error
        for warning in made.warnings:
            self.stderr.write(f"WARNING {warning}")
        size = made.manifest.size_bytes / 1e6
        self.stdout.write(
            f"{folder} is complete: {len(made.manifest.documents)} files of documents, "
            f"{sum(made.manifest.tables.values())} rows, audit log to row "
            f"{made.manifest.chain_seq}, {size:.1f} MB. It holds the keys of this site and every "
            "question that was asked: keep it as safe as the site, and on another machine."
        )
