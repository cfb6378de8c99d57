"""Check, before each command, that the database has this version's tables, or create them.

Django checks for missing migrations before a command's work only if the command asks for it. Here
all commands do, except those that work without tables or create them. The check comes after
arguments and settings were read, so that `--help` and a mistyped option cost nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from django.apps import apps
from django.conf import settings
from django.core.management import ManagementUtility, call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from medrag_site.database.faults import sentence_of
from medrag_site.database.restore_mark import refuse_unfinished
from medrag_site.release import release

_APPS_WITHOUT = {"django.core", "django.contrib.staticfiles", "drf_spectacular"}
_WITHOUT = {"doctor", "check_spans", "restore", "train"}
_WITHOUT |= {"evaluate work"}  # creates them, in a database of its own
_MAKE_THEM = {"migrate", "demo"}


class Commands(ManagementUtility):
    """Django's list of commands, each of which checks the tables first."""

    def execute(self) -> None:
        """Print this product's release for `version`, instead of Django's."""
        if self.argv[1:] in (["--version"], ["version"]):
            sys.stdout.write(f"{release()}\n")
            return
        super().execute()

    def fetch_command(self, subcommand: str) -> BaseCommand:
        command = super().fetch_command(subcommand)
        if check := self._check_of(subcommand):
            command.requires_migrations_checks = True
            command.check_migrations = check  # type: ignore[method-assign]
        return command

    def _check_of(self, subcommand: str) -> Callable[[], None] | None:
        names = {subcommand, " ".join(self.argv[1:3])}
        if names & _MAKE_THEM:
            return refuse_unfinished
        if get_commands()[subcommand] in _APPS_WITHOUT or names & _WITHOUT:
            return None
        return ensure_tables


def ensure_tables() -> None:
    """Migrate the embedded database to this version; an external one is left to `migrate`.

    Commands that start at once may all call this: the first migrates, the others wait. Raises
    CommandError.
    """
    refuse_unfinished()
    try:
        if not missing_migrations() and _has_encoders():
            return
        if not settings.DATABASE_IS_EMBEDDED:
            raise CommandError(f"{_state()}: run manage.py migrate first.")
        sys.stderr.write(f"{_state()}: it is made ready first.\n")
    except Error as error:
        raise CommandError(sentence_of(error)) from error
    call_command("migrate", verbosity=0, stdout=sys.stderr)


def missing_migrations() -> int:
    """Return how many of this version's migrations the database lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _has_encoders() -> bool:
    """Tell whether encoders exist, which `migrate` creates last."""
    return bool(apps.get_model("corpus", "Encoder")._default_manager.exists())


def _state() -> str:
    is_empty = not MigrationRecorder(connection).applied_migrations()
    name = settings.DATA_DIR if settings.DATABASE_IS_EMBEDDED else connection.settings_dict["NAME"]
    where = "The database in" if settings.DATABASE_IS_EMBEDDED else "The database"
    return f"{where} {name} {'has no tables yet' if is_empty else 'is not up to date'}"
