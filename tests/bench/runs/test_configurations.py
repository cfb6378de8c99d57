"""Configurations and switches of an ablation: refused where they can't work, fall-backs counted."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from bench.ablations.switches import AS_SET, switches
from bench.child_work import why
from bench.datasets import read_dataset
from bench.datasets.types import Dataset
from bench.reports import ablation_table, note_lines, report_lines
from bench.runs.child_process import sent
from bench.runs.child_tasks import ChildResult, Failed, Source, read_outcome, write_outcome
from bench.runs.configurations import Configuration, Recipe, deepened
from bench.runs.databases import name_for
from bench.runs.errors import FaultyConfiguration, refuse_faulty
from bench.runs.results import measured, metrics_json
from bench.runs.search import pooled, search_all
from retrieval.config import RetrievalConfig, config_from
from retrieval.types import AlsoIn
from tests.bench import made_up
from tests.chat.evidence.hits import made_up_hit
from tests.models import set_model

NAMES = {1: "d1", 2: "d2", 3: "d3"}


def test_deep_lists_leave_formula_and_weights() -> None:
    config = config_from("fusion=sum rrf_k=10 k1=1.2 lexical_candidates=500")
    deep = deepened(config, 100)
    assert (deep.k, deep.lexical_candidates, deep.dense_candidates) == (200, 500, 200)
    assert deep.ef_search == 200
    for name in ("fusion", "rrf_k", "k1", "b", "expand", "rules", "reranker", "df_budget"):
        assert getattr(deep, name) == getattr(config, name)


def test_a_document_has_the_rank_of_its_best_passage() -> None:
    hits = [
        made_up_hit(document_id=2, score=0.9),
        made_up_hit(document_id=1, score=0.8),
        made_up_hit(document_id=2, score=0.7),
        made_up_hit(document_id=3, score=0.6),
    ]
    assert pooled(hits, NAMES, depth=10) == (("d2", 0.9), ("d1", 0.8), ("d3", 0.6))
    assert pooled(hits, NAMES, depth=2) == (("d2", 0.9), ("d1", 0.8))
    assert pooled([], NAMES, depth=2) == ()


def test_documents_that_say_the_same_follow_by_id() -> None:
    also = tuple(AlsoIn(f"k{n}", n, "", "", 1) for n in (3, 1))
    hits = [made_up_hit(document_id=2, score=0.9, also_in=also)]
    assert [d for d, _ in pooled(hits, NAMES, depth=10)] == ["d2", "d1", "d3"]


def test_each_switch_changes_something_and_is_there_once() -> None:
    default = RetrievalConfig()
    found = switches(default)
    assert len({switch.name for switch in found}) == len(found)
    for switch in found:
        config = config_from(switch.configuration.text, default)
        assert config != default or switch.recipe != AS_SET


def test_an_index_with_summaries_is_another_one(settings: Settings, tmp_path: Path) -> None:
    dataset = read_dataset(made_up.write_beir(tmp_path / "made"), form="beir")
    names = [name_for(dataset, Recipe())]
    settings.SUMMARIES = "extractive"
    names.append(name_for(dataset, Recipe()))
    assert len(set(names)) == 2


NOBODY = "http://127.0.0.1:9/v1/rerank"  # the discard port: nothing listens


def test_it_is_refused_before_a_database_is_dropped_or_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Has no `django_db` mark, so that any query would fail it."""
    source = Source(str(made_up.write_beir(tmp_path / "made")), "beir")
    wanted = (Configuration("HyDE", "hyde=yes"),)
    with pytest.raises(FaultyConfiguration):
        sent(source, source.read(), wanted, Recipe(), say=print, rebuild=True, keep=print)


def test_an_endpoint_that_is_away_is_found_out_before_anything_is_read(settings: Settings) -> None:
    set_model(settings, "rerank", NOBODY, model="m")
    set_model(settings, "rewrite", "http://127.0.0.1:9/v1", model="m")
    where = {"dataset": Path("/nowhere"), "format": "beir", "out": Path("/nowhere/out")}
    for config, said in (
        ("reranker=http", r"reranker did not answer.*\[rerank\] of.*Nothing was indexed"),
        ("hyde=yes", r"url in \[rewrite\].*Nothing was indexed"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("evaluate", "retrieval", config=config, **where)
    refuse_faulty([Configuration("default", "")])


def ablated(dataset: Dataset, *results: ChildResult) -> list[str]:
    first, *others = (measured(dataset, r, recipe="as set", index="x") for r in results)
    return list(ablation_table(first, others))


def test_a_reranker_that_falls_back_is_counted_and_tabled(
    dataset: Dataset, settings: Settings, tmp_path: Path
) -> None:
    set_model(settings, "rerank", NOBODY, model="m")
    plain = search_all(dataset, Configuration("default", ""), depth=5)
    fallen = search_all(dataset, Configuration("reranker", "reranker=http"), depth=5)
    assert (plain.notes, plain.otherwise) == ({}, 0)
    assert fallen.otherwise == len(made_up.QUERIES)
    ((note, count),) = fallen.notes.items()
    assert note.startswith("reranker http")
    assert count == len(made_up.QUERIES)
    assert fallen.run == plain.run  # so only the note tells of the failure

    write_outcome(tmp_path / "0.json", fallen)
    assert read_outcome(tmp_path / "0.json") == replace(fallen, run=dict(fallen.run))
    write_outcome(tmp_path / "1.json", Failed("x", "It broke."))
    assert read_outcome(tmp_path / "1.json") == Failed("x", "It broke.")
    result = measured(dataset, fallen, recipe="as set", index="x")
    said: dict[str, Any] = metrics_json(dataset, result)["not_as_configured"]
    assert said == {"queries": 5, "notes": {note: 5}}
    assert list(note_lines(result)) == [f"reranker, 5 of 5 queries not as configured: {note}"]
    assert next(iter(note_lines(result))) in list(report_lines(dataset, result))
    header, _, first, second = ablated(dataset, plain, fallen)
    assert header.endswith("| not as configured |")
    assert first.endswith("|  |")
    assert second.endswith("| 5 |")


def test_why_quotes_nothing_of_what_others_raise() -> None:
    assert why(FaultyConfiguration("It has not.", hint="Set it.")) == "It has not. Set it."
    assert why(ValueError("my blood pressure")) == "ValueError."
    with pytest.raises(ValueError, match="percentiles") as raised:
        raise_in_ours()
    assert re.fullmatch(r"ValueError at tests/bench/\S+, line \d+\.", why(raised.value))


def raise_in_ours() -> None:
    raise ValueError("of percentiles")
