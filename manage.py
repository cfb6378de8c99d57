#!/usr/bin/env python
"""Every command of the project, with the database and the tables that it needs."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    from medrag_site.start import ended_politely, prepare  # late: the settings are named first

    with ended_politely():
        prepare(sys.argv)
        from medrag_site.tables import Commands  # late: its libraries read the settings

        Commands(sys.argv).execute()


if __name__ == "__main__":
    main()
