"""Execute a run of questions and die: `python -m tests.dying.dying_run RUN MOMENT COUNT`.

It kills itself with SIGKILL the COUNT-th time that it comes to the moment; without a moment, it
executes to the end.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django

CLAIMED = "claimed"  # the item is claimed, its question not asked yet
STORED = "turn-stored"  # the turn is stored, its result not yet
SAVED = "result-saved"
MOMENTS = (CLAIMED, STORED, SAVED)


def main() -> None:
    run_id, moment, count = int(sys.argv[1]), *sys.argv[2:4]
    django.setup()
    from evaluation.models import QuestionRun
    from evaluation.question_runs import leases, services

    if moment == CLAIMED:
        services.claim = _deadly(services.claim, int(count))  # type: ignore[attr-defined]
    elif moment == STORED:
        services.turn_ask = _deadly(services.turn_ask, int(count))  # type: ignore[attr-defined]
    elif moment == SAVED:
        leases.Lease.end = _deadly(leases.Lease.end, int(count))  # type: ignore[method-assign]
    services.question_run_execute(QuestionRun.objects.get(pk=run_id))


def _deadly(call: Callable[..., Any], count: int) -> Callable[..., Any]:
    done: list[int] = []

    def counted(*arguments: Any, **named: Any) -> Any:
        found = call(*arguments, **named)
        done.append(1)
        if len(done) == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    return counted


if __name__ == "__main__":
    main()
