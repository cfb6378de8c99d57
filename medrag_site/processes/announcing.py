"""Webhooks: the worker starts `python -m medrag_site.processes.announcing` where some are due.

A process of its own, beside the queue: no file waits for another system that does not answer. What
waits is read from the database, so that there is no wake-up to be lost, and whoever is killed
leaves a message that is sent once more. It dies with the worker.
"""

import os
import signal

from medrag_site.processes.parent_death import die_with_parent


def main() -> None:
    die_with_parent(signal.SIGKILL)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    import django

    django.setup()
    from webhooks.sending import deliveries_send_due  # late: it needs the apps

    deliveries_send_due()


if __name__ == "__main__":
    main()
