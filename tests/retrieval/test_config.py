"""MEDRAG_RETRIEVAL and `--config` are read strictly."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import check_retrieval, site_config


def test_reads_every_kind_of_field() -> None:
    config = config_from("fusion=sum k=5 dense=no encoders=one,two recency_weight=0.1")
    assert (config.fusion, config.k, config.dense) == ("sum", 5, False)
    assert (config.encoders, config.recency_weight) == (("one", "two"), 0.1)
    assert config_from("") == RetrievalConfig()
    assert config_from("k=3", base=config).fusion == "sum"


@pytest.mark.parametrize(
    "text",
    ["fusion=best", "k=0", "k=many", "k", "nothing=1", "dense=perhaps", "k1=nan", "k=5.5",
     "lexical=none dense=no", "recency_weight=-1", "k=1e99", "alpha=1.1"],
)  # fmt: skip
def test_refuses_what_it_does_not_understand(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be|is not one of|nothing to search"):
        config_from(text)


def test_a_wrong_setting_stops_the_start_by_name(settings: Settings) -> None:
    settings.RETRIEVAL = "fusion=best"
    assert (
        "MEDRAG_RETRIEVAL: fusion must be one of convex, rrf, sum" in check_retrieval(None)[0].msg
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
