"""Whether evidence may be used at all."""

import math

import pytest

from chat.gate import Calibration, decide
from chat.models import Reason
from retrieval.types import Evidence, Hit, Query, Scope, Trace
from tests.chat.hits import TODAY, made_up_hit

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


def test_more_similarity_or_coverage_is_never_worse() -> None:
    calibration = Calibration()
    for step in range(10):
        low, high = step / 10, (step + 1) / 10
        for other in (0.0, 0.5, 1.0):
            pair = [made_up_hit(cosine=value, coverage=other) for value in (low, high)]
            assert calibration.probability(pair[0]) < calibration.probability(pair[1])
            pair = [made_up_hit(cosine=other, coverage=value) for value in (low, high)]
            assert calibration.probability(pair[0]) < calibration.probability(pair[1])


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


def test_ties_are_decided_by_key() -> None:
    hits = [made_up_hit(key=key) for key in "cab"]
    decision = decide(evidence(*hits), calibration=PLAIN, threshold=0.0)
    assert [hit.key for hit in decision.passages] == ["a", "b", "c"]


def test_what_is_not_a_number_stays_shut() -> None:
    hit = made_up_hit(cosine=math.nan)
    assert decide(evidence(hit), calibration=PLAIN, threshold=0.0).reason == Reason.WEAK_EVIDENCE
