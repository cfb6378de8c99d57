"""Reciprocal rank fusion against its formula."""

import random

import pytest

from retrieval.fusion import (
    Scored,
    candidates_of,
    convex_combination,
    normalised_sum,
    reciprocal_rank_fusion,
)
from retrieval.types import Ranked, Ranking


def ranking(name: str, *keys: str) -> Ranking:
    entries = (Ranked(ord(key), key, rank, 1.0 / rank) for rank, key in enumerate(keys, start=1))
    return Ranking(name, tuple(entries))


def test_sums_the_reciprocals_of_the_ranks() -> None:
    fused = reciprocal_rank_fusion([ranking("one", *"abc"), ranking("two", *"cad")], k=60)
    expected = {"a": 1 / 61 + 1 / 62, "c": 1 / 63 + 1 / 61, "b": 1 / 62, "d": 1 / 63}
    assert {entry.key: entry.score for entry in fused} == pytest.approx(expected, abs=1e-9)
    assert [entry.key for entry in fused] == ["a", "c", "b", "d"]
    assert [entry.rank for entry in fused] == [1, 2, 3, 4]


def test_the_constant_weighs_the_first_ranks() -> None:
    # With k = 0 a first place alone (1) beats places 2 and 3 (1/2 + 1/3); with k = 60 it does not.
    lists = [ranking("one", *"abx"), ranking("two", *"cyb")]
    assert reciprocal_rank_fusion(lists, k=0)[0].key == "a"
    assert reciprocal_rank_fusion(lists, k=60)[0].key == "b"


def test_ties_are_decided_by_key() -> None:
    fused = reciprocal_rank_fusion([ranking("one", "b", "d"), ranking("two", "a", "c")])
    assert [entry.key for entry in fused] == ["a", "b", "c", "d"]


def test_keeps_what_one_list_lacks_and_survives_empty_ones() -> None:
    assert reciprocal_rank_fusion([]) == ()
    assert reciprocal_rank_fusion([ranking("one"), ranking("two")]) == ()
    fused = reciprocal_rank_fusion([ranking("one"), ranking("two", "a", "b")])
    assert [(entry.key, entry.rank) for entry in fused] == [("a", 1), ("b", 2)]


def test_does_not_depend_on_the_order_of_the_lists() -> None:
    random.seed(3)
    letters = "abcdefghij"
    for _ in range(50):
        lists = [ranking(str(n), *random.sample(letters, 7)) for n in range(2)]
        assert reciprocal_rank_fusion(lists) == reciprocal_rank_fusion(lists[::-1])


def test_scores_decrease_and_ranks_are_dense() -> None:
    fused = reciprocal_rank_fusion([ranking("one", *"hgfedcba"), ranking("two", *"abcdefgh")])
    assert [entry.rank for entry in fused] == list(range(1, 9))
    assert [entry.score for entry in fused] == sorted((e.score for e in fused), reverse=True)


def scored(name: str, **scores: float) -> Ranking:
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    entries = (Ranked(ord(key), key, rank, s) for rank, (key, s) in enumerate(ordered, start=1))
    return Ranking(name, tuple(entries))


def test_sums_scores_brought_to_one_scale() -> None:
    lists = [scored("one", a=12.0, b=9.0, c=6.0), scored("two", c=0.9, d=0.8, b=0.5)]
    fused = normalised_sum(lists)
    expected = {"a": 1.0, "b": 0.5 + 0.0, "c": 0.0 + 1.0, "d": 0.3 / 0.4}
    assert {entry.key: entry.score for entry in fused} == pytest.approx(expected)
    assert [entry.key for entry in fused] == ["a", "c", "d", "b"]


def test_scores_that_are_all_the_same_count_fully() -> None:
    assert [entry.score for entry in normalised_sum([scored("one", a=3.0, b=3.0)])] == [1.0, 1.0]
    assert normalised_sum([Ranking("none", ())]) == ()


def test_both_scores_of_every_candidate_count_in_fixed_shares() -> None:
    candidates = candidates_of([ranking("one", *"ab"), ranking("two", *"bc")])
    assert [entry.key for entry in candidates] == ["a", "b", "c"]
    a, b, c = (ord(key) for key in "abc")
    scored = Scored(lexical=({a: 4.0, b: 8.0},), cosines=({a: 0.5, b: 0.1, c: 0.6},))
    fused = convex_combination(candidates, scored, alpha=0.8)
    expected = {"a": 0.8 * 1.5 / 1.6 + 0.2 * 4 / 8, "b": 0.8 * 1.1 / 1.6 + 0.2, "c": 0.8 * 1.0}
    assert {entry.key: entry.score for entry in fused} == pytest.approx(expected)
    assert [(entry.key, entry.rank) for entry in fused] == [("a", 1), ("c", 2), ("b", 3)]


def test_wordings_and_encoders_share_their_side() -> None:
    candidates = candidates_of([ranking("one", *"ab")])
    a, b = ord("a"), ord("b")
    scored = Scored(lexical=({a: 1.0}, {b: 2.0}), cosines=({a: 1.0, b: 0.0}, {a: 0.0, b: 0.0}))
    fused = convex_combination(candidates, scored, alpha=0.5)
    expected = {"a": 0.5 * 0.5 + 0.5 * (1 + 1) / 2, "b": 0.5 * 0.5 + 0.5 * (0.5 + 1) / 2}
    assert {entry.key: entry.score for entry in fused} == pytest.approx(expected)


def test_a_side_that_is_not_there_leaves_all_to_the_other() -> None:
    candidates = candidates_of([ranking("one", *"ab")])
    only = Scored(lexical=({ord("a"): 2.0, ord("b"): 1.0},), cosines=())
    fused = convex_combination(candidates, only, alpha=0.8)
    assert [(entry.key, entry.score) for entry in fused] == [("a", 1.0), ("b", 0.5)]
    assert convex_combination((), Scored((), ()), alpha=0.8) == ()
    nothing = convex_combination(candidates, Scored(lexical=({},), cosines=()), alpha=0.8)
    assert [(entry.key, entry.score) for entry in nothing] == [("a", 0.0), ("b", 0.0)]
