"""Test whether the gate lets evidence pass."""

import math
from dataclasses import replace

import pytest

from chat.gate.decision import Gate, decide
from chat.gate.scorers import Scale
from chat.models import Reason
from retrieval.types import Evidence, Hit, Query, Ranked, Scope, Trace
from tests.chat.evidence.hits import TODAY, made_up_hit

LEARNED = Scale("learned", 0.5, "")
SITE = Scale("site-1", 0.5, "", slope=0.5, intercept=1.0)


def evidence(*hits: Hit) -> Evidence:
    return Evidence(Query("?", TODAY), hits, Trace("?", Scope.IN_FORCE, TODAY, (), (), ()))


@pytest.mark.parametrize("odds", [-20.0, -2.5, 0.0, math.log(3), 20.0])
def test_probability_is_the_logistic_function_of_the_scaled_log_odds(odds: float) -> None:
    assert LEARNED.probability(odds) == pytest.approx(1 / (1 + math.exp(-odds)))
    assert SITE.probability(odds) == pytest.approx(1 / (1 + math.exp(-1.0 - 0.5 * odds)))


def test_what_was_not_read_has_no_probability() -> None:
    assert LEARNED.probability(None) == SITE.probability(None) == 0.0


def test_a_trace_holds_what_scales_and_nothing_where_nothing_does() -> None:
    assert LEARNED.as_dict() == {"version": "learned", "threshold": 0.5, "encoder": ""}
    assert SITE.as_dict() == LEARNED.as_dict() | {
        "version": "site-1", "slope": 0.5, "intercept": 1.0
    }  # fmt: skip


def test_nothing_is_no_evidence() -> None:
    decision = decide(evidence(), Gate(SITE, 0.0))
    assert (decision.reason, decision.probability, decision.passages) == (
        Reason.NO_EVIDENCE, 0.0, ()
    )  # fmt: skip


def test_opens_exactly_at_the_threshold() -> None:
    hit = made_up_hit(odds=-0.3)
    at = SITE.probability(hit.odds)
    assert decide(evidence(hit), Gate(SITE, at)).reason is None
    above = Gate(SITE, math.nextafter(at, 1.0))
    assert decide(evidence(hit), above).reason == Reason.WEAK_EVIDENCE


def test_the_best_passage_decides_whatever_its_rank() -> None:
    weak = made_up_hit(key="a", rank=1, odds=-4.0)
    strong = made_up_hit(key="b", rank=2, odds=4.0)
    decision = decide(evidence(weak, strong), Gate(SITE, 0.9))
    assert decision.reason is None
    assert decision.passages == (strong, weak)
    assert decision.probability == SITE.probability(4.0)


def test_a_rerankers_order_is_handed_on_and_the_best_passage_decides() -> None:
    first = made_up_hit(key="a", rank=1, odds=-4.0)
    second = made_up_hit(key="b", rank=2, odds=4.0)
    found = evidence(first, second)
    ranked = tuple(Ranked(1, hit.key, hit.rank, 1.0 / hit.rank) for hit in found.hits)
    reranked = replace(found, trace=replace(found.trace, reranked=ranked))
    decision = decide(reranked, Gate(SITE, 0.9))
    assert (decision.reason, decision.passages) == (None, (first, second))
    assert decision.probability == SITE.probability(4.0)


def test_ties_are_decided_by_key() -> None:
    hits = [made_up_hit(key=key, odds=1.0) for key in "cab"]
    decision = decide(evidence(*hits), Gate(SITE, 0.0))
    assert [hit.key for hit in decision.passages] == ["a", "b", "c"]


def test_what_is_not_a_number_stays_shut() -> None:
    hit = made_up_hit(odds=math.nan)
    assert decide(evidence(hit), Gate(SITE, 0.0)).reason == Reason.WEAK_EVIDENCE


def test_what_is_not_a_number_stands_last_and_hides_nothing() -> None:
    broken = made_up_hit(key="a", odds=math.nan)
    sound = made_up_hit(key="b", odds=4.0)
    decision = decide(evidence(broken, sound), Gate(SITE, 0.9))
    assert decision.reason is None and decision.passages == (sound, broken)
    alone = decide(evidence(broken), Gate(SITE, 0.0))
    assert alone.probability == 0.0  # a number, so that JSON can hold it
