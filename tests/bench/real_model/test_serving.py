"""Serving a model: llama.cpp's package played, its process, folder and failures real."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import httpx
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from bench.real_model import asking
from bench.real_model.asked import RealAsked, RealTask, read_real_task
from bench.real_model.asking import asked_of_model, judged
from bench.real_model.serving import ModelNotServed, ServerOrder, served
from bench.real_model.telling import real_lines
from chat.models import Reason
from tests.corpora import publish
from tests.llm.contents import Said, claims, verbatim
from tests.llm.lies import DOSE, GUIDELINE, QUESTION
from tests.llm.scoring import scores
from tests.llm.server import TOKENS, endpoint, replies, says
from tests.llm.sites import generate_by, judge_by

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


WRONG = DOSE.replace("500 mg", "5000 mg")
NOTHING = "What is the dose of zelomycin in gout?"


@pytest.fixture
def questions(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(GUIDELINE, population="adult")
    rows = [{"question": each, "expected_answer": DOSE} for each in (QUESTION, QUESTION, NOTHING)]
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(rows))
    monkeypatch.setattr(asking, "QUESTIONS", path)


@pytest.mark.usefixtures("questions")
def test_claims_shown_and_withheld_tokens_and_reasons_are_told(settings: LazySettings) -> None:
    with endpoint(replies(claims(verbatim(DOSE), Said(WRONG, DOSE)))) as server:
        server.script = [says("I am sorry.")]
        generate_by(settings, server.url)
        asked = [RealAsked.from_dict(json.loads(json.dumps(asdict(each)))) for each, _ in asked_of_model(3)]  # noqa: E501  # fmt: skip
    unread, answered, refused = asked
    assert (unread.reason, unread.why[0]) == (Reason.GENERATOR_UNAVAILABLE, "GeneratorUnavailable")
    assert (unread.calls, unread.shown, unread.withheld) == (1, (), ())
    assert (answered.reason, answered.shown) == ("", (DOSE,))
    assert [(check, text) for check, _, text in answered.withheld] == [("numbers", WRONG)]
    assert (answered.calls, answered.passages > 0) == (1, True)
    assert (answered.prompt_tokens, answered.completion_tokens) == TOKENS
    assert (refused.calls, refused.passages, bool(refused.reason)) == (0, 0, True)
    told = "\n".join(real_lines(asked, "small"))
    assert "- answered 1 of 3, refused 2" in told
    assert "- claims: 1 shown (0 with another citation), 1 withheld" in told
    assert "- withheld by: numbers 1" in told
    assert f"withheld (numbers: {answered.withheld[0][1]}): {WRONG}" in told


@pytest.mark.slow
@pytest.mark.usefixtures("questions")
def test_an_answer_is_judged_by_ragas_under_another_name(settings: LazySettings) -> None:
    with endpoint(replies(claims(verbatim(DOSE)))) as server, endpoint(scores()) as judging:
        generate_by(settings, server.url)
        judge_by(settings, judging.url)
        settings.VERIFIER = "checker"
        first = judged(*next(asked_of_model(1)))
    assert first.measures["ragas_faithfulness"] == 1.0
    told = "\n".join(real_lines([first], "small"))
    assert "RAGAS on 1 answers, judged by the model itself" in told
    assert "- ragas_faithfulness: 1.00 (n=1)" in told


def test_a_task_is_read_as_it_was_written(tmp_path: Path) -> None:
    task, path = RealTask(10, 3, "rows.jsonl"), tmp_path / "task.json"
    task.write(path)
    assert read_real_task(path) == task
    path.write_text('{"answers": {}}')
    assert read_real_task(path) is None
