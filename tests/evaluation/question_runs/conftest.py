"""The guideline that runs ask about, and a question set."""

import pytest

from corpus.models import Document
from evaluation.models import QuestionSet
from tests.chat.guidelines import publish_guideline
from tests.evaluation.question_runs.asking import stored_set


@pytest.fixture
def guideline(db: None) -> Document:
    return publish_guideline(picture=False)


@pytest.fixture
def ward(guideline: Document) -> QuestionSet:
    return stored_set()
