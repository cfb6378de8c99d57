"""Make the vectors of encoders that are configured anew, and search them once all are there."""

from __future__ import annotations

import os
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from corpus.errors import MedragError
from corpus.following import progress_bar
from corpus.models import Encoder, EncoderState
from corpus.services.encoders import AlreadyRunning, encoder_reembed

NICE = 10  # questions come first


class Command(BaseCommand):
    help = (
        "Encode every passage by the encoders that were configured anew and have got a table by "
        "manage.py migrate. The old ones are searched until each new one has all its vectors; "
        "what was made is kept when this is interrupted. A worker does the same in the background."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--background", action="store_true", help="as a worker does it: quietly, giving way"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["background"]:
            os.nice(NICE)
        building = list(Encoder.objects.filter(state=EncoderState.BUILDING).order_by("position"))
        for encoder in building:
            try:
                self._reembed(encoder, quiet=options["background"])
            except AlreadyRunning as error:
                if not options["background"]:
                    raise CommandError(error.sentence) from error
            except (MedragError, ImproperlyConfigured) as error:
                raise CommandError(getattr(error, "sentence", str(error))) from error
        if not building and not options["background"]:
            self.stdout.write("Nothing to do: what is configured is searched.")

    def _reembed(self, encoder: Encoder, *, quiet: bool) -> None:
        with progress_bar(0, f"Encoding by {encoder.name}", "passage", quiet=quiet) as bar:
            encoder_reembed(encoder, on_progress=lambda done, total: _show(bar, done, total))
        if not quiet:
            self.stdout.write(f"{encoder.name} is searched now.")


def _show(bar: tqdm[Any], done: int, total: int) -> None:
    bar.total = total
    bar.update(done - bar.n)
