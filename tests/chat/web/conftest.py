"""Fixtures: alice's conversation, and a colleague's browser."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Conversation
from corpus.models import Document
from tests.chat.guidelines import ask
from tests.people import client_of


@pytest.fixture
def mine(alice: User, guideline: Document) -> Conversation:
    """Return a conversation of alice's with one answer."""
    conversation = ask(alice).conversation
    assert conversation is not None
    return conversation


@pytest.fixture
def colleague(bob: User) -> Client:
    return client_of(bob)
