"""A question set on the guideline that runs ask about."""

import pytest

from corpus.models import Document
from evaluation.models import QuestionSet
from tests.evaluation.question_runs.asking import stored_set


@pytest.fixture
def ward(guideline: Document) -> QuestionSet:
    return stored_set()
