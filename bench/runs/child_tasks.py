"""A child process's task and its outcomes, exchanged as JSON in a scratch folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from bench.datasets import read_dataset
from bench.datasets.trec import Run
from bench.datasets.types import Dataset
from bench.runs.configurations import Configuration, Window


@dataclass(frozen=True)
class Source:
    """Where a data set lies and which part is read. Reading it again gives the same data set."""

    folder: str
    form: str
    split: str = ""
    queries: str = ""
    limit: int = 0  # queries; 0: all

    def read(self) -> Dataset:
        """Read the data set. Raises DatasetError."""
        dataset = read_dataset(
            Path(self.folder), form=self.form, split=self.split, queries=self.queries
        )
        return limited(dataset, self.limit) if self.limit else dataset


@dataclass(frozen=True)
class ChildTask:
    """Index the documents unless that is done, then search by each configuration in order."""

    source: Source
    configurations: tuple[Configuration, ...]
    out: str
    window: Window | None = None  # replaces the site's splitter


@dataclass(frozen=True)
class ChildResult:
    """The run of one configuration. Durations are in milliseconds, by stage."""

    name: str
    config: str
    fingerprint: str
    run: Run
    latency_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    index: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)  # deviation -> number of queries
    otherwise: int = 0  # queries of the run that have a note, in all


@dataclass(frozen=True)
class Failed:
    """A configuration that could not be measured, and why, in words that quote no question."""

    name: str
    why: str


Outcome = ChildResult | Failed


def write_task(path: Path, task: ChildTask) -> None:
    path.write_text(json.dumps(asdict(task)), encoding="utf-8")


def read_task(path: Path) -> ChildTask:
    values = json.loads(path.read_text(encoding="utf-8"))
    read = {
        "source": Source(**values["source"]),
        "configurations": tuple(Configuration(**each) for each in values["configurations"]),
        "window": Window(**cut) if (cut := values.get("window")) else None,
    }
    return ChildTask(**(values | read))


def write_outcome(path: Path, outcome: Outcome) -> None:
    """Write an outcome atomically: through a `.part` file that is renamed."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
    part.replace(path)


def read_outcome(path: Path) -> Outcome:
    values = json.loads(path.read_text(encoding="utf-8"))
    if "why" in values:
        return Failed(**values)
    run = {q: tuple((str(d), float(s)) for d, s in found) for q, found in values["run"].items()}
    return ChildResult(**(values | {"run": run}))


DOCUMENTS_PER_QUERY = 20


def limited(dataset: Dataset, queries: int) -> Dataset:
    """Keep the first queries, all documents judged for them, and other documents up to a limit.

    The limit is DOCUMENTS_PER_QUERY for each query. Far fewer documents compete, so the figures do
    not hold for the whole data set; the name and notes say that it is a part.
    """
    kept = dict(islice(dataset.queries.items(), queries))
    qrels = {query: dataset.qrels[query] for query in kept}
    judged = {document for gains in qrels.values() for document in gains}
    room = max(0, DOCUMENTS_PER_QUERY * len(kept) - len(judged))
    others = islice((d.id for d in dataset.documents if d.id not in judged), room)
    wanted = judged | set(others)
    return replace(
        dataset,
        name=f"{dataset.name}/first-{len(kept)}",
        documents=tuple(d for d in dataset.documents if d.id in wanted),
        queries=kept,
        qrels=qrels,
        notes=(*dataset.notes, f"only a part: {len(kept)} queries, {len(wanted)} documents"),
    )
