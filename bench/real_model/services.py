"""Serve a real model, and have a process with a database of its own ask sample questions of it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from bench.real_model.asked import RealAsked, RealTask
from bench.real_model.asking import Samples
from bench.real_model.serving import ServerOrder, served
from bench.real_model.telling import real_lines
from bench.runs import databases
from bench.runs.child_process import run_work
from bench.runs.configurations import Recipe
from corpus.indexing.recipe import pdf_reader
from evaluation.folders import write_lines

Say = Callable[[str], None]
ASKED, REPORT, SERVER_LOG = "asked.jsonl", "report.md", "server.log"
# The longest that the setting allows; what the environment says of these goes first.
PATIENT = ("MEDRAG_QUESTIONS", "timeout_s=600")


@dataclass(frozen=True)
class RealOrder:
    """The model, and how many questions it is asked and how many of its answers it judges."""

    server: ServerOrder
    questions: int
    judged: int


def real_model_measure(order: RealOrder, out: Path, *, say: Say) -> list[str]:
    """Ask, write results to `out`, and return the lines of the report.

    What was asked until an interruption is written. Raises ModelNotServed, ChildFailed.
    """
    out.mkdir(parents=True, exist_ok=True)
    name = databases.name_for(Samples(), Recipe(), pdf_reader())
    say(f"database {name}")
    rows = (out / ASKED).resolve()
    with (
        tempfile.TemporaryDirectory(prefix="evaluation-", dir=settings.DATA_DIR) as scratch,
        served(order.server, out / SERVER_LOG) as address,
    ):
        models, task = Path(scratch) / "models.toml", Path(scratch) / "task.json"
        models.write_text(_models(address, order.server.model().stem), encoding="utf-8")
        RealTask(order.questions, order.judged, str(rows)).write(task)
        more = {"MEDRAG_GENERATOR": "llm", "MEDRAG_MODELS": str(models)}
        if PATIENT[0] not in os.environ:
            more |= dict([PATIENT])
        try:
            run_work(task, name, more, lambda line: say(f"  {line}"), what="Indexing or asking")
        finally:  # also after an interruption
            report = _report(rows, order.server.model().stem)
            write_lines(out / REPORT, report)
    return report


def _report(rows: Path, model: str) -> list[str]:
    lines = rows.read_text(encoding="utf-8").splitlines() if rows.exists() else []
    return real_lines([RealAsked.from_dict(json.loads(line)) for line in lines], model)


def _models(address: str, model: str) -> str:
    """Return the file of MEDRAG_MODELS: one server under two names, as writer and as judge.

    As a judge of its own answers the model is no measure of them; that its replies can be read is.
    """
    return (
        f'[generate]\nurl = "{address}"\nmodel = {json.dumps(model)}\n\n'
        f'[judge]\nurl = "{address}"\nmodel = {json.dumps(f"{model}-as-judge")}\n'
    )
