"""What every process does first: read the settings, start the embedded database if it is ours.

A person who meets a wrong setting or a full disk reads one sentence, never a traceback.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

from core.database_availability import AWAY
from medrag_site.database.embedded import ensure_started
from medrag_site.database.faults import sentence_of
from medrag_site.database.postmaster import DatabaseStartError
from medrag_site.database.provisioning import ensure_beside

_NEED_NOTHING = {"help", "version", "--version"}
# `doctor` starts it itself, and says beside all else what keeps it from starting.
_NEED_NO_DATABASE = {"makemigrations", "collectstatic", "doctor", "train"}
_HELP = {"--help", "-h"}


def prepare(argv: Sequence[str]) -> None:
    """Start what the command in `argv` needs; exit with status 2 and a sentence if it can't."""
    command = argv[1] if len(argv) > 1 else "help"
    if command in _NEED_NOTHING or _HELP & set(argv):
        return
    try:
        from django.conf import settings  # late: the environment names them first

        _ = settings.DATA_DIR  # read all, also where no database is needed
        if command not in _NEED_NO_DATABASE:
            start_database()
    except (ImproperlyConfigured, DatabaseStartError) as error:
        print(f"medrag can't start. {error}", file=sys.stderr)
        raise SystemExit(2) from None


@contextmanager
def ended_politely() -> Iterator[None]:
    """Ctrl-C is a sentence and status 130; a reader that has had enough, as `head`, is no error.

    A database that is away is a sentence and status 2, whatever the command.
    """
    try:
        if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
            signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        sys.stdout.flush()
    except AWAY as error:
        print(sentence_of(error), file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("\nInterrupted. What was finished until then stays as it is.", file=sys.stderr)
        raise SystemExit(130) from None
    except BrokenPipeError:
        # Else it fails again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


def start_database() -> None:
    """Start the embedded server.

    For a URL nothing, but for a database that MEDRAG_DATABASE_NAME names there: it is made.
    """
    from django.conf import settings  # late: reading it may fail, which `prepare` reports

    if settings.DATABASE_IS_EMBEDDED:
        ensure_started(settings.DATA_DIR, database=settings.DATABASE_NAME)
    elif settings.DATABASE_NAME:
        ensure_beside(settings.DATABASES, settings.DATABASE_OWNER_URL or settings.DATABASE_URL)
