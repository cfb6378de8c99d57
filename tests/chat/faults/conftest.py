"""Fixtures: a guideline for questions to a faulty language model, and the check of a refusal."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from core.llm import client as language_model
from tests.chat.storing import Storing
from tests.corpora import publish
from tests.llm.faults import Refused
from tests.llm.lies import GUIDELINE


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "FIRST_WAIT_S", 0.01)


@pytest.fixture(scope="module")
def guideline(storing: Storing) -> Iterator[None]:
    with storing(lambda: publish(GUIDELINE, population="adult")):
        yield


@pytest.fixture
def refused(
    settings: LazySettings, alice: User, client: Client, caplog: pytest.LogCaptureFixture
) -> Refused:
    return Refused(settings, alice, client, caplog)
