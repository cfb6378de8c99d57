"""People, a database of the tests' own, and a folder for files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoDbBlocker

from corpus.breaker import forget_failures
from tests.databases import fresh_database, start_server

# Begun first, the longest before: no worker is left alone with one of them at the end.
LONG_FILES = (
    "tests/golden/test_golden.py",
    "tests/site/test_demo.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long files; a file's own tests keep their order."""
    places = {name: place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))


@pytest.fixture(scope="session")
def socket_dir() -> str:
    """The test server's socket; it is started once for all runs on this checkout."""
    return start_server()


@pytest.fixture(scope="session")
def django_db_setup(socket_dir: str, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Replaces pytest-django's: its databases belong to the role that the tests run as."""
    with django_db_blocker.unblock(), fresh_database(socket_dir):
        yield


@pytest.fixture
def own_database(
    django_db_setup: None, socket_dir: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[str]:
    """A database for one test that commits, or starts processes that must see its rows."""
    with django_db_blocker.unblock(), fresh_database(socket_dir) as name:
        yield name


@pytest.fixture(autouse=True)
def no_failures_remembered() -> None:
    """Servers of tests come and go on the same ports."""
    forget_failures()


@pytest.fixture(autouse=True)
def files_dir(
    tmp_path: Path, settings: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Files of each test stay in its own folder; child processes get it by the environment."""
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.setenv("MEDRAG_TEST_FILES", str(folder))
    for name, value in {
        "FILES_DIR": folder,
        "MEDIA_ROOT": folder,
        "AUDIT_HEADS_FILE": folder / "heads.jsonl",
        "KEYS_DIR": folder / "keys",
    }.items():
        setattr(settings, name, value)
    return folder


@pytest.fixture
def alice(db: None) -> User:
    """A clinician."""
    return User.objects.create_user("alice", password="alice-secret")


@pytest.fixture
def bob(db: None) -> User:
    """A colleague of alice's."""
    return User.objects.create_user("bob", password="bob-secret")


@pytest.fixture
def mallory(db: None) -> User:
    """A stranger."""
    return User.objects.create_user("mallory", password="mallory-secret")
