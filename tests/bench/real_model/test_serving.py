"""Serving a model: llama.cpp's package played, its process, folder and failures real."""

import sys
from pathlib import Path

import httpx
import pytest
from django.core.management import CommandError, call_command

from bench.real_model.serving import ModelNotServed, ServerOrder, served

PLAYED = """
import http.server, threading, types

class CommonParams:
    def __init__(self):
        self.model = types.SimpleNamespace()
        self.cpuparams, self.cpuparams_batch = types.SimpleNamespace(), types.SimpleNamespace()

class Handler(http.server.BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self):
        Handler.asked += 1
        self.send_response(503 if Handler.asked == 1 else 200)  # it is loading at first
        self.end_headers()

class Server:
    def __init__(self, params):
        print("model", params.model.path, "context", params.n_ctx)
        (host,), port = params.hostnames, params.port
        server = http.server.ThreadingHTTPServer((host, port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://{host}:{port}"
"""
MISSING = "raise ImportError"
BROKEN = "class CommonParams:\n    def __init__(self):\n        raise SystemExit(7)\nServer = None"


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    (folder / "xllamacpp.py").write_text(content)
    monkeypatch.setenv("PYTHONPATH", str(folder))


@pytest.fixture
def order(tmp_path: Path) -> ServerOrder:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "small.gguf").write_bytes(b"GGUF")
    return ServerOrder(folder, sys.executable, context=4096)


def test_a_model_is_served_once_it_is_loaded_and_ends_with_the_context(
    order: ServerOrder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, monkeypatch, PLAYED)
    log = tmp_path / "server.log"
    with served(order, log) as address:
        assert httpx.get(address).is_success
    assert f"model {order.model().resolve()} context 4096" in log.read_text()
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)


@pytest.mark.parametrize(
    ("content", "said"), [(MISSING, "has no package xllamacpp"), (BROKEN, "ended with status 7")]
)
def test_a_server_that_can_t_start_is_told_plainly(
    order: ServerOrder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, said: str
) -> None:
    package(tmp_path, monkeypatch, content)
    with pytest.raises(ModelNotServed, match=said), served(order, tmp_path / "log"):
        raise AssertionError


def test_the_folder_holds_one_model(order: ServerOrder, tmp_path: Path) -> None:
    (order.folder / "other.gguf").write_bytes(b"")
    with pytest.raises(ModelNotServed, match="holds 2 models"):
        order.model()
    with pytest.raises(ModelNotServed, match="is not a folder with a GGUF model"):
        ServerOrder(tmp_path / "none", sys.executable).model()
    split = tmp_path / "split"
    split.mkdir()
    for number in (2, 1):
        (split / f"big-0000{number}-of-00002.gguf").write_bytes(b"")
    assert ServerOrder(split, sys.executable).model().name == "big-00001-of-00002.gguf"


@pytest.mark.django_db
def test_the_command_says_what_to_install(
    order: ServerOrder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, monkeypatch, MISSING)
    with pytest.raises(CommandError, match="pip install xllamacpp"):
        call_command("evaluate", "real", model=order.folder, out=tmp_path / "out")
    with pytest.raises(CommandError, match="--model DIR and --out DIR are needed"):
        call_command("evaluate", "real")
