"""Queries asked as served pass the site's gate and get the site's number of passages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from bench.datasets.types import Dataset
from bench.runs.child_tasks import (
    LOOKED,
    OPEN,
    OPEN_AND_FOUND,
    ChildResult,
    Source,
    read_outcome,
    write_outcome,
)
from bench.runs.configurations import Configuration
from bench.runs.gate import gate_named, gate_read, gate_written
from bench.runs.gated_search import look_all
from bench.runs.results import measured, metrics_json
from bench.runs.search import search_all
from bench.services import Order, report_lines, run_store
from chat.ask import turn_ask
from chat.gate.decision import GateUnavailable
from chat.gate.records import BUILT_IN, gate_in_use
from chat.models import Channel, Reason
from chat.types import AskedQuestion
from evaluation.models import Kind
from evaluation.selectors import runs_compared


def looked(dataset: Dataset, text: str) -> ChildResult:
    return look_all(dataset, Configuration("x", text, as_served=True), gate_written())


def test_the_gate_is_the_same_in_the_other_database(db: None, settings: Settings) -> None:
    settings.GATE_THRESHOLD = 0.42
    written = json.loads(json.dumps(gate_written()))
    assert gate_read(written).as_dict() == gate_in_use().as_dict()
    with pytest.raises(GateUnavailable):
        gate_read({})


def test_it_opens_where_the_site_answers(dataset: Dataset) -> None:
    found = looked(dataset, "")
    shut = {Reason.WEAK_EVIDENCE, Reason.NO_EVIDENCE}
    for query, text in dataset.queries.items():
        turn = turn_ask(AskedQuestion(text, user=None, channel=Channel.COMMAND))
        assert bool(found.looked[OPEN][query]) is (turn.reason not in shut), text
    assert sum(found.looked[OPEN].values()) > 0
    assert found.notes == {}


def test_a_query_counts_as_found_only_where_its_gate_is_open(
    dataset: Dataset, settings: Settings
) -> None:
    settings.GATE_THRESHOLD = 0.99
    found = looked(dataset, "k=3")
    assert found.looked.keys() == set(LOOKED)
    assert not all(found.looked[OPEN].values())
    for query in dataset.queries:
        assert found.looked[OPEN_AND_FOUND][query] <= found.looked[OPEN][query]
        assert len(found.run[query]) <= 3


def test_what_was_served_is_stored_with_its_gate_and_not_compared_with_a_long_list(
    dataset: Dataset, tmp_path: Path
) -> None:
    write_outcome(tmp_path / "0.json", looked(dataset, ""))
    served = read_outcome(tmp_path / "0.json")
    assert isinstance(served, ChildResult)
    plain = search_all(dataset, Configuration("default", ""), depth=5)
    first, second = (
        measured(dataset, brought, recipe="as set", index="x") for brought in (plain, served)
    )
    gate = gate_named(gate_in_use())
    found, others = (metrics_json(dataset, result) for result in (second, first))
    assert "as_served" not in found
    assert found["configuration"]["as_served"] is True
    assert found["configuration"]["gate"] == gate
    assert others["as_served"] == {"queries": 5, "same_documents": 5}
    assert others["configuration"]["as_served"] is False
    assert "gate" not in others["configuration"]
    decides = f"gate {BUILT_IN.version} with the threshold {BUILT_IN.threshold}"
    said = f"{decides}; its fingerprint is {gate['fingerprint']}."
    assert said in "\n".join(report_lines(dataset, second))
    assert "gate" not in "\n".join(report_lines(dataset, first))

    order, now = Order(Source("made", "beir"), Kind.ABLATION, None), timezone.now()
    runs = [run_store(order, dataset, each, started_at=now) for each in (first, second, second)]
    for run in runs:
        run.refresh_from_db()
    assert runs[0].fingerprints["as_served"] is False
    assert runs[1].fingerprints["as_served"] is True
    assert runs[1].fingerprints["gate"] == gate
    assert runs_compared(runs[1], runs[2])["nDCG@10"].mean == 0
    with pytest.raises(ValueError, match="asked as served, through the gate, and the other"):
        runs_compared(runs[0], runs[1])
