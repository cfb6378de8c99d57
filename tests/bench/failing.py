"""An app that makes the evaluation's child process fail at the configurations a test names.

`MEDRAG_TEST_FAILS` is JSON: from a configuration's text to how its search fails. All else is real.
"""

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
