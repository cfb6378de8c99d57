"""Test whether the gate lets evidence pass."""

import math
from dataclasses import replace

import pytest

from chat.gate.decision import decide
from chat.gate.scorers import Calibration, Learned, same_weights
from chat.models import Reason
from chat.reader.weights import weights
from corpus.encoders.registry import encoder_facts
from retrieval.types import Evidence, Hit, Query, Ranked, Scope, Trace
from tests.chat.evidence.hits import TODAY, made_up_hit

PLAIN = Calibration(intercept=-1.0, cosine=2.0, coverage=3.0, version="test")


def evidence(*hits: Hit) -> Evidence:
    return Evidence(Query("?", TODAY), hits, Trace("?", Scope.IN_FORCE, TODAY, (), (), ()))


def expected(cosine: float, coverage: float) -> float:
    return 1 / (1 + math.exp(1.0 - 2.0 * cosine - 3.0 * coverage))


@pytest.mark.parametrize(
    ("cosine", "coverage"), [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (-1.0, 0.0), (0.9, 0.0)]
)
def test_probability_is_the_logistic_function(cosine: float, coverage: float) -> None:
    hit = made_up_hit(cosine=cosine, coverage=coverage)
    assert PLAIN.probability(hit) == pytest.approx(expected(cosine, coverage))


def test_what_reading_told_is_log_odds() -> None:
    learned = Learned("test", 0.5, "")
    for odds, probability in ((0.0, 0.5), (math.log(3), 0.75), (-20.0, 2.06e-9)):
        hit = made_up_hit(odds=odds)
        assert learned.probability(hit) == pytest.approx(probability, rel=1e-2)
    assert learned.probability(made_up_hit()) == 0.0  # without odds of a reading


def test_nothing_is_no_evidence() -> None:
    decision = decide(evidence(), calibration=PLAIN, threshold=0.0)
    assert (decision.reason, decision.probability, decision.passages) == (
        Reason.NO_EVIDENCE, 0.0, ()
    )  # fmt: skip


def test_opens_exactly_at_the_threshold() -> None:
    hit = made_up_hit(cosine=0.4, coverage=0.2)
    at = PLAIN.probability(hit)
    assert decide(evidence(hit), calibration=PLAIN, threshold=at).reason is None
    above = math.nextafter(at, 1.0)
    assert decide(evidence(hit), calibration=PLAIN, threshold=above).reason == Reason.WEAK_EVIDENCE


def test_the_best_passage_decides_whatever_its_rank() -> None:
    weak = made_up_hit(key="a", rank=1, cosine=0.0, coverage=0.0)
    strong = made_up_hit(key="b", rank=2, cosine=1.0, coverage=1.0)
    decision = decide(evidence(weak, strong), calibration=PLAIN, threshold=0.9)
    assert decision.reason is None
    assert decision.passages == (strong, weak)
    assert decision.probability == PLAIN.probability(strong)


def test_a_rerankers_order_is_handed_on_and_the_best_passage_decides() -> None:
    first = made_up_hit(key="a", rank=1, cosine=0.0, coverage=0.0)
    second = made_up_hit(key="b", rank=2, cosine=1.0, coverage=1.0)
    found = evidence(first, second)
    ranked = tuple(Ranked(1, hit.key, hit.rank, 1.0 / hit.rank) for hit in found.hits)
    reranked = replace(found, trace=replace(found.trace, reranked=ranked))
    decision = decide(reranked, calibration=PLAIN, threshold=0.9)
    assert (decision.reason, decision.passages) == (None, (first, second))
    assert decision.probability == PLAIN.probability(second)


def test_ties_are_decided_by_key() -> None:
    hits = [made_up_hit(key=key) for key in "cab"]
    decision = decide(evidence(*hits), calibration=PLAIN, threshold=0.0)
    assert [hit.key for hit in decision.passages] == ["a", "b", "c"]


def test_what_is_not_a_number_stays_shut() -> None:
    hit = made_up_hit(cosine=math.nan)
    assert decide(evidence(hit), calibration=PLAIN, threshold=0.0).reason == Reason.WEAK_EVIDENCE


def test_what_is_not_a_number_stands_last_and_hides_nothing() -> None:
    broken = made_up_hit(key="a", cosine=math.nan)
    sound = made_up_hit(key="b", cosine=1.0, coverage=1.0)
    decision = decide(evidence(broken, sound), calibration=PLAIN, threshold=0.9)
    assert decision.reason is None and decision.passages == (sound, broken)
    alone = decide(evidence(broken), calibration=PLAIN, threshold=0.0)
    assert alone.probability == 0.0  # a number, so that JSON can hold it


# Isotonic

STEPS = replace(PLAIN, knots=((0.0, 0.2), (1.0, 0.4), (3.0, 0.4), (4.0, 0.9)))


@pytest.mark.parametrize(
    ("score", "probability"),
    [(-9, 0.2), (0, 0.2), (0.5, 0.3), (1, 0.4), (2, 0.4), (3.5, 0.65), (4, 0.9), (99, 0.9)],
)  # fmt: skip
def test_between_knots_it_is_a_straight_line(score: float, probability: float) -> None:
    assert STEPS.probability_at(score) == pytest.approx(probability)


def test_passages_of_one_step_are_ordered_by_score() -> None:
    low, high = (made_up_hit(key=k, cosine=c, coverage=1.0) for k, c in (("a", 0.0), ("b", 0.5)))
    assert STEPS.probability(low) == STEPS.probability(high)
    assert decide(evidence(low, high), calibration=STEPS, threshold=0.5).passages == (high, low)


def test_a_trace_holds_a_digest_of_the_knots() -> None:
    other = replace(STEPS, knots=(*STEPS.knots, (5.0, 0.95)))
    assert len(STEPS.as_dict()["knots"]) == 16
    assert STEPS.as_dict() != other.as_dict()
    assert PLAIN.as_dict()["knots"] == ""


# Which encoder


def test_fingerprints_of_the_same_weights() -> None:
    weights = "model:c006c9485a9bef2b:torch-f32"
    assert same_weights(weights, weights)
    assert same_weights(weights, "model:c006c9485a9bef2b:openvino-bf16")
    assert not same_weights(weights, "model:c006c9485a9bef20:torch-f32")
    assert not same_weights(weights, "other:c006c9485a9bef2b:torch-f32")
    assert same_weights("embed:large:ab:endpoint", "embed:large:ab:endpoint")
    assert not same_weights("embed:large:ab:endpoint", "embed:small:ab:endpoint")
    assert not same_weights("", weights)
    assert not same_weights("one", "other")


def test_the_built_in_calibration_is_for_the_bundled_encoder() -> None:
    assert same_weights(weights().encoder, encoder_facts().fingerprint)
