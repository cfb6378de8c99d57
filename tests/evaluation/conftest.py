"""Who looks at evaluations in the administration."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from medrag_site.groups import EVALUATORS
from tests.corpus.admin.test_admin import member


@pytest.fixture
def evaluator(bob: User) -> Client:
    return member(bob, EVALUATORS)
