"""Measure answers on a test set in a database of its own, and write what was measured."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from bench.answers.asked import ASK, CHECKS, MATERIAL, STAGES, AnswersTask, Asked
from bench.answers.checks import worth_lines
from bench.answers.measures import measured, scores_of
from bench.answers.model_asking import ModelAsked, ModelOrder
from bench.answers.model_telling import model_lines
from bench.answers.questions import QuestionSet
from bench.answers.stages import stages_lines
from bench.answers.telling import report_lines
from bench.runs import databases
from bench.runs.child_process import run_work
from bench.runs.configurations import Recipe
from bench.runs.search import percentiles
from corpus.indexing.recipe import pdf_reader
from evaluation.folders import write_lines
from evaluation.metrics.statistics import Interval
from medrag_site.release import release

Say = Callable[[str], None]


@dataclass(frozen=True)
class AnswersMeasured:
    """A test set, the result of each question, and the measures over them."""

    found: QuestionSet
    asked: Mapping[str, Asked]
    intervals: Mapping[str, Interval]
    index: str  # the name of the database

    @property
    def fingerprints(self) -> list[str]:
        """The fingerprints of the configurations that answered: usually one."""
        return sorted({each.fingerprint for each in self.asked.values()} - {""})

    @property
    def gates(self) -> list[str]:
        """The gates that decided, by version and threshold: usually one."""
        return sorted({each.gate for each in self.asked.values()} - {""})

    @property
    def latency_ms(self) -> dict[str, dict[str, float]]:
        return percentiles(
            {**each.timings_ms, "whole": float(each.duration_ms)} for each in self.asked.values()
        )


@dataclass(frozen=True)
class AnswersOrder:
    """The test set to ask and its documents."""

    testset: Path
    documents: Path
    limit: int = 0
    rebuild: bool = False  # drop the database and index again


def answers_measure(found: QuestionSet, order: AnswersOrder, *, say: Say) -> AnswersMeasured:
    """Index the documents where that is not done, ask every question, and judge the answers.

    Raises ChildFailed; the documents indexed until then are kept.
    """
    rows, index = _done(found, order, say)
    asked = {each.id: each for each in map(Asked.from_dict, rows)}
    return AnswersMeasured(found, asked, measured(found.questions, asked), index)


def answers_material_write(found: QuestionSet, order: AnswersOrder, out: Path, *, say: Say) -> None:
    """Write what `train choice` and `train gate` learn from, `choice.jsonl`.

    Raises as `answers_measure`.
    """
    rows, _ = _done(found, order, say, kind=MATERIAL)
    out.mkdir(parents=True, exist_ok=True)
    dumped = [json.dumps(row, ensure_ascii=False) for row in rows]
    write_lines(out / "choice.jsonl", dumped)


def answers_rows_write(
    found: QuestionSet, order: AnswersOrder, out: Path, kind: str, *, say: Say
) -> list[str]:
    """Write a row of each question, as `stages.jsonl` or `checks.jsonl`, and `report.md`.

    The report's table is returned. Raises as above.
    """
    rows, _ = _done(found, order, say, kind=kind)
    lines = {STAGES: stages_lines, CHECKS: worth_lines}[kind](rows)
    out.mkdir(parents=True, exist_ok=True)
    write_lines(out / f"{kind}.jsonl", [json.dumps(row, ensure_ascii=False) for row in rows])
    write_lines(out / "report.md", lines)
    return lines


def model_measure(
    found: QuestionSet, order: AnswersOrder, model: ModelOrder, *, say: Say
) -> list[ModelAsked]:
    """Ask every question on a site whose model knows the answers. Raises as `answers_measure`."""
    rows, _ = _done(found, order, say, model=model)
    return [ModelAsked.from_dict(row) for row in rows]


def model_folder_write(out: Path, asked: Sequence[ModelAsked], model: ModelOrder) -> None:
    """Write `asked.jsonl` and `report.md`."""
    out.mkdir(parents=True, exist_ok=True)
    write_lines(
        out / "asked.jsonl", [json.dumps(asdict(each), ensure_ascii=False) for each in asked]
    )
    write_lines(out / "report.md", model_lines(asked, model))


def _done(
    found: QuestionSet,
    order: AnswersOrder,
    say: Say,
    *,
    kind: str = ASK,
    model: ModelOrder | None = None,
) -> tuple[list[dict[str, Any]], str]:
    """Run a child process in a database of its own; return its rows and the database's name.

    Raises ChildFailed.
    """
    name = databases.name_for(found, Recipe(), pdf_reader())
    if order.rebuild and any(kept.name == name for kept in databases.databases_kept()):
        databases.database_drop(name)
    say(f"database {name}")
    with tempfile.TemporaryDirectory(prefix="evaluation-", dir=settings.DATA_DIR) as scratch:
        out = Path(scratch) / "rows.jsonl"
        testset, documents = (str(path.resolve()) for path in (order.testset, order.documents))
        told = asdict(model) if model else None
        task = AnswersTask(testset, documents, str(out), order.limit, kind, told)
        path = Path(scratch) / "task.json"
        path.write_text(json.dumps({"answers": asdict(task)}), encoding="utf-8")
        run_work(path, name, {}, lambda line: say(f"  {line}"), what="Indexing or asking")
        with out.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines], name


def answers_folder_write(out: Path, result: AnswersMeasured) -> None:
    """Write `metrics.json`, `scores.json`, `answers.jsonl` and `report.md`."""
    out.mkdir(parents=True, exist_ok=True)
    metrics = {
        **{name: spread.as_json() for name, spread in result.intervals.items()},
        "latency_ms": result.latency_ms,
        "configuration": {
            "release": release(),
            "gates": result.gates,
            "fingerprints": result.fingerprints,
            "index": result.index,
        },
        "dataset": {"name": result.found.name, "digest": result.found.digest},
    }
    write_lines(out / "metrics.json", [json.dumps(metrics, indent=2)])
    write_lines(out / "scores.json", [json.dumps(_by_measure(result))])
    rows = [result.asked[q.id].as_dict() for q in result.found.questions]
    write_lines(out / "answers.jsonl", [json.dumps(row, ensure_ascii=False) for row in rows])
    write_lines(out / "report.md", report_lines(result.found, result.asked, result.intervals))


def _by_measure(result: AnswersMeasured) -> dict[str, dict[str, float]]:
    """Transpose the scores to measure -> question -> value."""
    scores: dict[str, dict[str, float]] = {}
    for question in result.found.questions:
        for name, value in scores_of(question, result.asked[question.id]).items():
            scores.setdefault(name, {})[question.id] = value
    return scores
