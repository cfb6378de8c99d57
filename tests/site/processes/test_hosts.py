"""Test two hosts on one PostgreSQL: each its own data folder, files in S3, one killed, one cut off.

A host reaches the database over TCP through a relay that the test can cut. Uploads and questions go
on meanwhile: nothing is lost or doubled, and a withdrawal holds for the next question on both.

The second host's clock is five minutes off where there is a C compiler (`wrong_clock.c`).
Where the test runs as root, each host has a system user and keys of its own, and both a group for
the signed heads.
"""

import contextlib
import datetime
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import boto3
import httpx
import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone
from moto.server import ThreadedMotoServer
from pytest_django import Settings

from chat.audit.heads import sign_head
from chat.audit.log import record
from chat.audit.verify import verify_chain
from chat.models import AuditEvent, Scope, Turn
from chat.sign_in.tokens import token_create
from corpus.models import Chunk, Collection, Document, Job, JobState
from tests.processes import ROOT, kill_all, start_as, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

UPLOADS, QUESTIONS = 12, 24  # in each of three rounds
SECRET = "a secret key of two hosts, long enough 1234567890"
PASSWORD = "a password of two hosts"
COMPILER = shutil.which("cc")
OFF = datetime.timedelta(minutes=5)
GROUP, FIRST_USER = 54320, 54321  # numbers that no account has
TEXT = "# Guideline {n}\n\n## Dose\n\nGive zorbamine {n} mg once daily to adults with fever {n}.\n"


@dataclass
class Relay:
    """Carries connections to the database's socket, until it is cut."""

    socket_path: str
    is_cut: bool = False
    port: int = 0
    open: list[socket.socket] = field(default_factory=list)

    def serve(self, listening: socket.socket) -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            if self.is_cut:
                near.close()
                continue
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.socket_path)
            self.open += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=_pump, args=(one, other), daemon=True).start()

    def cut(self) -> None:
        self.is_cut = True
        for each in self.open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self.open.clear()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for each in (source, target):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@dataclass
class Host:
    """A site of its own: data folder, relay, web and worker as `serve` runs them."""

    name: str
    folder: Path
    relay: Relay
    port: int
    environment: dict[str, str]
    user: int | None = None  # that of the test
    pid: int = 0

    def starts(self) -> None:
        self.pid = self.command("serve", "--port", str(self.port)).pid

    def command(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `manage.py ARGUMENTS` as this host does: its clock, user and settings."""
        account = None if self.user is None else (self.user, GROUP)
        log = self.folder / "log"
        return start_as(account, *arguments, log=log, environment=self.environment)

    def dies(self) -> None:
        kill_all(self.pid)

    def is_ready(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).is_success
        except httpx.HTTPError:
            return False


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    played = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    played.start()
    address = "http://{}:{}".format(*played.get_host_and_port())
    boto3.client("s3", endpoint_url=address, region_name="us-east-1").create_bucket(Bucket="two")
    yield address
    played.stop()


def _has_users() -> bool:
    """Tell whether this process may run the project as another system user."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", "import django"], cwd=ROOT, user=FIRST_USER, group=FIRST_USER
        )
    except PermissionError:  # not root, or its Python lies in root's home
        return False
    return tried.returncode == 0


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that other system users may enter, unlike pytest's."""
    made = Path(tempfile.mkdtemp(prefix="hosts-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


def _record_something() -> None:
    with transaction.atomic():
        record("test.went_on", actor=None, subject="test:1", payload={})


def _heads_signed(shared: Path, settings: Settings) -> Path:
    """Sign the first head, which makes the key, and give the file to the group."""
    settings.AUDIT_HEADS_FILE = heads = shared / "audit" / "heads.jsonl"
    heads.parent.mkdir(mode=0o700)
    settings.KEYS_DIR = shared / "keys"
    _record_something()
    assert sign_head()
    if _has_users():
        os.chown(heads.parent, 0, GROUP)
        heads.parent.chmod(0o750)
        os.chown(heads, 0, GROUP)
        heads.chmod(0o660)
    return heads


def _wrong_clock(folder: Path) -> dict[str, str]:
    """Return the environment of a process whose clock is off, empty without a compiler.

    Not libfaketime: with Debian's (0.9.10) Python can't sleep.
    """
    if not COMPILER:
        return {}
    library, source = folder / "wrong_clock.so", Path(__file__).with_name("wrong_clock.c")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), "CLOCK_OFF_S": str(OFF.seconds)}


@pytest.fixture
def hosts(own_database: str, s3: str, folder: Path, settings: Settings) -> Iterator[list[Host]]:
    shared = folder / "shared"  # what must be the same on all: docs/scaling.md
    shared.mkdir()
    heads = _heads_signed(shared, settings)
    path = f"{connection.settings_dict['HOST']}/.s.PGSQL.5432"
    made: list[Host] = []
    with contextlib.ExitStack() as stack:
        for number, name in enumerate(("one", "two")):
            own = folder / name
            shutil.copytree(settings.MODELS_DIR, own / "models")
            shutil.copytree(shared / "keys", own / "keys")
            relay = Relay(path)
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            relay.port = listening.getsockname()[1]
            threading.Thread(target=relay.serve, args=(listening,), daemon=True).start()
            made.append(Host(name, own, relay, _free_port(), {}))
            at = f"127.0.0.1:{relay.port}/{own_database}"
            made[-1].environment.update(
                DJANGO_SETTINGS_MODULE="medrag_site.settings",
                HOME=str(own),
                MEDRAG_DATA_DIR=str(own),
                MEDRAG_SECRET_KEY=SECRET,
                MEDRAG_AUDIT_HEADS=f"file={heads}",
                MEDRAG_FILES=f"bucket=two endpoint={s3} region=us-east-1",
                MEDRAG_API="rate=10000/min",
                MEDRAG_WORKER="lease_s=60 stall_s=40",
                MEDRAG_COMPUTING="precision=f32",
                DATABASE_URL=f"postgresql://medrag_app@{at}",
                DATABASE_OWNER_URL=f"postgresql://medrag_owner@{at}",
                DATABASE_AUDITOR_URL=f"postgresql://medrag_auditor@{at}",
            )
            if _has_users():
                made[-1].user = FIRST_USER + number
                subprocess.run(["chown", "-R", str(made[-1].user), own], check=True)
        made[-1].environment.update(_wrong_clock(folder))
        try:
            for host in made:
                host.starts()
            for host in made:
                wait_until(host.is_ready, f"{host.name} serves")
            yield made
        finally:
            for host in made:
                host.dies()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class Client:
    """Calls whichever host answers, as a proxy in front of both would."""

    def __init__(self, hosts: list[Host], token: str) -> None:
        self.hosts, self.headers = hosts, {"Authorization": f"Bearer {token}"}

    def post(self, path: str, first: int, **more: object) -> httpx.Response:
        """Post to one host, and to the other where that one is away. The key is sent again."""
        for turn in range(200):
            host = self.hosts[(first + turn) % len(self.hosts)]
            address = f"http://127.0.0.1:{host.port}/api/v1/{path}"
            headers = self.headers | {"Idempotency-Key": f"{path}-{first}"}
            try:
                response = httpx.post(address, headers=headers, timeout=60, **more)  # type: ignore[arg-type]
            except httpx.HTTPError:
                time.sleep(0.2)
                continue
            if response.status_code not in (409, 429, 500, 503):
                return response
            time.sleep(0.2)
        raise AssertionError(f"no host took {path}")


@pytest.mark.exhaustive  # what `test_worker` says of one host, over two
def test_two_hosts_lose_and_double_nothing_whatever_happens_to_one(hosts: list[Host]) -> None:
    user = User.objects.create_superuser("root")
    user.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt")  # the tests' own is faster
    user.save()
    began = timezone.now()
    client = Client(hosts, token_create(user, scopes=Scope.values))
    Collection.objects.get_or_create(slug="a", defaults={"name": "A"})
    one, two = hosts

    def upload(n: int) -> int:
        file = {"file": (f"guideline-{n}.md", TEXT.format(n=n).encode())}
        response = client.post("documents", n, files=file, data={"collection": "a"})
        assert response.status_code in (200, 201, 202), response.text
        return response.status_code

    def ask(n: int) -> int:
        question = f"How much zorbamine for fever {n % (3 * UPLOADS)}?"
        return client.post("query", n, json={"question": question}).status_code

    def work(first: int) -> None:
        """Upload and ask at the same time, a part of each."""
        with ThreadPoolExecutor(6) as pool:
            uploads = pool.map(upload, range(first * UPLOADS, (first + 1) * UPLOADS))
            answers = pool.map(ask, range(first * QUESTIONS, (first + 1) * QUESTIONS))
            assert set(answers) == {200}
            assert len(list(uploads)) == UPLOADS

    def all_indexed(count: int) -> bool:
        return Job.objects.filter(state=JobState.DONE).count() == count

    work(0)
    wait_until(lambda: all_indexed(UPLOADS), "the first are indexed")
    # Nobody was disturbed: no clock may have taken a job from a worker that lives.
    assert set(Job.objects.values_list("attempts", flat=True)) == {1}
    _assert_signed_in_on_both(two, one)
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(work, 1)
        time.sleep(2)
        one.dies()
        busy.result()
    one.starts()
    wait_until(one.is_ready, "one serves again")
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(work, 2)
        time.sleep(1)
        two.relay.cut()
        time.sleep(5)
        two.relay.is_cut = False
        busy.result()
    wait_until(two.is_ready, "two reaches the database again")

    wanted = 3 * UPLOADS
    wait_until(lambda: all_indexed(wanted), "all is indexed")
    assert Document.objects.count() == wanted
    assert Chunk.objects.values("document").distinct().count() == Chunk.objects.count() == wanted
    assert Turn.objects.count() == 3 * QUESTIONS
    times = [*Turn.objects.values_list("created_at", flat=True)]
    times += AuditEvent.objects.order_by("seq").values_list("at", flat=True)
    assert began - OFF / 2 < min(times) <= max(times) < timezone.now() + OFF / 2
    for host in hosts:
        _record_something()
        assert host.command("audit", "sign").wait(120) == 0
    report = verify_chain()
    assert report.ok, str(report)
    assert report.signed_heads >= 4  # two by the test

    number = 5
    document = Document.objects.get(filename=f"guideline-{number}.md")
    for step, body in (("publish", {}), ("withdraw", {"reason": "wrong"})):
        response = client.post(f"documents/{document.sha256}/{step}", 0, json=body)
        assert response.status_code == 200, response.text
        wanted_hits = [document.title] if step == "publish" else []
        for place in (0, 1):
            address = f"http://127.0.0.1:{hosts[place].port}/api/v1/search"
            query = {"query": f"zorbamine fever {number}"}
            found = httpx.post(address, headers=client.headers, json=query, timeout=60).json()
            assert [hit["document"] for hit in found] == wanted_hits, (step, place)
    assert not [line for host in hosts for line in _tracebacks(host)]


def _assert_signed_in_on_both(first: Host, second: Host) -> None:
    """Sign in at one host, and open a page at both."""
    at = [f"http://127.0.0.1:{host.port}" for host in (first, second)]
    with httpx.Client(timeout=60) as browser:
        browser.get(f"{at[0]}/sign-in/")
        token = browser.cookies["csrftoken"]
        form = {"username": "root", "password": PASSWORD, "csrfmiddlewaretoken": token}
        assert browser.post(f"{at[0]}/sign-in/", data=form).status_code == 302
        for address in (*at, *at):
            assert browser.get(f"{address}/").status_code == 200


def _tracebacks(host: Host) -> list[str]:
    log = (host.folder / "log").read_text(errors="replace")
    return [line for line in log.splitlines() if line.startswith("Traceback")]


def test_a_second_clock_and_a_second_user_were_tried() -> None:
    """Say by a skip what the test above had to leave out on this machine."""
    lacking = [
        *([] if COMPILER else ["a C compiler: both clocks were right"]),
        *([] if _has_users() else ["the right to run as others: both hosts ran as one user"]),
    ]
    if lacking:
        pytest.skip(f"This machine lacks {', and '.join(lacking)}.")
