"""New vectors in the background: the worker starts `python -m medrag_site.processes.reembedding`.

As the queue's cluster it dies with the worker and takes no handle on the embedded database. A
process of its own: it may take hours and memory, and whoever ends it loses a batch at most.
"""

import os
import signal

from medrag_site.processes.parent_death import die_with_parent

NICE = 10  # questions come first


def main() -> None:
    die_with_parent(signal.SIGKILL)
    os.nice(NICE)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    import django

    django.setup()
    from django.core.management import call_command  # late: it needs the apps

    call_command("reembed", background=True)


if __name__ == "__main__":
    main()
