"""`migrate` as the owner of the tables, which the application's role is not."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections

from corpus.encoders.specs import SpecError
from corpus.errors import MedragError
from corpus.models import Encoder
from corpus.services.conversions import conversions_drop_unused, conversions_make
from corpus.services.encoders import encoders_sync
from corpus.services.vector_index import OWNER


class Command(migrate.Command):
    """Tables of encoders are made here too: only the owner may, and only settings say which."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database=OWNER)

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if options["plan"] or options["check_unapplied"] or not _encoders_are_here():
            return
        try:
            synced = encoders_sync()
        except MedragError as error:
            raise CommandError(error.sentence) from error
        conversions_drop_unused()
        self._convert()
        if synced.made:
            self.stdout.write(
                f"New vectors are to be made by {', '.join(synced.made)}: a worker does it in the "
                "background, or manage.py reembed now. Until then the old ones are searched."
            )

    def _convert(self) -> None:
        """The database is whole without it: what fails is told, and a worker tries again."""
        try:
            conversions_make()
        except (ImproperlyConfigured, SpecError) as error:
            self.stderr.write(f"The encoder is not ready: {error}")


def _encoders_are_here() -> bool:
    """Not so after migrating to before they were."""
    return Encoder._meta.db_table in connections[OWNER].introspection.table_names()
