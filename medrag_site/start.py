"""What every process does first: read the settings, start the embedded database if it is ours.

A person who meets a wrong setting or a full disk reads one sentence, never a traceback.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

from medrag_site.beside import ensure_beside
from medrag_site.embedded import DatabaseStartError, ensure_started

_NEED_NO_DATABASE = {"help", "--version", "makemigrations", "collectstatic", "train"}
_HELP = {"--help", "-h"}


def prepare(argv: Sequence[str]) -> None:
    """Start what the command in `argv` needs; exit with status 2 and a sentence if it can't."""
    command = argv[1] if len(argv) > 1 else "help"
    if command in _NEED_NO_DATABASE or _HELP & set(argv):
        return
    try:
        start_database()
    except (ImproperlyConfigured, DatabaseStartError) as error:
        print(f"medrag can't start. {error}", file=sys.stderr)
        raise SystemExit(2) from None


@contextmanager
def ended_politely() -> Iterator[None]:
    """Ctrl-C is a sentence and status 130; a reader that has had enough, as `head`, is no error."""
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("\nInterrupted. What was finished until then stays as it is.", file=sys.stderr)
        raise SystemExit(130) from None
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # else it fails again at exit
        raise SystemExit(0) from None


def start_database() -> None:
    """Start the embedded server and point the settings at its socket.

    For a URL nothing, but for a database that MEDRAG_DATABASE_NAME names there: it is made.
    """
    from django.conf import settings  # late: reading it may fail, which `prepare` reports

    if settings.DATABASE_IS_EMBEDDED:
        socket_dir = ensure_started(settings.DATA_DIR, database=settings.DATABASE_NAME)
        for alias in settings.DATABASES.values():
            alias["HOST"] = socket_dir
    elif settings.DATABASE_NAME:
        ensure_beside(settings.DATABASES, settings.DATABASE_OWNER_URL or settings.DATABASE_URL)
