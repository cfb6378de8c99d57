"""Test which sections get a summary, and of which sentences."""

from __future__ import annotations

import numpy as np
import pytest

from corpus.summaries import extractive
from corpus.summaries.extractive import (
    Section,
    Sentence,
    centroid,
    nearest,
    sections_of,
    sentences_of,
)

A, B = ("Treatment",), ("Monitoring",)
A1, A2 = ("Treatment", "Adults"), ("Treatment", "Children")


def test_a_section_of_three_and_the_document() -> None:
    assert sections_of([A, A, A, B, B]) == (Section((), 0, 4), Section(A, 0, 2))


def test_sections_inside_sections() -> None:
    paths = [A, A1, A1, A1, A2, A2, A2, B]
    assert sections_of(paths) == (
        Section((), 0, 7),
        Section(A, 0, 6),
        Section(A1, 1, 3),
        Section(A2, 4, 6),
    )


def test_of_the_same_passages_the_innermost_section_is_kept() -> None:
    assert sections_of([A1, A1, A1]) == (Section(A1, 0, 2),)


def test_a_section_that_goes_on_later_is_two() -> None:
    found = sections_of([A, A, A, B, A, A, A])
    assert found == (Section((), 0, 6), Section(A, 0, 2), Section(A, 4, 6))
    parted = sections_of([A1, A1, A, A1])  # text of the outer section splits the inner one
    assert parted == (Section(A, 0, 3),)


@pytest.mark.parametrize("paths", [[], [A], [A, A], [A, B]])
def test_what_is_short_has_none(paths: list[tuple[str, ...]]) -> None:
    assert sections_of(paths) == ()


def test_sentences_are_met_once_with_their_first_passage() -> None:
    shared = "Repeat the potassium after an hour."
    found = sentences_of(
        [f"Give calcium gluconate slowly. {shared}", f"{shared} Short.", "| a | 5 |"]
    )
    assert found == (
        Sentence("Give calcium gluconate slowly.", 0),
        Sentence(shared, 0),
    )
    assert sentences_of([]) == ()


def test_of_a_very_long_document_sentences_are_taken_evenly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extractive, "MAX_SENTENCES", 4)
    texts = [f"This is the sentence with number {n}." for n in range(10)]
    assert [one.chunk for one in sentences_of(texts)] == [0, 3, 6, 9]
    assert len(sentences_of(texts[:4])) == 4


def test_the_centroid_is_the_direction_of_the_mean() -> None:
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    assert centroid(vectors) == pytest.approx([0.5**0.5, 0.5**0.5])
    assert centroid(np.array([[1, 0], [-1, 0]], dtype=np.float32)).tolist() == [0, 0]


SENTENCES = [Sentence(text, chunk) for chunk, text in enumerate("abcde")]


def chosen(cosines: list[float], limit: int, first: int = 0, last: int = 4) -> str:
    sizes = [10] * 5
    section = Section((), first, last)
    return nearest(section, SENTENCES, cosines=cosines, sizes=sizes, limit=limit)


def test_the_nearest_that_fit_stand_in_reading_order() -> None:
    assert chosen([0.1, 0.9, 0.2, 0.8, 0.7], 29) == "b d"
    assert chosen([0.1, 0.9, 0.2, 0.8, 0.7], 30) == "b d e"
    assert chosen([0.1, 0.9, 0.2, 0.8, 0.7], 9) == ""


def test_ties_go_to_the_earlier_and_rounding_decides_nothing() -> None:
    assert chosen([0.5, 0.5, 0.5, 0.5, 0.5], 20) == "a b"
    assert chosen([0.5, 0.5 + 1e-7, 0.5, 0.5, 0.5], 10) == "a"


def test_only_the_sections_own_sentences() -> None:
    assert chosen([0.9, 0.9, 0.1, 0.1, 0.9], 100, first=2, last=3) == "c d"


def test_one_that_does_not_fit_is_passed_over() -> None:
    found = nearest(
        Section((), 0, 4),
        SENTENCES,
        cosines=[0.9, 0.8, 0.7, 0.6, 0.5],
        sizes=[30, 5, 30, 5, 5],
        limit=12,
    )
    assert found == "b d"
