"""Hooks of the web server: what it does at its start, and when it stops."""

import signal
import threading
from typing import Any

from medrag_site.tether import die_with_parent


def on_starting(server: Any) -> None:
    die_with_parent(signal.SIGTERM)


def post_worker_init(worker: Any) -> None:
    """Load the encoders while nobody waits, so that the first question doesn't pay for them."""
    from corpus.encoders.registry import (
        warm_up,
    )  # late: this file is read before the apps are ready

    threading.Thread(target=warm_up, daemon=True).start()
