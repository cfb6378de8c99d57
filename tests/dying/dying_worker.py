"""Die at a named moment of an attempt: `python -m tests.dying.dying_worker`.

Each line read from stdin is `MOMENT DOCUMENT`; a forked child works on the document and kills
itself with SIGKILL at that moment. The answer is a line with the signal that ended the child, 0 if
none. Each child loads its own encoder, whose threads would not outlive the fork. The child runs the
real code: only the last call before the moment is followed by the kill.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django

DURING_PARSING = "during-parsing"
IN_MID_EMBEDDING = "in-mid-embedding"
BEFORE, AFTER = "before-commit-of-", "after-commit-of-"
BATCHES_BEFORE_DEATH = 2


def main() -> None:
    django.setup()
    from django.db import connections

    print("ready", flush=True)
    for line in sys.stdin:
        moment, document = line.split()
        connections.close_all()
        child = os.fork()
        if child == 0:
            _work(moment, int(document))
        _, status = os.waitpid(child, 0)
        print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, flush=True)


def _work(moment: str, document: int) -> None:
    from corpus.services.indexing import document_index

    _arm(moment)
    document_index(document)
    os._exit(0)


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _arm(moment: str) -> None:
    """Patch the call that the moment follows, so that it kills the process."""
    from django.db.backends.base.base import BaseDatabaseWrapper

    from corpus.indexing.leases import Lease
    from corpus.sandbox import parent as sandbox
    from corpus.services import embedding

    if moment == DURING_PARSING:
        sandbox._check_output = _die  # type: ignore[assignment]
    elif moment == IN_MID_EMBEDDING:
        embedding.write_vectors = _dying_after(embedding.write_vectors, BATCHES_BEFORE_DEATH)
    else:
        stage = moment.removeprefix(BEFORE).removeprefix(AFTER)
        reached: list[str] = []
        hold, commit = Lease.hold, BaseDatabaseWrapper._commit  # type: ignore[attr-defined]
        rollback = BaseDatabaseWrapper._rollback  # type: ignore[attr-defined]

        def watched_hold(lease: Lease, for_s: float = 0.0, **changes: Any) -> None:
            hold(lease, for_s, **changes)
            reached.append(str(changes.get("stage", "")))

        def deadly_commit(connection: BaseDatabaseWrapper) -> Any:
            if stage not in reached:
                return commit(connection)
            if moment.startswith(AFTER):
                commit(connection)
            return _die()

        def forgetful_rollback(connection: BaseDatabaseWrapper) -> Any:
            reached.clear()  # an error before the commit is not the moment
            return rollback(connection)

        Lease.hold = watched_hold  # type: ignore[assignment, method-assign]
        BaseDatabaseWrapper._commit = deadly_commit  # type: ignore[attr-defined]
        BaseDatabaseWrapper._rollback = forgetful_rollback  # type: ignore[attr-defined]


def _dying_after(call: Callable[..., None], count: int) -> Callable[..., None]:
    """Wrap `call` so that the process dies right after call `count` + 1, in its transaction."""
    done: list[int] = []

    def counted(*arguments: Any) -> None:
        call(*arguments)
        done.append(1)
        if len(done) > count:
            _die()

    return counted


if __name__ == "__main__":
    main()
