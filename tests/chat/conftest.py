"""Fixtures: a guideline in force, a signed-in clinician, and rows shared by a module's tests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker

from corpus.models import Document
from tests.chat.guidelines import publish_guideline
from tests.chat.storing import Storing
from tests.databases import fresh_database


@pytest.fixture(scope="session")
def storing(
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Storing:
    """Give fixtures of a module a database of its own, with the rows that a function stores.

    Each test sees just these rows, since its own are rolled back. Files are not kept.
    """

    @contextmanager
    def stored(store: Callable[[], object]) -> Iterator[None]:
        with django_db_blocker.unblock(), fresh_database(socket_dir):
            with override_settings(FILES_DIR=tmp_path_factory.mktemp("stored")):
                store()
            yield

    return stored


@pytest.fixture
def guideline(db: None) -> Document:
    return publish_guideline()


@pytest.fixture
def clinician(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client
