"""Fixtures: an auditor's browser, and an answer to alice."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Turn
from corpus.models import Document
from medrag_site.groups import AUDITORS
from tests.chat.guidelines import ask
from tests.corpus.admin.test_admin import member


@pytest.fixture
def auditor(bob: User) -> Client:
    return member(bob, AUDITORS)


@pytest.fixture
def answered(alice: User, guideline: Document) -> Turn:
    return ask(alice)
