"""Test a site behind PgBouncer, which gives each transaction another session of the database."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chat.audit.verify import verify_chain
from chat.models import Feedback, Turn
from chat.reviews.services import review_flag
from corpus.indexing.vector_index import FILLING, AlreadyRunning, alone
from corpus.models import Document, Job, JobState
from evaluation.models import QuestionRun, ResultState, RunState
from medrag_site import doctor_database
from medrag_site.database import roles
from medrag_site.database.postmaster import SYSTEM_USER
from medrag_site.groups import AUDITORS, EVALUATORS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import QUERY, SEARCH, post, signed_in
from tests.chat.api.documents.test_documents import of, upload
from tests.chat.guidelines import DOSE, QUESTION, publish_guideline
from tests.chat.web.pages import text_of
from tests.corpora import primary, shelf
from tests.corpus.documents import guideline
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set
from tests.people import person
from tests.processes import in_processes, running, wait_until
from tests.together import at_once
from tests.webhooks.receiver import receiving
from webhooks.models import Delivery, DeliveryState, Event

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SESSIONS = 2  # fewer than threads, so that these exchange them
PORT = 6432
CONFIGURATION = """
[databases]
* = host={server} user={user}
[pgbouncer]
unix_socket_dir = {folder}
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = {sessions}
server_round_robin = 1
ignore_startup_parameters = extra_float_digits,options
"""
CONTENT = f"# Pneumonia in adults\n\n## Treatment\n\n{DOSE}\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed"),
]


@pytest.fixture
def pool(own_database: str, socket_dir: str, settings: Settings) -> Iterator[dict[str, str]]:
    """Lead the application's connections through a pool; yield the environment that does so."""
    folder = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    user = None
    if os.geteuid() == 0:  # as which it refuses to run
        user = SYSTEM_USER
        shutil.chown(folder, user)
    written = folder / "pgbouncer.ini"
    written.write_text(
        CONFIGURATION.format(
            server=socket_dir, user=roles.APPLICATION, folder=folder, port=PORT, sessions=SESSIONS
        )
    )
    log = (folder / "log").open("wb")
    process = subprocess.Popen([str(PROGRAM), str(written)], user=user, cwd="/", stderr=log)
    alias, before = connections.settings["default"], {**connections.settings["default"]}
    settings.PREPARED_STATEMENTS = False
    try:
        wait_until((folder / f".s.PGSQL.{PORT}").exists, "it listens", 20)
        alias |= {"HOST": str(folder), "PORT": str(PORT), "DISABLE_SERVER_SIDE_CURSORS": True}
        connections.close_all()
        address = "postgresql://{}@/{}?host={}"
        yield {
            "MEDRAG_PREPARED_STATEMENTS": "false",
            "DATABASE_URL": address.format(
                roles.APPLICATION, own_database, f"{folder}&port={PORT}"
            ),
            "DATABASE_OWNER_URL": address.format(roles.OWNER, own_database, socket_dir),
            "DATABASE_AUDITOR_URL": address.format(roles.AUDITOR, own_database, socket_dir),
        }
    finally:
        connections.close_all()
        alias.update(before)
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def test_sessions_are_exchanged_so_that_a_cursor_of_a_session_would_be_lost(
    pool: dict[str, str],
) -> None:
    publish_guideline(picture=False)
    publish_guideline(picture=False, title="Pneumonia in children")

    def read_while_another_takes_the_session() -> list[Document]:
        rows = Document.objects.iterator(chunk_size=1)
        first = next(rows)
        other = connections.create_connection("default")
        try:
            other.set_autocommit(False)
            with other.cursor() as cursor:
                cursor.execute("SELECT 1")  # begins a transaction, which keeps its session
            return [first, *rows]
        finally:
            other.close()

    assert len(read_while_another_takes_the_session()) == 2
    connections.settings["default"]["DISABLE_SERVER_SIDE_CURSORS"] = False
    with pytest.raises(psycopg.errors.InvalidCursorName):
        read_while_another_takes_the_session()


def test_doctor_tells_a_pool_and_prepared_statements_behind_it(
    pool: dict[str, str], settings: Settings
) -> None:
    ok, said = doctor_database.database()
    assert ok is True
    assert said.endswith("through a pool")
    settings.PREPARED_STATEMENTS = True
    ok, said = doctor_database.database()
    assert ok is None
    assert "MEDRAG_PREPARED_STATEMENTS=false" in said


def test_one_process_at_a_time_fills_the_vectors_of_an_encoder(pool: dict[str, str]) -> None:
    """By a lock of a session, which the pool would leave in a session that all share."""

    def fill() -> int:
        with alone(primary(), FILLING):
            return Document.objects.count()

    for _ in range(2 * SESSIONS):
        with alone(primary(), FILLING):
            assert [type(each) for each in at_once(fill, fill)] == [AlreadyRunning] * 2
        assert at_once(fill) == [0]


def test_a_day_of_a_site(pool: dict[str, str], tmp_path: Path) -> None:
    """From the upload to the withdrawal, by many at once, with a worker behind the same pool."""
    shelf("chest")
    staff = signed_in(person("staff", STAFF, PUBLISHERS))
    auditor, evaluator = client_of("auditor", AUDITORS), client_of("evaluator", EVALUATORS)
    environment = {**pool, **in_processes(2), "MEDRAG_WEBHOOKS": "loopback=true"}
    with receiving() as receiver, running("worker", log=tmp_path / "worker.log", **environment):
        receiver.endpoint(Event.INDEXED, Event.PUBLISHED, Event.WITHDRAWN)
        contents = [CONTENT, *(guideline(f"# Gentamicin {n}", n + 1) for n in range(3))]
        uploaded: list[Any] = at_once(
            *(uploading(staff, n, each) for n, each in enumerate(contents))
        )
        keys = [response.json()["sha256"] for response in uploaded]
        wait_until(lambda: jobs(JobState.DONE) == len(keys), "all are indexed")
        published: list[Any] = at_once(
            *(lambda key=key: post(staff, of(key, "/publish"), {}) for key in keys)
        )
        assert {response.status_code for response in published} == {200}

        people = [client_of(f"reader{n}") for n in range(3)]
        programs = [signed_in(person(f"program{n}")) for n in range(3)]
        run = run_of(stored_set(ITEMS))  # asked by the worker meanwhile
        for _ in range(3):
            shown = at_once(
                *(lambda each=each: asked_on_a_page(each) for each in people),
                *(lambda each=each: asked(each) for each in programs),
                *(lambda each=each: searched(each) for each in programs),
            )
            assert shown == [DOSE] * 9

        wait_until(lambda: is_done(run), "its questions are asked")
        assert set(run.results.values_list("state", flat=True)) == {ResultState.DONE}
        turn = Turn.objects.filter(user__username="reader0").latest("created_at")
        review_flag(turn, by=person("flagger", AUDITORS))
        before = Turn.objects.count()
        counts = at_once(
            lambda: exported(auditor, "chat_turn_export", format="jsonl", texts="yes"),
            lambda: exported(auditor, "chat_review_export", format="jsonl", texts="yes"),
            lambda: exported(auditor, "chat_auditevent_export", texts="yes"),
            lambda: exported(evaluator, "evaluation_questionrun_export", run.pk),
            *(lambda each=each: asked(each) for each in programs),
        )
        assert Feedback.objects.filter(helpful=True).count() == 9
        lines, *reviewed = counts[:2]
        assert lines in range(before, before + 4)  # with those asked meanwhile, or without
        assert reviewed == [1]
        post(staff, of(keys[0], "/withdraw"), {"reason": "Wrong dose"})
        told = at_once(*(lambda each=each: asked(each) for each in programs))
        assert told == [""] * 3
        wait_until(
            lambda: len(receiver.taken) == 2 * len(keys) + 1,
            f"all {receiver.taken} is announced",
            60,
        )
    assert not Delivery.objects.exclude(state=DeliveryState.DELIVERED).exists()
    report = verify_chain()
    assert report.first_break is None


def client_of(name: str, *groups: str) -> Client:
    """Return the browser of a new account, signed in by its password."""
    person(name, *groups)
    client = Client()
    signed = client.post(reverse("login"), {"username": name, "password": f"{name}-secret"})
    assert signed.status_code == 302
    return client


def uploading(client: Client, number: int, content: str) -> Callable[[], Any]:
    return lambda: upload(client, content.encode(), name=f"{number}.md")


def jobs(state: JobState) -> int:
    return Job.objects.filter(state=state).count()


def is_done(run: QuestionRun) -> bool:
    return QuestionRun.objects.filter(pk=run.pk, state=RunState.DONE).exists()


def asked_on_a_page(client: Client) -> str:
    """Ask, and say that it helped; return the dose if the page shows it."""
    where = client.post(reverse("chat:ask"), {"question": QUESTION})["Location"]
    turn = where.partition("#turn-")[2]
    client.post(reverse("chat:feedback", args=[turn]), {"helpful": "yes"})
    page = text_of(client.get(where))
    return DOSE if DOSE in page else page


def asked(client: Client) -> str:
    """Ask; return the first claim of the answer, or nothing."""
    claims = post(client, QUERY, {"question": QUESTION}).json()["claims"]
    return str(claims[0]["text"]) if claims else ""


def searched(client: Client) -> str:
    found = json.dumps(post(client, SEARCH, {"query": QUESTION}).json())
    return DOSE if DOSE in found else found


def exported(client: Client, name: str, *arguments: object, **asked: str) -> int:
    """Return how many lines an export has."""
    response = client.post(reverse(f"admin:{name}", args=arguments), asked)
    assert response.status_code == 200
    return len(b"".join(response).splitlines())
