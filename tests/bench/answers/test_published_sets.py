"""Imported guideline questions equal those that are read from their file."""

from collections import Counter

import pytest

from bench.answers.questions import read_questions
from evaluation.question_sets import read_question_set
from evaluation.question_sets.types import ItemKind
from tests.published import DATA

GUIDELINES = DATA / "guidelines"


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
