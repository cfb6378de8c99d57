"""Send an errand to a child process that works in a database of the evaluation's own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings

from corpus.errors import MedragError
from evaluation import databases
from evaluation.configurations import DEPTH, Configuration, Recipe
from evaluation.datasets.types import Dataset
from evaluation.encoders import as_toml, configured
from evaluation.errands import Brought, Errand, Source, read_brought, write_errand
from evaluation.faults import refuse_faulty


class ChildFailed(MedragError):
    """The process that indexes and searches ended with an error."""


def sent(
    source: Source,
    dataset: Dataset,
    configurations: Sequence[Configuration],
    *,
    recipe: Recipe,
    say: Callable[[str], None],
    rebuild: bool = False,
    depth: int = DEPTH,
    peers: Sequence[str] = (),
) -> list[Brought]:
    """What each configuration, then each peer, found over this data set, indexed by this recipe.

    The database is made, migrated and filled where that was not done; `rebuild` drops it before.
    Raises FaultyConfiguration before anything is dropped or made, and ChildFailed; what was
    indexed until then is kept.
    """
    refuse_faulty(configurations)
    name = databases.name_for(dataset, recipe)
    if rebuild and any(kept.name == name for kept in databases.databases_kept()):
        databases.database_drop(name)
    with tempfile.TemporaryDirectory(prefix="evaluation-", dir=settings.DATA_DIR) as folder:
        errand = Errand(
            source=source,
            configurations=tuple(configurations),
            out=folder,
            with_context=recipe.with_context,
            depth=depth,
            peers=tuple(peers),
        )
        path = Path(folder) / "errand.json"
        write_errand(path, errand)
        environment = {**os.environ, **dict(recipe.environment), "MEDRAG_DATABASE_NAME": name}
        if recipe.storage:
            environment |= _stored_as(recipe.storage, Path(folder) / "encoders.toml")
        say(f"database {name}")
        _run(["evaluate", "work", str(path)], environment, say)
        return [
            read_brought(Path(folder) / f"{i}.json")
            for i in range(len(configurations) + len(peers))
        ]


def _stored_as(storage: str, path: Path) -> dict[str, str]:
    """Settings by which the site's encoders keep their vectors that way."""
    path.write_text(as_toml(configured(storage)), encoding="utf-8")
    return {"MEDRAG_ENCODERS": str(path), "MEDRAG_EMBEDDER": ""}


def _run(arguments: Sequence[str], environment: dict[str, str], say: Callable[[str], None]) -> None:
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
            say(f"  {line.rstrip()}")
        status = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    if status:
        raise ChildFailed(
            f"Indexing or searching ended with status {status}.",
            hint="What it said stands above. What was indexed is kept; the same command goes on.",
        )
