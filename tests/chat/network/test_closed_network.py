"""Test that the whole system works without a network, and never tries to reach one."""

import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from chat.models import Turn, TurnStatus
from corpus.models import Document, Lifecycle
from corpus.services.indexing import document_index
from tests.chat.network.closed_network import NetworkClosed, closed_network, is_here
from tests.corpora import publish
from tests.corpus.documents import ingest
from tests.llm.contents import honest
from tests.llm.lies import DOSE, GUIDELINE, MARKUP
from tests.llm.lies import QUESTION as DOSE_QUESTION
from tests.llm.server import endpoint, replies, trap
from tests.llm.sites import ask, generate_by

ROOT = Path(__file__).resolve().parents[3]
QUESTION = "How much calcium gluconate is given in hyperkalaemia when the ECG has changed?"
ANSWER = "Give 10 mL of calcium gluconate 10 % over 5 minutes when the ECG has changed."
# Variables that forbid libraries the network; set before any of them is imported.
AT_HOME = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


def no_namespaces() -> bool:
    """Tell whether this user may not create a network namespace."""
    made = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False)
    return made.returncode != 0


NAMESPACE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
needs_namespaces = pytest.mark.skipif(
    shutil.which("unshare") is None or no_namespaces(),
    reason="this user may not make a network namespace",
)

# The closed network itself


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("", True),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("::", False),
        ("fe80::1", False),
        ("example.org", False),
        (b"example.org", False),
        ("localhost.example.org", False),
    ],
)
def test_what_is_here(host: object, here: bool) -> None:
    assert is_here(host) is here


def test_an_attempt_to_leave_is_refused_and_seen() -> None:
    with closed_network() as attempts:
        with pytest.raises(NetworkClosed), socket.socket() as stream:
            stream.connect(("192.0.2.1", 80))
        with pytest.raises(NetworkClosed), socket.socket(type=socket.SOCK_DGRAM) as datagrams:
            datagrams.sendto(b"x", ("192.0.2.1", 53))
        with pytest.raises(OSError, match="no network here"):
            urllib.request.urlopen("http://example.org/", timeout=1)
    assert [attempt.split()[0] for attempt in attempts.refused] == [
        "socket.connect",
        "socket.sendto",
        "socket.getaddrinfo",
    ]


@pytest.mark.django_db
def test_nothing_leaves_from_an_upload_to_an_answer(alice: User, client: Client) -> None:
    client.force_login(alice)
    with closed_network() as attempts:
        document = ingest()
        document_index(document.pk)
        Document.objects.filter(pk=document.pk).update(lifecycle=Lifecycle.PUBLISHED)
        response = client.post(reverse("chat:ask"), {"question": QUESTION}, follow=True)
        call_command("search", QUESTION)
    assert ANSWER in response.content.decode()
    assert Turn.objects.get().status == TurnStatus.ANSWERED
    assert (attempts.refused, attempts.local_ports) == ([], set())


@pytest.mark.django_db
def test_a_language_model_is_the_only_one_that_is_called(settings: LazySettings) -> None:
    publish(GUIDELINE, population="adult")
    with endpoint(replies(honest)) as server, closed_network() as attempts:
        generate_by(settings, server.url)
        claims = [claim.text for claim in ask(DOSE_QUESTION).claims.all()]
    assert DOSE in claims
    assert attempts.refused == []
    assert attempts.local_ports == {int(server.url.split(":")[2].split("/")[0])}


@pytest.mark.django_db
@pytest.mark.parametrize("lie", MARKUP)
def test_no_link_of_a_models_is_followed(
    settings: LazySettings, alice: User, client: Client, lie: str
) -> None:
    publish(GUIDELINE, population="adult")
    with trap() as elsewhere:
        address = elsewhere.url.removesuffix("/v1")
        server_says = replies(
            lambda prompt: MARKUP[lie](prompt).replace("http://127.0.0.1:9", address)
        )
        with endpoint(server_says) as server, closed_network() as attempts:
            generate_by(settings, server.url)
            turn = ask(DOSE_QUESTION, user=alice)
            client.force_login(alice)
            client.get(reverse("chat:conversation", args=[turn.conversation_id]))
        assert not elsewhere.was_touched
    assert attempts.refused == []


# In a namespace without a network, where no library in any process has a way out


def in_namespace(folder: Path, *command: str) -> tuple[str, dict[str, int]]:
    """Run a command without a network; return its output and the kernel's counts of attempts."""
    counters = folder / "counters"
    script = '"$@"; code=$?; cat /proc/net/snmp /proc/net/snmp6 > "$0"; exit $code'
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TOKEN"))
    }
    done = subprocess.run(
        [*NAMESPACE, "sh", "-c", script, str(counters), *command],
        cwd=ROOT,
        env={**environment, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, tried_to_leave(counters.read_text())


def tried_to_leave(counters: str) -> dict[str, int]:
    """Return the counts of packets sent or without a route, from a namespace's counters."""
    names, values = (line.split()[1:] for line in counters.splitlines() if line.startswith("Ip:"))
    found = dict(zip(names, map(int, values), strict=True))
    sixth = dict(line.split() for line in counters.splitlines() if line.startswith("Ip6"))
    return {
        "OutRequests": found["OutRequests"],
        "OutNoRoutes": found["OutNoRoutes"],
        "Ip6OutNoRoutes": int(sixth["Ip6OutNoRoutes"]),
    }


STAYED = {"OutRequests": 0, "OutNoRoutes": 0, "Ip6OutNoRoutes": 0}


@needs_namespaces
def test_the_kernel_counts_an_attempt(tmp_path: Path) -> None:
    program = (
        "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 1)\nexcept OSError: pass"
    )
    assert in_namespace(tmp_path, sys.executable, "-c", program)[1]["OutNoRoutes"] > 0


@pytest.mark.slow
@needs_namespaces
def test_the_whole_system_runs_without_a_network(own_database: str, tmp_path: Path) -> None:
    child = str(Path(__file__).with_name("closed_child.py"))
    said, tried = in_namespace(tmp_path, sys.executable, child, QUESTION)
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    assert (found["job"], found["log"]) == ("DONE", True)
    assert found["hits"]
    assert ANSWER in [claim["text"] for claim in found["turn"]["claims"]]
    assert all(not verdict["failed"] for verdict in found["verdicts"])
    assert (found["refused"], found["ports"]) == ([], [])
    assert tried == STAYED
    said, tried = in_namespace(tmp_path, sys.executable, "manage.py", "ask", QUESTION, "--json")
    assert [claim["text"] for claim in json.loads(said)["claims"]] == [
        claim["text"] for claim in found["turn"]["claims"]
    ]
    assert tried == STAYED


def test_dependencies_are_told_to_stay_at_home() -> None:
    program = "import os, json, medrag_site.settings; print(json.dumps(dict(os.environ)))"
    environment = {name: value for name, value in os.environ.items() if name not in AT_HOME}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert AT_HOME.items() <= json.loads(done.stdout).items()
