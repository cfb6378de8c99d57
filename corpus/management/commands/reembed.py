"""Compute the vectors of newly configured encoders, and search them once all are complete."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error, connections

from core.errors import MedragError
from core.progress import Progress
from corpus.encoders.registry import conversions_drop_unused
from corpus.indexing.vector_index import AlreadyRunning
from corpus.models import Encoder, EncoderState
from corpus.services.encoders import encoder_reembed


class Command(BaseCommand):
    help = (
        "Compute the vectors of newly configured encoders for every passage, after manage.py "
        "migrate has created their tables. The old vectors are searched until the new ones "
        "are complete. Vectors are kept after an interruption, and a failing encoder does not "
        "stop the others. A worker does the same in the background."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--background", action="store_true", help="print no progress, as in a worker"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        building = list(Encoder.objects.filter(state=EncoderState.BUILDING).order_by("position"))
        quiet = options["background"]
        faults = [fault for encoder in building if (fault := self._fault_of(encoder, quiet=quiet))]
        if faults:
            raise CommandError("\n".join(faults))
        conversions_drop_unused()
        if not building and not quiet:
            self.stdout.write("Nothing to do: all configured encoders are searched.")

    def _fault_of(self, encoder: Encoder, *, quiet: bool) -> str:
        """Return what went wrong with an encoder, so that the others can go on."""
        try:
            what = f"Encoding by {encoder.name}"
            with Progress(what, unit="passages", is_quiet=quiet) as progress:
                encoder_reembed(encoder, on_progress=progress.at)
        except AlreadyRunning as error:
            return "" if quiet else error.sentence
        except (MedragError, ImproperlyConfigured) as error:
            return f"{encoder.name}: {getattr(error, 'sentence', str(error))}"
        except Error as error:
            # The next one begins with connections that work.
            for connection in connections.all(initialized_only=True):
                connection.close_if_unusable_or_obsolete()
            return f"{encoder.name}: {_sentence(error)}"
        if not quiet:
            self.stdout.write(f"{encoder.name} is searched now.")
        return ""


def _sentence(error: Error) -> str:
    """Return the error's type only, such as DiskFull; database messages may quote rows."""
    return (
        f"The database failed ({type(error.__cause__ or error).__name__}). Nothing that was made "
        "is lost; what is searched stays searched. See to the database, then run manage.py reembed."
    )
