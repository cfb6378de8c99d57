"""Run a task in a child process that works on a database of the evaluation's own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from bench.datasets.types import Dataset
from bench.runs import databases
from bench.runs.child_tasks import (
    ChildTask,
    Failed,
    Outcome,
    Source,
    read_outcome,
    write_task,
)
from bench.runs.configurations import Configuration, Recipe
from bench.runs.errors import refuse_faulty
from core.errors import MedragError

Say = Callable[[str], None]


class ChildFailed(MedragError):
    """The process that indexes and searches ended with an error."""


@dataclass(frozen=True)
class Task:
    """A search to run: the data set, how its index is built, and the configurations."""

    source: Source
    dataset: Dataset
    configurations: tuple[Configuration, ...]
    recipe: Recipe


def sent(
    task: Task,
    *,
    say: Say,
    rebuild: bool = False,
    keep: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Return the outcome of each configuration over the task's data set.

    The database is made, migrated and filled where that is not done; `rebuild` drops it before.
    `keep` is called with each outcome as soon as it is written. Where the process dies during a
    configuration, that one has failed and another process goes on with the next.

    Raises FaultyConfiguration before anything is dropped or made, and ChildFailed where nothing
    could be searched; the documents indexed until then are kept.
    """
    refuse_faulty(task.configurations)
    name = databases.name_for(task.dataset, task.recipe)
    if rebuild and any(kept.name == name for kept in databases.databases_kept()):
        databases.database_drop(name)
    say(f"database {name}")
    with ExitStack() as stack:
        scratch = tempfile.TemporaryDirectory(prefix="evaluation-", dir=settings.DATA_DIR)
        folder = Path(stack.enter_context(scratch))
        return _Sending(task, name, folder, say, keep).run()


@dataclass
class _Sending:
    """One task, run by as many processes in succession as it takes."""

    task: Task
    database: str
    folder: Path
    say: Say
    keep: Callable[[Outcome], None]
    found: list[Outcome] = field(default_factory=list)  # in the order of the configurations

    def run(self) -> list[Outcome]:
        wanted = len(self.task.configurations)
        while len(self.found) < wanted:
            before = len(self.found)
            out = self.folder / str(before)
            out.mkdir()
            try:
                status = self._child(out, self.task.configurations[before:])
            finally:  # also after an interruption
                self._collect(out, before)
            if len(self.found) < wanted:
                self._died(out, before, status)
        return self.found

    def _child(self, out: Path, configurations: Sequence[Configuration]) -> int:
        """Run a child process and return its exit status; outcomes are collected while it runs."""
        task, before = self.task, len(self.found)
        child_task = ChildTask(
            source=task.source,
            configurations=tuple(configurations),
            out=str(out),
            window=task.recipe.window,
        )
        path = out / "task.json"
        write_task(path, child_task)
        environment = {**os.environ, "MEDRAG_DATABASE_NAME": self.database}

        def hear(line: str) -> None:
            self.say(f"  {line}")
            self._collect(out, before)

        return run_child(["evaluate", "work", str(path)], environment, hear)

    def _collect(self, out: Path, before: int) -> None:
        """Collect the outcomes written so far, in order.

        One whose `keep` is interrupted is collected again.
        """
        while (path := out / f"{len(self.found) - before}.json").exists():
            outcome = read_outcome(path)
            self.keep(outcome)
            self.found.append(outcome)

    def _died(self, out: Path, before: int, status: int) -> None:
        """Record the configuration begun last as failed.

        Raises ChildFailed where none was begun.
        """
        number = len(self.found)
        begun = (out / f"{number - before}.begun").exists()
        if not begun:
            raise ChildFailed(
                f"Indexing or searching {ended(status)}.",
                hint="What it said stands above. What was indexed is kept; the same command goes "
                "on.",
            )
        name = self.task.configurations[number].name
        outcome = Failed(name, f"The process that searched {ended(status)}.")
        self.say(f"  {name} failed: {outcome.why}")
        self.found.append(outcome)
        self.keep(outcome)


def ended(status: int) -> str:
    """Describe an exit status in words.

    A signal is named by its number: 9 is how a system that runs out of memory ends a process.
    """
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"


def run_child(arguments: Sequence[str], environment: dict[str, str], hear: Say) -> int:
    process = subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
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
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
