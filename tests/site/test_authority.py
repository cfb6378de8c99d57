"""Test that one setting names the hospital's authority for every outgoing connection."""

import datetime
import json
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from pytest_django import Settings

from chat.models import DirectoryState
from medrag_site import doctor
from medrag_site.configuration.kinds import Certificates
from tests.chat.audit.test_forwarding import tls  # noqa: F401  a fixture
from tests.declared import setting

# A process of the site that calls out by each of its libraries.
CALLS = """
import contextlib, os, sys
import django
django.setup()
from chat.sign_in.signed_tokens import keys_at
from chat.sign_in.oidc import provider_config
from core.llm.transport import BoundedTransport, posted
from corpus import files
address = sys.argv[1]
def posts():
    posted(address + "/endpoint", {}, {}, timeout_s=20, transport=BoundedTransport(most_bytes=9))
def keys():
    keys_at(address + "/keys").fetch_data()
for call in (provider_config, files.probe, posts, keys):
    with contextlib.suppress(Exception):
        call()
"""


class Server:
    """A server of the hospital; what was asked of it, by the first part of the path."""

    def __init__(self) -> None:
        self.address, self.asked = "", set[str]()


@pytest.fixture
def server(tls: ssl.SSLContext) -> Iterator[Server]:  # noqa: F811
    standing = Server()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            standing.asked.add(self.path.split("?")[0].split("/")[1])
            body = json.dumps({"issuer": standing.address}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.socket = tls.wrap_socket(listening.socket, server_side=True)
        threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True).start()
        standing.address = f"https://127.0.0.1:{listening.server_address[1]}"
        yield standing
        listening.shutdown()


@pytest.mark.parametrize("is_named", [True, False])
def test_every_library_takes_the_authority(server: Server, tmp_path: Path, is_named: bool) -> None:
    oidc = tmp_path / "oidc.toml"
    lines = f'issuer = "{server.address}"\nclient_id = "medrag"\nclient_secret = "s3cret"\n'
    oidc.write_text(lines)
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "medrag_site.settings",
        "MEDRAG_DATA_DIR": str(tmp_path / "state"),
        "MEDRAG_OIDC": str(oidc),
        "MEDRAG_FILES": f"bucket=bucket endpoint={server.address} region=eu-west-2",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }
    for name in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", *(() if is_named else ("SSL_CERT_FILE",))):
        environment.pop(name, None)
    command = [sys.executable, "-c", CALLS, server.address]
    subprocess.run(command, env=environment, check=True, timeout=120)
    every = {".well-known", "bucket", "endpoint", "keys"}
    assert server.asked == (every if is_named else set())


@pytest.mark.parametrize("text", ["", "no certificate", None])
def test_a_file_without_certificates_stops_the_start(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "authority.pem"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ImproperlyConfigured, match="SSL_CERT_FILE must be a file of certificates"):
        setting(Certificates, str(path), name="SSL_CERT_FILE")


@pytest.mark.usefixtures("tls")
def test_doctor_tells_what_the_file_holds(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CERTIFICATES_FILE = ""
    assert looked_at("authorities")[0] is True
    file = settings.CERTIFICATES_FILE = os.environ["SSL_CERT_FILE"]
    ok, told = looked_at("authorities")
    assert (ok, "collector on" in told) == (None, True), "it is of a day"
    assert told.startswith(f"1 in {file}, the next to expire on ")
    later = timezone.now() + datetime.timedelta(days=2)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert looked_at("authorities")[0] is False
    Path(file).write_text("none")
    assert looked_at("authorities") == (
        False,
        f"{file}, the file of SSL_CERT_FILE, can't be used: it holds no certificate in PEM",
    )
    Path(file).unlink()
    assert "No such file" in looked_at("authorities")[1]


@pytest.mark.django_db
def test_doctor_tells_when_the_directory_asked(settings: Settings) -> None:
    assert looked_at("directory")[0] is True
    settings.SCIM_TOKEN = "token-of-the-directory-7"
    ok, told = looked_at("directory")
    assert (ok, "has not asked yet" in told) == (None, True)
    DirectoryState.objects.create(pk=1, heard_at=timezone.now())
    assert looked_at("directory")[0] is True
    settings.OIDC_GROUPS = {"gl-doctors": "Clinicians", "gl-none": "Nobodies"}
    ok, told = looked_at("directory")
    assert (ok, "names Nobodies, not here" in told) == (None, True)


def looked_at(name: str) -> tuple[bool | None, str]:
    return doctor._LOOKS[name]()
