"""What is measured: configurations, switches of an ablation, and passages made documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from bench.ablations.run import available
from bench.ablations.switches import AS_SET, GATE, SERVED, Cut, UnknownRow, chosen, switches
from bench.datasets import read_dataset
from bench.datasets.pooling import pooled
from bench.runs.configurations import (
    NAMED,
    Recipe,
    UnknownConfiguration,
    configuration,
    deepened,
)
from bench.runs.databases import name_for
from bench.runs.encoders import as_toml
from bench.runs.search import begins, percentiles
from core.llm.client import Endpoint
from core.llm.models_file import Models
from corpus.encoders.specs import EncoderSpec, specs_from
from medrag_site.env import Env
from retrieval.config import RetrievalConfig, config_from
from retrieval.types import AlsoIn
from tests.chat.evidence.hits import made_up_hit
from tests.evaluation import made_up
from tests.models import change_model

CUT = Cut(220, 50)
NAMES = {1: "d1", 2: "d2", 3: "d3"}


def test_every_named_configuration_can_be_read() -> None:
    for name, text in NAMED.items():
        assert configuration(name).text == text
        config_from(text)


def test_switches_of_ones_own_and_what_is_neither() -> None:
    assert configuration("fusion=sum k=5").text == "fusion=sum k=5"
    with pytest.raises(UnknownConfiguration, match="not one of"):
        configuration("nonsense")


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
    wanted, left_out = switches(default, {GATE}, CUT)
    names = [switch.name for switch in (*wanted, *left_out)]
    assert len(names) == len(set(names))
    for switch in wanted:
        config = config_from(switch.configuration.text, default)
        assert config != default or switch.recipe != AS_SET or switch == SERVED


def test_what_is_not_configured_is_left_out_and_named() -> None:
    def named(available: set[str]) -> set[str]:
        wanted, _ = switches(RetrievalConfig(), available, CUT)
        return {switch.name for switch in wanted}

    assert not {"HyDE", "reranker: endpoint"} & named(set())
    assert {"HyDE"} == named({"rewrite"}) & {"HyDE", "reranker: endpoint"}
    assert "reranker: endpoint" in named({"http"})


def test_a_switch_that_is_the_default_already_is_no_row() -> None:
    wanted, _ = switches(config_from("fusion=sum"), set(), CUT)
    names = {switch.name for switch in wanted}
    assert "fusion: sum of scores" not in names
    assert "fusion: RRF, k = 60" in names


def test_what_is_asked_as_served_needs_a_gate_and_comes_last() -> None:
    wanted, left_out = switches(RetrievalConfig(), set(), CUT)
    served = [SERVED.name, "5 passages at most"]
    assert not any(switch.configuration.as_served for switch in wanted)
    assert [s.name for s in left_out if s.configuration.as_served] == served
    wanted, _ = switches(RetrievalConfig(), {GATE}, CUT)
    assert [switch.name for switch in wanted][-2:] == served


def test_an_index_that_is_as_set_already_is_no_row() -> None:
    def recipes(cut: Cut) -> set[str]:
        wanted, _ = switches(RetrievalConfig(), set(), cut)
        return {switch.recipe.name for switch in wanted if switch.recipe != AS_SET}

    assert "passages without overlap" in recipes(CUT)
    assert "passages without overlap" not in recipes(Cut(220, 0))
    assert "passages of 100 tokens" not in recipes(Cut(100, 20))


def test_rows_are_chosen_by_a_part_of_their_name_or_index() -> None:
    wanted, _ = switches(RetrievalConfig(), {GATE, "halfvec"}, CUT)

    def names(*parts: str) -> list[str]:
        return [switch.name for switch in chosen(wanted, parts)]

    assert chosen(wanted, ()) == wanted
    assert names("rrf, K") == ["fusion: RRF, k = 60", "fusion: RRF, k = 10"]
    assert names("32 bits", "dense alone") == ["dense alone", "vectors of 32 bits (vector)"]
    assert {switch.recipe for switch in chosen(wanted, ["as set"])} == {AS_SET}
    assert names("5 passages") == [SERVED.name, "5 passages at most"]
    with pytest.raises(UnknownRow, match="'rff'") as raised:
        names("rrf", "rff")
    assert "dense alone; " in raised.value.hint


def test_sizes_of_passages_are_such_that_the_settings_take_them() -> None:
    for tokens, overlap in ((220, 50), (100, 0), (2000, 1000)):
        wanted, _ = switches(RetrievalConfig(), set(), Cut(tokens, overlap))
        for switch in wanted:
            environment = dict(switch.recipe.environment)
            chunks = Env(environment).group("MEDRAG_CHUNKS")
            size = chunks.integer("tokens", 220, low=100, high=2000)
            chunks.integer("overlap", 0, low=0, high=size // 2)
            chunks.refuse_unknown()


def test_what_was_served_is_compared_with_the_beginning_of_the_run() -> None:
    whole = (("d1", 0.9), ("d2", 0.8), ("d3", 0.1))
    assert begins((("d1", 0.7), ("d2", 0.7)), whole)
    assert begins((), whole)
    assert not begins((("d2", 0.7), ("d1", 0.7)), whole)
    assert not begins((*whole, ("d4", 0.0)), whole)


def test_percentiles_of_each_stage() -> None:
    found = percentiles([{"a": 1.0, "b": 5.0}, {"a": 3.0}])
    assert found["a"]["p50"] == 2.0
    assert found["b"] == {"p50": 5.0, "p95": 5.0, "p99": 5.0}
    assert percentiles([]) == {}


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, set()),
        ({"MODELS": Models(rerank=Endpoint("", "/models/x"))}, {"cross-encoder"}),
        ({"MODELS": Models(rerank=Endpoint("http://m/v1/rerank", "x"))}, {"http"}),
        ({"MODELS": Models(rerank=Endpoint("http://m/v1", "x"))}, {"llm"}),
        ({"MODELS": Models(rewrite=Endpoint("http://m/v1", "x"))}, {"rewrite"}),
        ({"SUMMARIES": "extractive"}, {"summaries"}),
    ],
)
def test_what_is_configured_is_seen(
    settings: Settings, values: dict[str, Any], found: set[str]
) -> None:
    for name, value in values.items():
        setattr(settings, name, value)
    assert available() == found | {"halfvec"}  # as the bundled encoder stores them


def test_an_index_with_summaries_is_another_one(settings: Settings, tmp_path: Path) -> None:
    dataset = read_dataset(made_up.write_beir(tmp_path / "made"), form="beir")
    names = [name_for(dataset, Recipe())]
    settings.SUMMARIES = "extractive"
    names.append(name_for(dataset, Recipe()))
    settings.SUMMARIES = "llm"
    change_model(settings, "rewrite", model="m")
    names.append(name_for(dataset, Recipe()))
    assert len(set(names)) == 3


def test_encoders_written_down_are_read_as_they_were(tmp_path: Path) -> None:
    specs = (
        EncoderSpec("minilm", storage="vector"),
        EncoderSpec(
            "far", kind="openai", model="m-3", url="http://m/v1", dimensions=1536, max_tokens=800,
            query_prefix='say "hé": ',
        ),
    )  # fmt: skip
    assert specs_from(as_toml(specs), folder=tmp_path) == specs
