"""The share of a claim's concepts that its quotes name, and the reasons for no value."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from evaluation.measures.configured import site_judges
from evaluation.measures.measure import Judges, measure_item
from evaluation.measures.types import AnswerClaim, AnsweredItem, Scored
from evaluation.metrics.claims import concept_overlap
from retrieval.lexicon.concepts import Concepts, concepts_of_rows
from tests.retrieval.lexicon.made_up_rows import ROWS, write_rows

JUDGES = Judges(concepts=concepts_of_rows(ROWS))
ANSWERED = AnsweredItem(
    "What is given?",
    answer_claims=(
        AnswerClaim("Give Zorvanol in glimmer fever.", ("In GLF rest.", "Drink.")),
        AnswerClaim("Fever falls.", ("The fever falls.",)),
        AnswerClaim("Rest.", ("Give Zorvanol.",)),
    ),
)


def score(item: AnsweredItem, judges: Judges = JUDGES) -> Scored:
    return measure_item(item, ["concept_overlap"], judges)["concept_overlap"]


def test_the_formula() -> None:
    assert (
        concept_overlap([{"a", "b"}, {"c"}, set()], [{"a", "x"}, {"c"}, {"a"}]) == (1 / 2 + 1) / 2
    )
    assert concept_overlap([{"a"}], [set()]) == 0.0
    assert concept_overlap([set()], [{"a"}]) is None
    assert concept_overlap([], []) is None


def test_concepts_of_a_claim_by_what_it_cites() -> None:
    assert score(ANSWERED) == Scored((1 / 2 + 1) / 2)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (replace(ANSWERED, is_refused=True), "the question was refused"),
        (replace(ANSWERED, answer_claims=()), "the answer claims nothing"),
        (replace(ANSWERED, answer_claims=ANSWERED.answer_claims[2:]), "no claim names a known"),
    ],
)
def test_why_there_is_no_value(item: AnsweredItem, why: str) -> None:
    found = score(item)
    assert found.value is None
    assert found.reason.startswith(why)


def test_a_site_reads_its_rows_or_its_lexicon(db: None, settings: Settings, tmp_path: Path) -> None:
    lexicon = site_judges().concepts
    assert isinstance(lexicon, Concepts)
    assert lexicon.of("DKA") == lexicon.of("diabetic ketoacidosis") != set()
    settings.CONCEPTS = str(write_rows(tmp_path))
    assert score(ANSWERED, site_judges()).value == 0.75


def test_rows_that_cannot_be_read_are_a_reason(
    db: None, settings: Settings, tmp_path: Path
) -> None:
    settings.CONCEPTS = str(tmp_path)
    found = score(ANSWERED, site_judges())
    assert found.value is None
    assert found.reason.startswith("not run: MRCONSO.RRF can't be read (FileNotFoundError).")
