"""Fixtures for all tests: users, a database of the tests' own, and a folder for files."""

import gc
import shutil
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoDbBlocker

from core.llm.breaker import forget_failures
from tests.controls import pytest_runtest_makereport  # noqa: F401  a hook
from tests.databases import fresh_database, start_server
from tests.readings import computed_anew as readings_computed_anew
from tests.readings import keep_readings

# Files with tests that take long, the longest first: they start sites, or ask many questions.
LONG_FILES = (
    "tests/golden/test_golden.py",
    "tests/golden/test_threads.py",
    "tests/golden/test_german.py",
    "tests/site/processes/test_worker.py",
    "tests/bench/runs/test_evaluate_command.py",
    "tests/site/test_demo.py",
    "tests/site/browsing/test_walks.py",
    "tests/site/browsing/test_browser.py",
    "tests/chat/faults/test_faults.py",
    "tests/site/database/test_tables.py",
    "tests/site/database/test_pool.py",
    "tests/site/database/test_replica.py",
    "tests/site/browsing/test_browser_admin.py",
    "tests/site/backups/test_backup.py",
    "tests/site/database/test_database_away.py",
    "tests/corpus/parsing/test_list_levels.py",
    "tests/site/processes/test_fair_share.py",
    "tests/corpus/encoders/test_openvino.py",
    "tests/chat/faults/test_faulty_judge.py",
    "tests/chat/generation/test_rights.py",
    "tests/corpus/parsing/pdf/test_ocr.py",
    "tests/site/processes/test_worker.py",
    "tests/evaluation/question_runs/test_kills.py",
    "tests/evaluation/question_runs/test_gate.py",
    "tests/corpus/encoders/test_indexing.py",
    "tests/site/processes/test_supervisor.py",
    "tests/webhooks/test_sending_live.py",
    "tests/chat/verification/test_mutations.py",
    "tests/chat/faults/test_faults_live.py",
    "tests/chat/network/test_closed_network.py",
    "tests/chat/evidence/test_choosing.py",
    "tests/bench/answers/test_answers.py",
    "tests/corpus/parsing/layout/test_layout_steps.py",
    "tests/corpus/intake/test_ingest_command.py",
    "tests/bench/speed/test_benchmark_growth.py",
    "tests/corpus/indexing/test_kills.py",
    "tests/chat/api/test_api_schemathesis.py",
    "tests/chat/management/test_ask_command.py",
    "tests/chat/gate/test_gate_encoders.py",
    "tests/corpus/encoders/test_model_folders.py",
    "tests/site/test_fuzzed_views.py",
    "tests/chat/management/test_chat_command.py",
)
LONG_TIMEOUT_S = 900  # for a test of these files; for others, pyproject.toml
EXHAUSTIVE_TIMEOUT_S = 3600
SELDOM = 20_000, 20, 50  # thresholds of the three generations


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a shell's background job, where child processes would ignore SIGINT too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Disable garbage collection while tests are collected, and make it rarer afterwards.

    What is imported stays to the end, and most objects of a test are freed without a search.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(*SELDOM)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long files first, so that no worker is left alone with one at the end.

    The tests of a file keep their order.
    """
    places = {name: place for place, name in enumerate(LONG_FILES)}
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker(pytest.mark.timeout(EXHAUSTIVE_TIMEOUT_S))
        elif _file_of(item) in places:
            item.add_marker(pytest.mark.timeout(LONG_TIMEOUT_S))
    items.sort(key=lambda item: places.get(_file_of(item), len(places)))


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.fixture(scope="session")
def socket_dir() -> str:
    """Return the socket of the test server, started once for all runs on this checkout."""
    return start_server()


@pytest.fixture(scope="session")
def django_db_setup(socket_dir: str, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Replace pytest-django's fixture, whose databases belong to the role of the tests."""
    with django_db_blocker.unblock(), fresh_database(socket_dir):
        yield


@pytest.fixture
def own_database(
    django_db_setup: None, socket_dir: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[str]:
    """Use a new database, for a test that commits or starts processes that read its rows."""
    with django_db_blocker.unblock(), fresh_database(socket_dir) as name:
        yield name


@pytest.fixture(scope="session", autouse=True)
def readings_kept() -> None:
    """Compute what the trained readers make of a text once a worker."""
    keep_readings()


@pytest.fixture
def computed_anew() -> Iterator[None]:
    """Compute everything in this test, which holds that a text gives the same each time."""
    with readings_computed_anew():
        yield


@pytest.fixture(autouse=True)
def no_failures_remembered() -> None:
    """Forget failed endpoints: servers of tests reuse ports."""
    forget_failures()


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("folders")


@pytest.fixture(autouse=True)
def files_dir(
    folders: Path, settings: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Give each test its own folder for files; child processes get it by the environment."""
    folder = folders / uuid.uuid4().hex
    folder.mkdir()
    monkeypatch.setenv("MEDRAG_TEST_FILES", str(folder))
    for name, value in {
        "FILES_DIR": folder,
        "MEDIA_ROOT": folder,
        "AUDIT_HEADS_FILE": folder / "heads.jsonl",
        "KEYS_DIR": folder / "keys",
    }.items():
        setattr(settings, name, value)
    yield folder
    try:
        folder.rmdir()
    except OSError:  # the folder isn't empty
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice", password="alice-secret")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob", password="bob-secret")


@pytest.fixture
def mallory(db: None) -> User:
    return User.objects.create_user("mallory", password="mallory-secret")
