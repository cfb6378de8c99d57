"""Write the documents that a hospital asks for before it switches the site on."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from medrag_site.assurance.bundled import BundledError
from medrag_site.assurance.folder import FolderError, folder_write


class Command(BaseCommand):
    help = (
        "Write SBOM, model cards, changed settings, data flows, hazard log, security, "
        "accessibility and DTAC rows and this site's figures into a folder. "
        "Takes a minute. Exit status 1 if a file is missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")

    def handle(self, *args: Any, **options: Any) -> None:
        missing = 0
        try:
            for name, problem in folder_write(options["out"], timezone.localdate()):
                self.stdout.write(f"{name}: {problem}" if problem else name)
                missing += bool(problem)
        except (FolderError, BundledError) as error:
            raise CommandError(error.sentence) from error
        if missing:
            raise SystemExit(1)
