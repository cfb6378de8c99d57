"""The final order: by scores, by authority and year, or as fused if there is no reranker."""

import json
import re
from typing import Any

import pytest
from pytest_django import Settings

from core.llm import breaker as breakers
from core.llm.breaker import PAUSE_S, Breaker
from corpus.models import Authority
from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import check_retrieval
from retrieval.rerank import parts_payload, rerank, reranker_fingerprint
from retrieval.rerank.weights import (
    AUTHORITY,
    HALF_LIFE_YEARS,
    authority_of,
    recency_of,
    weighed,
    within_candidates,
)
from tests.llm.server import Endpoint, endpoint, raw, status
from tests.models import set_model, unset_models
from tests.retrieval.rerank.rerankers import candidates, keys

HTTP = RetrievalConfig(reranker="http")


def scored(*scores: float) -> bytes:
    results = [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]
    return json.dumps({"results": results}).encode()


def ask(state: Endpoint, settings: Settings, config: RetrievalConfig, **kw: Any) -> Any:
    set_model(settings, "rerank", f"{state.url}/rerank", model="m")
    return rerank("dose of gentamicin", candidates(**kw), config, today=2026)


def test_none_keeps_the_fused_order_and_cuts_it() -> None:
    found = rerank("dose", candidates(), RetrievalConfig(k=2))
    assert (keys(found.hits), found.name, found.fell_back) == ("ab", "none", "")
    assert (found.ranked, found.parts, found.notes) == ((), {}, ())
    assert [hit.score for hit in found.hits] == [1 / 61, 1 / 62]


@pytest.mark.parametrize("text", ["reranker=none", "reranker=http", "recency_weight=0.2"])
def test_nothing_found_asks_nobody(text: str) -> None:
    found = rerank("dose", [], config_from(text))
    assert (found.hits, found.fell_back) == ((), "")


def test_order_is_by_score_then_key_and_is_in_the_trace(settings: Settings) -> None:
    with endpoint(raw(scored(0.5, 0.9, 0.5, 0.1))) as state:
        found = ask(state, settings, HTTP)
    assert (keys(found.hits), found.fell_back) == ("bacd", "")
    assert [hit.score for hit in found.hits] == [0.9, 0.5, 0.5, 0.1]
    assert [(one.key, one.rank) for one in found.ranked] == [
        *zip("bacd", (1, 2, 3, 4), strict=True)
    ]
    payload = parts_payload(found)
    assert payload["b"]["fused_rank"] == 2
    assert (payload["b"]["score"], payload["b"]["relevance"]) == (0.9, 1.0)
    assert payload["a"]["relevance"] == pytest.approx((0.5 - 0.1) / (0.9 - 0.1))


def test_an_endpoint_that_is_away_is_left_alone_and_asked_again_later(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    with endpoint(status(503)) as state:
        breaker = Breaker(clock=lambda: clock[0])
        monkeypatch.setitem(breakers._breakers, ("rerank", f"{state.url}/rerank", "m"), breaker)
        failed = [ask(state, settings, HTTP) for _ in range(3)]
        assert all("status 503" in found.fell_back for found in failed)
        asked = len(state.asked)
        found = ask(state, settings, HTTP)
        assert len(state.asked) == asked
        assert keys(found.hits) == "abcd"
        (note,) = found.notes
        assert re.fullmatch(
            r"reranker http: skipped: the endpoint failed 3 times in a row; "
            r"it is tried again at \d\d:\d\d:\d\d UTC",
            note,
        )
        state.default = raw(scored(0.1, 0.2, 0.3, 0.4))
        (again,) = ask(state, settings, HTTP).notes  # the same while the pause lasts
        assert again.partition(" at ")[0] == note.partition(" at ")[0]  # the breaker's clock stands
        clock[0] += PAUSE_S
        assert keys(ask(state, settings, HTTP).hits) == "dcba"
        assert keys(ask(state, settings, HTTP).hits) == "dcba"


def test_answers_that_are_of_no_use_do_not_stop_the_questions(settings: Settings) -> None:
    with endpoint(raw(b"not json")) as state:
        for asked in range(1, 6):
            assert "form" in ask(state, settings, HTTP).fell_back
            assert len(state.asked) == asked


def test_ties_go_by_key_whatever_the_fused_order_was(settings: Settings) -> None:
    with endpoint(raw(scored(0.5, 0.5, 0.5, 0.5))) as state:
        set_model(settings, "rerank", state.url)
        found = rerank("dose", candidates()[::-1], HTTP)
    assert keys(found.hits) == "abcd"


def test_only_the_candidates_are_sent_and_the_others_follow(settings: Settings) -> None:
    with endpoint(raw(scored(0.2, 0.7))) as state:
        found = ask(state, settings, config_from("reranker=http rerank_candidates=2"))
        assert len(state.asked[0]["documents"]) == 2
    assert keys(found.hits) == "bacd"
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(set(scores), reverse=True)
    assert [parts.score for parts in found.parts.values()].count(None) == 2


def test_k_comes_back(settings: Settings) -> None:
    with endpoint(raw(scored(0.1, 0.2, 0.3, 0.4))) as state:
        found = ask(state, settings, config_from("reranker=http k=3"))
    assert (keys(found.hits), sorted(found.parts)) == ("dcb", ["b", "c", "d"])
    assert [hit.rank for hit in found.hits] == [1, 2, 3]


def test_what_fails_leaves_the_fused_order_and_says_so(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with endpoint(status(401)) as state:
        found = ask(state, settings, HTTP)
    assert (keys(found.hits), found.name) == ("abcd", "http")
    assert found.fell_back == "answered with status 401"
    assert found.notes == ("reranker http: answered with status 401",)
    assert [hit.score for hit in found.hits] == [hit.score for hit in candidates()]
    assert "gentamicin" not in caplog.text
    assert "canary" not in caplog.text


def test_a_reranker_without_its_settings_is_an_error_that_no_question_sees(
    settings: Settings,
) -> None:
    unset_models(settings, "rerank")
    found = rerank("dose", candidates(), RetrievalConfig(reranker="cross-encoder"))
    assert keys(found.hits) == "abcd"
    assert found.fell_back == "failed unexpectedly (ImproperlyConfigured)"


def test_where_it_fails_authority_weighs_as_it_does_without_a_reranker(settings: Settings) -> None:
    national = {"d": {"authority": "national"}}
    text = "authority_weight=0.9"
    with endpoint(status(400)) as state:
        found = ask(state, settings, config_from(f"reranker=http {text}"), **national)
    assert keys(found.hits) == "dabc"
    assert found.fell_back
    assert keys(rerank("dose", candidates(**national), config_from(text)).hits) == "dabc"


def test_authority_moves_what_is_close_and_not_what_is_far(settings: Settings) -> None:
    config = config_from("reranker=http authority_weight=0.1")
    national = {"c": {"authority": "national"}, "d": {"authority": "national"}}
    with endpoint(raw(scored(1.0, 0.95, 0.93, 0.0))) as state:
        found = ask(state, settings, config, **national)
    assert keys(found.hits) == "cabd"
    assert found.hits[0].score == pytest.approx(0.9 * 0.93 + 0.1)
    assert found.parts["c"].authority == 1.0


def test_newer_goes_first_among_equals(settings: Settings) -> None:
    years = {"a": {"year": 1999}, "b": {"year": 2026}, "c": {"year": 2020}}
    with endpoint(raw(scored(0.5, 0.5, 0.5, 0.5))) as state:
        found = ask(state, settings, config_from("reranker=http recency_weight=0.3"), **years)
    assert keys(found.hits) == "bdca"[:1] + "".join(
        sorted("acd", key=lambda key: -found.parts[key].recency)
    )
    assert found.parts["b"].recency == 1.0
    assert found.parts["d"].recency == 0.5


def test_the_parts_by_their_formulas() -> None:
    assert set(AUTHORITY) == set(Authority.values)
    assert [authority_of(a) for a in ("national", "trust", "local", "")] == [1.0, 0.5, 0.0, 0.0]
    assert recency_of(2026, today=2026) == recency_of(2030, today=2026) == 1.0
    assert recency_of(2016, today=2026) == pytest.approx(0.5 ** (10 / HALF_LIFE_YEARS))
    assert weighed(1.0, 0.0, 0.5, weights=(0.2, 0.1)) == pytest.approx(0.7 + 0.05)
    assert within_candidates([3.0, 1.0, 2.0]) == [1.0, 0.0, 0.5]
    assert within_candidates([2.0, 2.0]) == [1.0, 1.0]
    assert within_candidates([]) == []


@pytest.mark.parametrize(
    ("config", "model", "url", "named"),
    [
        ("reranker=http", "", "http://x.example/v1", "needs model in [rerank] of MEDRAG_MODELS"),
        ("reranker=http", "m", "", "needs url in [rerank] of MEDRAG_MODELS"),
        ("reranker=llm", "m", "", "needs url in [rerank] of MEDRAG_MODELS"),
        ("reranker=cross-encoder", "", "", "needs model in [rerank] of MEDRAG_MODELS"),
        ("reranker=cross-encoder", "/nowhere/at/all", "", "no folder /nowhere/at/all"),
        ("reranker=cross-encoder", "no one/such: model", "", "no folder"),
        ("reranker=cross-encoder", "nobody/never-downloaded", "", "no folder"),
    ],
)
def test_half_a_configuration_stops_the_start_by_name(
    settings: Settings, config: str, model: str, url: str, named: str
) -> None:
    settings.RETRIEVAL = config
    set_model(settings, "rerank", url, model=model)
    (fault,) = check_retrieval(None)
    assert named in str(fault.msg)
    assert fault.id == "retrieval.E005"


def test_a_whole_configuration_starts_and_has_its_own_fingerprint(settings: Settings) -> None:
    set_model(settings, "rerank", "http://x.example/v1")
    found = set()
    for name in ("none", "http", "llm"):
        settings.RETRIEVAL = f"reranker={name}"
        assert check_retrieval(None) == []
        found.add(reranker_fingerprint(config_from(settings.RETRIEVAL)))
    assert found == {"", "http:m", "llm:rerank_v1:m"}


@pytest.mark.parametrize(
    "text", ["authority_weight=0.6 recency_weight=0.4", "recency_weight=1", "rerank_timeout_s=0"]
)
def test_weights_that_leave_nothing_to_relevance_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        config_from(text)
