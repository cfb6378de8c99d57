"""Test that a web process is ready once its models are loaded, and ends without freeing them."""

import multiprocessing
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
import pytest
from django.test import Client
from pytest_django import Settings

from core.errors import MedragError
from medrag_site.web import health, model_loading
from medrag_site.web.model_loading import FAILED, LOADING, OK, ModelLoading
from tests.processes import ROOT, wait_until
from tests.site.test_demo import free_port

OK_ALL = {"status": "ok", "database": "ok", "models": "ok"}


def probed(client: Client) -> tuple[int, str]:
    response = client.get("/readyz")
    return response.status_code, response.json()["models"]


def begun(monkeypatch: pytest.MonkeyPatch, loading: ModelLoading) -> ModelLoading:
    monkeypatch.setattr(health, "models", loading)
    loading.load_in_background()
    return loading


def test_a_process_is_ready_once_its_models_are_loaded_and_alive_before(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    may = threading.Event()
    loading = begun(monkeypatch, ModelLoading(lambda: (may.wait(), None)[1]))
    assert probed(client) == (503, LOADING)
    assert client.get("/healthz").status_code == 200
    monkeypatch.setattr(model_loading, "LIMIT_S", 0.0)
    assert probed(client) == (503, FAILED)
    may.set()
    wait_until(lambda: loading.state() == OK, "they are loaded")
    assert client.get("/readyz").json() == OK_ALL


@pytest.mark.parametrize(
    "error", [MedragError("No encoder is set up."), OSError("secret"), RuntimeError("secret")]
)
def test_what_fails_is_told_and_tried_again(
    db: None,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    errors = [error, error]
    failed, may = threading.Event(), threading.Event()

    def load() -> None:
        if not errors:
            failed.set()
            may.wait()
            return
        raise errors.pop()

    loading = begun(monkeypatch, ModelLoading(load, again_s=0.0))
    failed.wait()
    assert probed(client) == (503, FAILED)
    assert "secret" not in client.get("/readyz").content.decode()
    may.set()
    wait_until(lambda: loading.state() == OK, "they are loaded at last")
    assert probed(client) == (200, OK)
    assert caplog.text.count(str(error)) == 1


def test_the_broken_model_of_a_site_is_told(
    db: None, client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VERIFIER, settings.GENERATOR = "nli", "extractive"  # and no model is named
    loading = begun(monkeypatch, ModelLoading(model_loading._load_models))
    wait_until(lambda: loading.state() != LOADING, "it was tried")
    assert probed(client) == (503, FAILED)


def test_a_process_is_ready_once_all_its_workers_are() -> None:
    loading = ModelLoading(lambda: None)
    loading.share()
    loading.load_in_background()
    wait_until(lambda: loading.state() == OK, "this one is loaded")
    ours, theirs = multiprocessing.Pipe()
    other = multiprocessing.get_context("fork").Process(target=_begins, args=(loading, theirs))
    other.start()
    try:
        assert ours.recv() == LOADING
        assert loading.state() == LOADING
    finally:
        other.kill()
        other.join()
    assert loading.state() == OK, "one that died holds nobody up"


def _begins(loading: ModelLoading, connection: Connection) -> None:
    loading.begin()
    connection.send(loading.state())
    threading.Event().wait()


@pytest.fixture
def web(own_database: str, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str, Path]]:
    """Run gunicorn as the docs say, with an object that tells when it is freed."""
    log, address = tmp_path / "web.log", f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "gunicorn", "medrag_site.wsgi", "--no-control-socket"]
    options = ["--config", "python:medrag_site.web.gunicorn_config", "--worker-class", "gthread"]
    more = ["--workers", "2", "--threads", "4", "--bind", address, "--graceful-timeout", "10"]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.site.web.told_freeing_settings"}
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*command, *options, *more], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
    try:
        yield process, f"http://{address}", log
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["healthz", "readyz"])
def test_a_web_process_ends_by_itself(
    web: tuple[subprocess.Popen[bytes], str, Path], path: str
) -> None:
    """While its models are loaded, and afterwards; freeing them would take long, or abort."""
    process, address, log = web
    wait_until(lambda: _answers(f"{address}/{path}"), "it answers")
    if path == "readyz":
        assert httpx.get(f"{address}/readyz", timeout=60).json() == OK_ALL
    process.terminate()
    process.wait(60)
    said = log.read_text()
    assert said.count("Worker exiting") == 2
    assert "terminate called" not in said
    assert "was sent" not in said  # SIGABRT
    assert "frees its objects" not in said


@pytest.mark.slow
def test_a_request_that_runs_is_answered_before_the_end(
    web: tuple[subprocess.Popen[bytes], str, Path],
) -> None:
    process, address, log = web
    wait_until(lambda: _answers(f"{address}/readyz"), "it answers")
    token = "x" * 32
    body = f"csrfmiddlewaretoken={token}&username=alice&password=wrong".encode()
    head = (
        f"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken={token}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    )
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(head.encode())
        assert b"100 Continue" in connection.recv(1000)  # a thread works on it
        process.terminate()
        wait_until(lambda: "Worker exiting" in log.read_text(), "the other worker has ended")
        connection.sendall(body)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    process.wait(60)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=60).is_success
    except httpx.HTTPError:
        return False
