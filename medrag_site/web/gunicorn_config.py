"""Configure gunicorn: what it does at its start, and at the end of its workers."""

import os
import signal
import sys
from typing import Any

from django.conf import settings

from medrag_site.processes.parent_death import die_with_parent
from medrag_site.web.model_loading import end_at_once, models

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")

if settings.LOG_FORMAT == "json":  # the server's own lines too
    logconfig_dict = settings.LOGGING | {
        "loggers": {"gunicorn.error": {"handlers": [], "propagate": True}}
    }


def on_starting(server: Any) -> None:
    die_with_parent(signal.SIGTERM)
    models.share()


def post_fork(server: Any, worker: Any) -> None:
    models.begin()


def post_worker_init(worker: Any) -> None:
    models.load_in_background()


def worker_exit(server: Any, worker: Any) -> None:
    """End a worker once its last request has ended. The master calls this too."""
    if worker.booted and worker.pid == os.getpid():
        ended = sys.exc_info()[1]
        is_well = isinstance(ended, SystemExit) and not ended.code
        end_at_once(0 if is_well else 1)
