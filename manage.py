#!/usr/bin/env python
"""Every command of the project. The embedded database is started for each that needs one."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    from medrag_site.start import prepare  # late: the settings module is named first

    prepare(sys.argv)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
