"""Configurations, switches of an ablation, and rankings of passages reduced to documents."""

from pathlib import Path

from pytest_django import Settings

from bench.ablations.switches import AS_SET, switches
from bench.datasets import read_dataset
from bench.datasets.pooling import pooled
from bench.runs.configurations import Recipe, deepened
from bench.runs.databases import name_for
from retrieval.config import RetrievalConfig, config_from
from retrieval.types import AlsoIn
from tests.bench import made_up
from tests.chat.evidence.hits import made_up_hit

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
