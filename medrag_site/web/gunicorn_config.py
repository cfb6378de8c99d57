"""Configure gunicorn: what it does at its start."""

import os
import signal
import threading
from typing import Any

from django.conf import settings

from medrag_site.processes.parent_death import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")

if settings.LOG_FORMAT == "json":  # the server's own lines too
    logconfig_dict = settings.LOGGING | {
        "loggers": {"gunicorn.error": {"handlers": [], "propagate": True}}
    }


def on_starting(server: Any) -> None:
    die_with_parent(signal.SIGTERM)


def post_worker_init(worker: Any) -> None:
    load_models_in_background()


def load_models_in_background() -> None:
    """Load the models in a thread at start, so that the first question does not wait for them."""
    threading.Thread(target=_load_models, daemon=True).start()


def _load_models() -> None:
    # Late: this file is read before the apps are ready.
    from chat.generation.configured import warm_up as warm_up_language_models
    from chat.reader.pair_scorer import warm_up as warm_up_readers
    from chat.verification.entailment.configured import warm_up as warm_up_verifier
    from corpus.encoders.registry import warm_up as warm_up_encoders
    from retrieval.configured import site_config
    from retrieval.rerank import warm_up

    warm_up_encoders()
    warm_up(site_config())
    warm_up_readers()
    warm_up_language_models()
    warm_up_verifier()
