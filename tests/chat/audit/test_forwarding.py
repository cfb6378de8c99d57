"""Test that a collector gets each event at least once and in order, whatever happens between."""

import contextlib
import datetime
import ipaddress
import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

from chat.audit import forwarding
from chat.audit.forwarding import backlog, forward_log, line_of
from chat.audit.syslog import send_syslog
from chat.models import AuditEvent, LogForward
from medrag_site.configuration.answers import AuditForward
from medrag_site.doctor import _collector
from medrag_site.processes import tasks
from tests.chat.audit.audit_tools import record_events
from tests.declared import setting

pytestmark = pytest.mark.django_db


@dataclass
class Collector:
    """A syslog server on loopback: keeps what it reads, or resets connections over unread bytes."""

    port: int = 0
    resets: bool = False
    messages: list[bytes] = field(default_factory=list)

    def serve(self, listening: socket.socket, context: ssl.SSLContext | None) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            if self.resets:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
                continue
            with contextlib.suppress(OSError):
                if context:
                    connection = context.wrap_socket(connection, server_side=True)
                with connection:
                    self._keep(b"".join(iter(partial(connection.recv, 65536), b"")))

    def _keep(self, data: bytes) -> None:
        while data:
            count, _, data = data.partition(b" ")
            self.messages.append(data[: int(count)])
            data = data[int(count) :]

    @property
    def events(self) -> list[dict[str, object]]:
        return [json.loads(message.split(b" - audit - ", 1)[1]) for message in self.messages]


@contextmanager
def collecting(context: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Collector]:
    with socket.create_server(("127.0.0.1", port)) as listening:
        collector = Collector(port=listening.getsockname()[1])
        threading.Thread(target=collector.serve, args=(listening, context), daemon=True).start()
        yield collector
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Return a server's context whose certificate this process trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "collector")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    public, secret = tmp_path / "public.pem", tmp_path / "secret.pem"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(public))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, secret)
    return context


def seqs() -> list[int]:
    return list(AuditEvent.objects.order_by("seq").values_list("seq", flat=True))


def test_over_tls_each_event_arrives_once_and_in_order(
    tls: ssl.SSLContext, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forwarding, "BATCH", 3)
    with collecting(tls) as collector:
        settings.AUDIT_FORWARD_TO = f"syslog+tls://127.0.0.1:{collector.port}"
        record_events(7)
        assert forward_log() == ""
        record_events(1)
        assert forward_log() == ""
    assert [event["seq"] for event in collector.events] == seqs()
    head = AuditEvent.objects.latest("seq")
    assert collector.events[-1]["hash"] == bytes(head.hash).hex()
    assert "payload" not in collector.events[-1]
    assert collector.messages[0].startswith(b"<109>1 20")


def test_a_certificate_that_nobody_vouches_for_gets_nothing(
    tls: ssl.SSLContext, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with collecting(tls) as collector:
        settings.AUDIT_FORWARD_TO = f"syslog+tls://127.0.0.1:{collector.port}"
        record_events(1)
        assert "certificate of the syslog server is not valid" in forward_log()
    assert not collector.messages


def test_after_an_outage_it_goes_on_from_where_it_stopped(settings: Settings) -> None:
    with collecting() as collector:
        settings.AUDIT_FORWARD_TO = f"syslog://127.0.0.1:{collector.port}"
        record_events(2)
        forward_log()
    before = len(seqs())
    record_events(2)
    assert "can't be reached" in forward_log()
    lack = backlog()
    assert lack is not None
    assert lack.events == len(seqs()) - before
    assert _collector()[0] is False
    with pytest.raises(tasks.TaskFailed, match="Nothing is lost"):
        tasks.forward_log()
    with collecting(port=collector.port) as again:
        again.resets = True
        assert "can't be reached" in forward_log()
        again.resets = False
        assert forward_log() == ""
    assert [e["seq"] for e in collector.events + again.events] == seqs()
    assert _collector()[0] is True


def test_a_server_that_never_ends_the_connection_is_given_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that reads everything and goes on saying something."""
    monkeypatch.setattr(forwarding, "SEND_S", 1.0)
    over = threading.Event()

    def babble(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, contextlib.suppress(OSError):
            while not over.wait(0.2):
                connection.sendall(b"-")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=babble, args=(listening,))
        thread.start()
        settings.AUDIT_FORWARD_TO = f"syslog://127.0.0.1:{listening.getsockname()[1]}"
        record_events(1)
        assert "took more than 1 s" in forward_log()
        over.set()
        thread.join()


def test_what_was_sent_and_not_noted_is_sent_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collecting() as collector:
        settings.AUDIT_FORWARD_TO = f"syslog://127.0.0.1:{collector.port}"
        record_events(2)
        send = send_syslog

        def send_and_die(*args: object, **more: object) -> None:
            send(*args, **more)  # type: ignore[arg-type]
            raise KeyboardInterrupt

        monkeypatch.setattr(forwarding, "send_syslog", send_and_die)
        with pytest.raises(KeyboardInterrupt):
            forward_log()
        monkeypatch.setattr(forwarding, "send_syslog", send)
        assert forward_log() == ""
        assert [event["seq"] for event in collector.events] == seqs()  # its lease is not over
        LogForward.objects.update(lease_until=datetime.datetime.now(datetime.UTC))
        assert forward_log() == ""
    assert [event["seq"] for event in collector.events] == seqs() * 2


def test_a_post_has_the_token_and_a_line_for_each_event(
    tls: ssl.SSLContext, settings: Settings
) -> None:
    taken: list[tuple[str | None, list[str]]] = []
    statuses = [503, 200]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            taken.append((self.headers["Authorization"], body.splitlines()))
            self.send_response(statuses.pop(0))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        settings.AUDIT_FORWARD_TO = f"https://127.0.0.1:{server.server_address[1]}/in"
        settings.AUDIT_FORWARD_KEY = "t" * 20
        record_events(2)
        assert forward_log() == "the collector answered with status 503."
        assert forward_log() == ""
        server.shutdown()
    assert [token for token, _ in taken] == [f"Bearer {'t' * 20}"] * 2
    assert [json.loads(line)["seq"] for line in taken[-1][1]] == seqs()


def test_a_payload_is_sent_where_the_site_says_so(settings: Settings) -> None:
    record_events(1)
    event = AuditEvent.objects.latest("seq")
    settings.AUDIT_FORWARD_PAYLOAD = True
    assert json.loads(line_of(event))["payload"] == event.payload
    settings.AUDIT_FORWARD_FORMAT = "cef"
    event.subject, event.actor, event.payload = "a=b|c\\d", "user:1:x\ny", ""
    line = line_of(event)
    assert line.startswith(f"CEF:0|MedRAG|MedRAG|1|{event.action}|{event.action}|3|")
    assert "cs1=a\\=b|c\\\\d" in line
    assert "\n" not in line


def test_nothing_is_sent_without_a_collector() -> None:
    record_events(1)
    assert forward_log() == ""
    assert backlog() is None


@pytest.mark.parametrize(
    "to", ["http://logs.example.org", "syslog://logs.example.org", "file:///x"]
)
def test_nothing_leaves_the_machine_in_the_clear(to: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="must be an address such as syslog"):
        setting(AuditForward, f"to={to}")
