"""Send an errand to a child process that works in a database of the evaluation's own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from bench.datasets.types import Dataset
from bench.runs import databases
from bench.runs.child_tasks import (
    ChildTask,
    Failed,
    Outcome,
    Source,
    read_outcome,
    write_errand,
)
from bench.runs.configurations import DEPTH, Configuration, Recipe
from bench.runs.encoders import as_toml, configured
from bench.runs.errors import refuse_faulty
from core.errors import MedragError

Say = Callable[[str], None]


class ChildFailed(MedragError):
    """The process that indexes and searches ended with an error."""


@dataclass(frozen=True)
class Task:
    """What is to be searched: a data set, the way its index is built, and what asks it."""

    source: Source
    dataset: Dataset
    configurations: tuple[Configuration, ...]
    recipe: Recipe
    depth: int = DEPTH
    peers: tuple[str, ...] = ()
    gate: Mapping[str, Any] = field(default_factory=dict)


def sent(
    task: Task,
    *,
    say: Say,
    rebuild: bool = False,
    keep: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Return what each configuration, then each peer, found over this data set, or why it found
    nothing.

    The database is made, migrated and filled where that was not done; `rebuild` drops it before.
    `keep` is called with each as soon as it is there. Where the process dies in the middle of a
    configuration, that one has failed and another process goes on with the next.

    Raises FaultyConfiguration before anything is dropped or made, and ChildFailed where nothing
    could be searched, or a peer could not; what was indexed until then is kept.
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
    """One task, by as many processes one after another as it takes."""

    task: Task
    database: str
    folder: Path
    say: Say
    keep: Callable[[Outcome], None]
    found: list[Outcome] = field(default_factory=list)  # in the order of the configurations

    def run(self) -> list[Outcome]:
        wanted = len(self.task.configurations) + len(self.task.peers)
        while len(self.found) < wanted:
            before = len(self.found)
            out = self.folder / str(before)
            out.mkdir()
            try:
                status = self._child(out, self.task.configurations[before:])
            finally:  # also of one that is interrupted
                self._collect(out, before)
            if len(self.found) < wanted:
                self._died(out, before, status)
        return self.found

    def _child(self, out: Path, configurations: Sequence[Configuration]) -> int:
        """Return its status; outcomes are kept while it runs."""
        task, before = self.task, len(self.found)
        errand = ChildTask(
            source=task.source,
            configurations=tuple(configurations),
            out=str(out),
            with_context=task.recipe.with_context,
            window=task.recipe.window,
            depth=task.depth,
            peers=task.peers,
            gate=task.gate,
        )
        path = out / "errand.json"
        write_errand(path, errand)
        environment = {
            **os.environ,
            **dict(task.recipe.environment),
            "MEDRAG_DATABASE_NAME": self.database,
        }
        if task.recipe.storage:
            environment |= _stored_as(task.recipe.storage, out / "encoders.toml")

        def hear(line: str) -> None:
            self.say(f"  {line}")
            self._collect(out, before)

        return run_child(["evaluate", "work", str(path)], environment, hear)

    def _collect(self, out: Path, before: int) -> None:
        """Take in what lies there in order; one whose keeping is interrupted is taken in again."""
        while (path := out / f"{len(self.found) - before}.json").exists():
            outcome = read_outcome(path)
            self.keep(outcome)
            self.found.append(outcome)

    def _died(self, out: Path, before: int, status: int) -> None:
        """Note that the configuration that it was at has failed; raises where it was at none."""
        number = len(self.found)
        begun = (out / f"{number - before}.begun").exists()
        if self.task.peers or not begun:
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
    """Return a signal is what it is: 9 is how a system that has no memory left ends a process."""
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"


def _stored_as(storage: str, path: Path) -> dict[str, str]:
    """Return settings by which the site's encoders keep their vectors that way."""
    path.write_text(as_toml(configured(storage)), encoding="utf-8")
    return {"MEDRAG_ENCODERS": str(path)}


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
