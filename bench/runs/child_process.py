"""Run a task in a child process that works on a database of the evaluation's own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings

from bench.datasets.types import Dataset
from bench.runs import databases
from bench.runs.child_tasks import ChildTask, Outcome, Source, read_outcome, write_task
from bench.runs.configurations import Configuration, Recipe
from bench.runs.errors import refuse_faulty
from core.errors import MedragError

Say = Callable[[str], None]


class ChildFailed(MedragError):
    """The process that indexes and searches ended with an error."""


def sent(
    source: Source,
    dataset: Dataset,
    configurations: Sequence[Configuration],
    recipe: Recipe,
    *,
    say: Say,
    rebuild: bool = False,
    keep: Callable[[Outcome], None],
) -> None:
    """Search the data set by each configuration, and `keep` each outcome as soon as it is written.

    The database is made, migrated and filled where that is not done; `rebuild` drops it before.
    Raises FaultyConfiguration before anything is dropped or made, and ChildFailed where the process
    died; what was indexed until then stays.
    """
    refuse_faulty(configurations)
    name = databases.name_for(dataset, recipe)
    if rebuild and any(kept.name == name for kept in databases.databases_kept()):
        databases.database_drop(name)
    say(f"database {name}")
    with tempfile.TemporaryDirectory(prefix="evaluation-", dir=settings.DATA_DIR) as scratch:
        out, written = Path(scratch), 0

        def collect() -> None:
            nonlocal written
            while (path := out / f"{written}.json").exists():
                keep(read_outcome(path))
                written += 1

        def hear(line: str) -> None:
            say(f"  {line}")
            collect()

        write_task(
            out / "task.json", ChildTask(source, tuple(configurations), str(out), recipe.window)
        )
        try:
            run_work(out / "task.json", name, {}, hear, what="Indexing or searching")
        finally:  # also after an interruption
            collect()


def run_work(task: Path, database: str, more: dict[str, str], hear: Say, *, what: str) -> None:
    """Run `evaluate work` on the database, in `more` environment. Raises ChildFailed."""
    environment = {**os.environ, "MEDRAG_DATABASE_NAME": database, **more}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "evaluate", "work", str(task)],
        cwd=settings.BASE_DIR,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            hear(line.rstrip())
        status = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    if status:
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        raise ChildFailed(
            f"{what} {how}.",
            hint="What it said stands above. What was indexed and measured is kept; the same "
            "command goes on.",
        )
