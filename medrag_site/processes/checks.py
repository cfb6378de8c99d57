"""Check the settings of the queue before the worker starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register("queue")
def check_retry(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Reject a `retry` after which a task would be taken again while it waits or runs.

    Its clock starts when the task is taken from the table, before a worker is free for it.
    """
    q = settings.Q_CLUSTER
    rounds = math.ceil((q["queue_limit"] + 1) / q["workers"]) + 1
    least_s = rounds * (q["timeout"] + 3) + 60
    if q["retry"] >= least_s:
        return []
    text = f"Q_CLUSTER: retry is {q['retry']} s, and must be at least {least_s}."
    return [Error(text, hint="Raise it in medrag_site/settings.py.", id="queue.E001")]
