"""A guideline in force, a clinician who is signed in, and what a whole module reads."""

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
    """For fixtures of a module: a database of its own, with what a function stores in it.

    Each test still begins with just that, since its own rows are rolled back. Files are not kept.
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
