"""A guideline in force, and a clinician who is signed in."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from corpus.models import Document
from tests.chat.guidelines import publish_guideline


@pytest.fixture
def guideline(db: None) -> Document:
    return publish_guideline()


@pytest.fixture
def clinician(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client
