"""Prepare every process: read the settings, and start the embedded database if it is used.

A wrong setting or a full disk is reported in one sentence, never as a traceback.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

from core.database_availability import AWAY
from core.openvino_runtime import ask_for_32_bits
from medrag_site.database.embedded import ensure_started
from medrag_site.database.faults import sentence_of
from medrag_site.database.postmaster import DatabaseStartError
from medrag_site.database.provisioning import ensure_sibling

_NEED_NOTHING = {"help", "version", "--version"}
# `doctor` starts the database itself, and reports why it does not start.
_NEED_NO_DATABASE = {"makemigrations", "collectstatic", "doctor", "train"}
_HELP = {"--help", "-h"}
# In the data folder of `manage.py demo`. All its processes compute in 32 bits, not only those that
# the command starts: else a replay in a terminal would differ from the stored answer.
DEMONSTRATION = "demonstration"


def prepare(argv: Sequence[str]) -> None:
    """Start what the command in `argv` needs; exit with status 2 and a sentence on failure."""
    command = argv[1] if len(argv) > 1 else "help"
    if command in _NEED_NOTHING or _HELP & set(argv):
        return
    try:
        from django.conf import settings  # late: DJANGO_SETTINGS_MODULE must be set first

        # Reads all settings, even if no database is needed.
        if (settings.DATA_DIR / DEMONSTRATION).exists():
            ask_for_32_bits()
        if command not in _NEED_NO_DATABASE:
            start_database()
    except (ImproperlyConfigured, DatabaseStartError) as error:
        print(f"medrag can't start. {error}", file=sys.stderr)
        raise SystemExit(2) from None


@contextmanager
def ended_politely() -> Iterator[None]:
    """Turn the expected ends of a command into a sentence and an exit status.

    Ctrl-C gives status 130, a database that is away status 2, whatever the command. A closed pipe,
    as by `head`, is no error.
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
        # Else the flush at exit fails again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


def start_database() -> None:
    """Start the embedded server, or create the database MEDRAG_DATABASE_NAME on an external one.

    Does nothing if DATABASE_URL is set and MEDRAG_DATABASE_NAME is not.
    """
    from django.conf import settings  # late: reading it may fail, which `prepare` reports

    if settings.DATABASE_IS_EMBEDDED:
        ensure_started(settings.DATA_DIR, database=settings.DATABASE_NAME)
    elif settings.DATABASE_NAME:
        ensure_sibling(settings.DATABASES, settings.DATABASE_OWNER_URL or settings.DATABASE_URL)
