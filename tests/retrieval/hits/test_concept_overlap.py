"""Passages that name the question's concepts rank higher, if the site configures it."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import check_retrieval
from retrieval.fusion import boosted
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Query, Ranked
from tests import corpora
from tests.retrieval.lexicon.made_up_rows import write_rows

ASKED = "glimmer fever dose"
BOOSTED = config_from("concept_weight=0.5")


def ranked(*scores: float) -> tuple[Ranked, ...]:
    return tuple(Ranked(n, f"k{n}", n, score) for n, score in enumerate(scores, start=1))


def test_the_boost_by_its_formula() -> None:
    found = boosted(ranked(0.8, 0.6, 0.2), {2: 1.0, 3: 0.5}, weight=0.25)
    expected = {"k2": 0.75 * 0.6 / 0.8 + 0.25, "k1": 0.75, "k3": 0.75 * 0.2 / 0.8 + 0.25 * 0.5}
    assert {entry.key: entry.score for entry in found} == pytest.approx(expected)
    assert [(entry.key, entry.rank) for entry in found] == [("k2", 1), ("k1", 2), ("k3", 3)]


def test_the_boost_at_its_ends() -> None:
    assert boosted((), {}, weight=0.5) == ()
    assert [e.key for e in boosted(ranked(0.0, 0.0), {2: 1.0}, weight=0.5)] == ["k2", "k1"]
    tied = boosted(ranked(0.4, 0.2), {1: 0.5, 2: 1.0}, weight=0.5)
    assert [(e.key, e.score) for e in tied] == [("k1", 0.75), ("k2", 0.75)]
    assert [e.key for e in boosted(ranked(0.4, 0.2), {}, weight=0.5)] == ["k1", "k2"]


def ask(config: RetrievalConfig, text: str = ASKED) -> Evidence:
    return retrieve(Query(text, on=timezone.localdate()), config)


@pytest.fixture
def concepts(db: None, settings: Settings, tmp_path: Path) -> None:
    """Publish a passage with the question's words, and one that only names its concept."""
    settings.CONCEPTS = str(write_rows(tmp_path))
    corpora.publish("# Dosing\nThe dose in a fever of any glimmer of hope is a dose as above.")
    corpora.publish("# GLF\nIn GLF give 4 mg.")


def test_a_passage_that_names_the_concept_wins(concepts: None) -> None:
    plain, found = ask(RetrievalConfig()), ask(BOOSTED)
    assert [hit.text[:6] for hit in plain.hits] == ["The do", "In GLF"]
    assert [hit.text[:6] for hit in found.hits] == ["In GLF", "The do"]
    assert found.trace.fused[0].score > found.trace.fused[1].score
    assert "concepts" in found.trace.durations_ms
    assert not found.trace.notes
    assert found.trace.fingerprint != plain.trace.fingerprint


def test_it_takes_a_query_and_none_where_the_question_has_no_concept(concepts: None) -> None:
    def queries(config: RetrievalConfig, text: str) -> int:
        ask(config, text)  # warms caches
        with CaptureQueriesContext(connection) as seen:
            ask(config, text)
        return len(seen)

    assert queries(BOOSTED, ASKED) == queries(RetrievalConfig(), ASKED) + 1
    assert queries(BOOSTED, "the dose as above") == queries(RetrievalConfig(), "the dose as above")
    plain, found = ask(RetrievalConfig(), "as above"), ask(BOOSTED, "as above")
    assert found.trace.fused == plain.trace.fused


def test_the_lexicon_has_the_concepts_where_no_rows_are_set(db: None, settings: Settings) -> None:
    assert settings.CONCEPTS == ""
    corpora.publish("# Acids\nThe dose in ketoacidosis of another kind, a dose as above.")
    corpora.publish("# Insulin\nDiabetic ketoacidosis needs fluids.")
    best = ask(config_from("concept_weight=0.9"), "DKA dose").trace.fused
    assert best[0].score == pytest.approx(1.0, abs=0.1)
    assert best[1].score <= 0.1
    assert ask(config_from("concept_weight=0.9")).trace.fingerprint


def test_rows_that_cannot_be_read_leave_the_search_as_it_is(
    concepts: None, settings: Settings
) -> None:
    (Path(settings.CONCEPTS) / "MRCONSO.RRF").write_text("C01|ENG\n")
    found = ask(BOOSTED)
    assert found.trace.fused == ask(RetrievalConfig()).trace.fused
    assert found.trace.notes == (
        "Line 1 of the concepts has 2 columns, not 18. Give rows of MRCONSO.RRF as UMLS has them.",
    )


def test_a_folder_without_rows_stops_the_start(settings: Settings, tmp_path: Path) -> None:
    settings.CONCEPTS = str(tmp_path)
    (error,) = check_retrieval(None)
    assert error.id == "retrieval.E008"
    assert error.msg == "MEDRAG_CONCEPTS: MRCONSO.RRF can't be read (FileNotFoundError)."
    (tmp_path / "MRCONSO.RRF").write_text("C01;ENG;P\n")
    (error,) = check_retrieval(None)
    assert error.msg == "MEDRAG_CONCEPTS: Line 1 of the concepts has 1 columns, not 18."
    write_rows(tmp_path)
    assert check_retrieval(None) == []
