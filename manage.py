#!/usr/bin/env python
"""Every command of the project, with the database and the tables that it needs."""

import os
import signal
import sys


def stop_at_once(*_: object) -> None:
    """End on Ctrl-C while libraries are loaded; `ended_politely` takes over from there."""
    os.write(2, b"\nInterrupted before anything was done.\n")
    os._exit(130)


def main() -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
        signal.signal(signal.SIGINT, stop_at_once)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    from medrag_site.processes.start import (  # late: the settings are named first
        ended_politely,
        prepare,
    )

    with ended_politely():
        prepare(sys.argv)
        from medrag_site.database.tables import Commands  # late: its libraries read the settings

        Commands(sys.argv).execute()


if __name__ == "__main__":
    main()
