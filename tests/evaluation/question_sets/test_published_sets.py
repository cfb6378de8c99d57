"""The published files, read whole."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluation.question_sets import read_question_set
from evaluation.question_sets.patterned import read_questions
from evaluation.question_sets.types import ItemKind
from tests.published import DATA, MEDQUAD

GUIDELINES = DATA / "guidelines"
PUBMEDQA = DATA / "pubmedqa" / "ori_pqal.json"
LIVEQA = DATA / "liveqa"


@pytest.mark.skipif(not MEDQUAD.is_file(), reason="MedQuAD is not there")
def test_medquad() -> None:
    found = read_question_set(MEDQUAD, form="medquad")
    assert len(found.items) == 16_423
    assert Counter(problem.rpartition(": ")[2] for problem in found.problems) == {
        "it has no answer.": 5,
        "it holds no question.": 6,
    }
    assert all(item.gold_answer and len(item.relevant) == 1 for item in found.items)


@pytest.mark.skipif(not PUBMEDQA.is_file(), reason="PubMedQA is not there")
def test_pubmedqa() -> None:
    found = read_question_set(PUBMEDQA, form="pubmedqa")
    assert not found.problems
    labels = Counter(item.gold_label for item in found.items)
    assert labels == {"yes": 276, "no": 169, "maybe": 55}
    assert all(item.gold_answer for item in found.items)


@pytest.mark.skipif(not LIVEQA.is_dir(), reason="LiveQA is not there")
def test_liveqa() -> None:
    found = read_question_set(LIVEQA, form="liveqa")
    assert not found.problems
    assert len(found.items) == 104
    assert sum(1 + len(item.other_answers) for item in found.items) == 167
    assert sum(len(item.relevant) > 0 for item in found.items) == 78


@pytest.mark.skipif(not GUIDELINES.is_dir(), reason="the guidelines are not there")
def test_guidelines_are_those_that_are_asked() -> None:
    path = GUIDELINES / "questions.json"
    found = read_question_set(path, form="guidelines")
    assert not found.problems
    kinds = Counter(item.kind for item in found.items)
    assert kinds == {ItemKind.ANSWERABLE: 140, ItemKind.UNANSWERABLE: 37}
    asked = {q.id: q for q in read_questions(path, GUIDELINES / "documents").questions}
    for item in found.items:
        question = asked[item.key]
        assert item.question == question.text
        assert (item.split == "test") is (question.half == "counted")
        assert item.patterns.get("decisive", ()) == tuple(p.pattern for p in question.decisive)
