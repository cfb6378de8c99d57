"""MEDRAG_RETRIEVAL and `--config` are read strictly."""

from dataclasses import fields, replace
from datetime import date

import pytest
from pytest_django import Settings

from retrieval.config import MAX_WORDINGS, RetrievalConfig, config_from
from retrieval.configured import check_retrieval, site_config
from retrieval.pipeline import retrieve
from retrieval.types import Query


def test_reads_every_kind_of_field() -> None:
    config = config_from("fusion=sum k=5 dense=no encoders=one,two recency_weight=0.1")
    assert (config.fusion, config.k, config.dense) == ("sum", 5, False)
    assert (config.encoders, config.recency_weight) == (("one", "two"), 0.1)
    assert config_from("") == RetrievalConfig()
    assert config_from("k=3", base=config).fusion == "sum"


@pytest.mark.parametrize(
    "text",
    ["fusion=best", "k=0", "k=many", "k", "nothing=1", "dense=perhaps", "k1=nan", "k=5.5",
     "lexical=none dense=no", "recency_weight=-1", "k=1e99", "alpha=1.1", "k1=inf",
     "ef_search=1001", "ef_search=0", "max_scan_tuples=0", "dense_candidates=0", "rescored=0",
     "df_budget=0", "b=1.1", f"multi_query={MAX_WORDINGS + 1}", "k=100000", "rrf_k=0",
     "rewrite_timeout_s=0", "rerank_timeout_s=61", "context_chars=20001", "adaptive_k=yes",
     "lexical=ts_rank"],
)  # fmt: skip
def test_refuses_what_it_does_not_understand(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be|is not one of|nothing to search"):
        config_from(text)


def test_a_gate_calibrated_with_an_older_release_is_of_the_same_search() -> None:
    """If a default changes, change this fingerprint, and tell sites in the CHANGELOG."""
    assert RetrievalConfig().fingerprint() == "6a67e155cb85cbc2"  # as of 0.14.0
    assert RetrievalConfig(concept_weight=0.1).fingerprint() != RetrievalConfig().fingerprint()


def test_every_number_has_bounds_that_hold_its_default() -> None:
    for field in fields(RetrievalConfig):
        default = getattr(RetrievalConfig(), field.name)
        if isinstance(default, int | float) and not isinstance(default, bool):
            assert config_from(f"{field.name}={default}") == RetrievalConfig()
            with pytest.raises(ValueError, match=f"{field.name} must be a .* from .* to"):
                config_from(f"{field.name}=1000000000")


def test_the_most_that_may_be_set_stays_in_what_the_database_takes(db: None) -> None:
    most = config_from("ef_search=1000 max_scan_tuples=100000000 dense_candidates=10000 k=200")
    query = Query("dose", on=date(2026, 5, 1))
    assert retrieve(query, replace(most, exact_below=0)).hits == ()


def test_an_encoder_that_the_site_has_not_stops_the_start(settings: Settings) -> None:
    settings.RETRIEVAL = "encoders=minilm"
    assert check_retrieval(None) == []
    settings.RETRIEVAL = "encoders=minilm,typo"
    (error,) = check_retrieval(None)
    assert error.id == "retrieval.E007"
    assert "encoders=typo is none of minilm" in error.msg


def test_a_wrong_setting_stops_the_start_by_name(settings: Settings) -> None:
    settings.RETRIEVAL = "fusion=best"
    assert (
        "MEDRAG_RETRIEVAL: fusion must be one of rrf, convex, sum" in check_retrieval(None)[0].msg
    )


def test_the_setting_is_what_a_search_uses(settings: Settings) -> None:
    settings.RETRIEVAL = "k=4"
    assert site_config().k == 4
    assert site_config().fingerprint("a") != RetrievalConfig().fingerprint("a")


def test_summaries_are_not_searched_where_nothing_makes_them(settings: Settings) -> None:
    settings.RETRIEVAL = "summaries=yes"
    assert [error.id for error in check_retrieval(None)] == ["retrieval.E006"]
    settings.SUMMARIES = "extractive"
    assert check_retrieval(None) == []
