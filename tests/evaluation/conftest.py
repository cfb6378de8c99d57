"""The guideline that runs ask about, and who looks at evaluations in the administration."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from corpus.models import Document
from medrag_site.groups import EVALUATORS
from tests.chat.guidelines import publish_guideline
from tests.corpus.admin.test_admin import member


@pytest.fixture
def evaluator(bob: User) -> Client:
    return member(bob, EVALUATORS)


@pytest.fixture
def guideline(db: None) -> Document:
    return publish_guideline(picture=False)
