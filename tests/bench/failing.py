"""A child process of the evaluation that fails at configurations which a test names.

`MEDRAG_TEST_FAILS` is JSON: what differs in a configuration, to what happens as it is searched.
All else is the real thing.
"""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

from django.apps import AppConfig

RAISES, DIES, ENDS_PARENT = "raises", "dies", "ends parent"
SECRET = "a question that nobody may quote"


class Failing(AppConfig):
    name = "tests.evaluation"
    label = "failing_evaluation"

    def ready(self) -> None:
        from bench import child_work as work

        search: Any = vars(work)["search_all"]
        fails = json.loads(os.environ.get("MEDRAG_TEST_FAILS", "{}"))

        def search_all(dataset: Any, configuration: Any, **options: Any) -> Any:
            _fail(fails.get(configuration.text, ""))
            return search(dataset, configuration, **options)

        vars(work)["search_all"] = search_all


def _fail(how: str) -> None:
    if how == RAISES:
        raise ValueError(SECRET)
    if how == DIES:
        os.kill(os.getpid(), signal.SIGKILL)
    if how == ENDS_PARENT:
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(60)  # the parent ends it
