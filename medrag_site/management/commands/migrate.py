"""Run `migrate` as the owner of the tables, which the application's role is not."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.exceptions import InconsistentMigrationHistory

from core.errors import MedragError
from corpus.encoders.registry import conversions_drop_unused, conversions_make
from corpus.encoders.specs import SpecError
from corpus.indexing.vector_index import OWNER
from corpus.models import Encoder
from corpus.services.encoders import encoders_sync
from medrag_site.database.faults import sentence_of
from medrag_site.database.tables import missing_migrations
from medrag_site.groups import groups_sync

_MIGRATING = 0x6D656473  # an advisory lock of PostgreSQL: any number that nothing else uses


class Command(migrate.Command):
    """Migrates, and creates the encoders' tables: only the owner may, and settings define them.

    One process at a time migrates a database; another waits for it and finds nothing left to do.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database=OWNER)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with self._alone(connections[options["database"]]) as connection:
                if not (options["plan"] or options["check_unapplied"]):
                    _refuse_without_rights(connection)
                self._migrate(*args, **options)
        except (Error, InconsistentMigrationHistory) as error:
            raise CommandError(sentence_of(error)) from error

    @contextmanager
    def _alone(self, connection: BaseDatabaseWrapper) -> Iterator[BaseDatabaseWrapper]:
        """Hold a lock that the server releases with the connection, however that ends."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_MIGRATING])
            if not cursor.fetchone()[0]:
                self.stderr.write("Another process is migrating this database. Waiting for it.")
                cursor.execute("SELECT pg_advisory_lock(%s)", [_MIGRATING])
        try:
            yield connection
        finally:
            # A lost connection has no lock; the error that ended it is reported.
            with suppress(Error), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_MIGRATING])

    def _migrate(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if options["plan"] or options["check_unapplied"] or not _encoders_are_here():
            return
        self._sync_groups()
        try:
            synced = encoders_sync()
        except MedragError as error:
            raise CommandError(error.sentence) from error
        conversions_drop_unused()
        self._convert()
        if synced.made:
            self.stdout.write(
                f"New vectors must be computed by {', '.join(synced.made)}. A worker does this in "
                "the background, or run manage.py reembed. Until then the old ones are searched."
            )

    def _sync_groups(self) -> None:
        """Give groups their rights, which exist once all migrations are applied."""
        if missing_migrations():
            return
        for name in groups_sync():
            self.stdout.write(
                f"The group {name} existed before this release and keeps its rights. "
                "manage.py groups lists what it lacks."
            )

    def _convert(self) -> None:
        """Convert the encoders, which the database does not need: a failure is only reported.

        A worker tries again.
        """
        try:
            conversions_make()
        except (ImproperlyConfigured, SpecError) as error:
            self.stderr.write(f"The encoder is not ready: {error}")


def _refuse_without_rights(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError unless the role may make tables, as the application's may not."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, has_schema_privilege('public', 'CREATE')")
        role, may_create = cursor.fetchone()
    if not may_create:
        raise CommandError(
            f"The role {role} may not make tables, so nothing was changed. Set "
            "DATABASE_OWNER_URL to the address with the owner's role."
        )


def _encoders_are_here() -> bool:
    """Tell whether the table of encoders exists, which it does not before its migration."""
    return Encoder._meta.db_table in connections[OWNER].introspection.table_names()
