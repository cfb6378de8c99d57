"""Test that settings of language models that contradict each other stop the start, by name."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from chat import system_checks
from chat.generation.configured import site_generator
from chat.generation.extractive import ExtractiveGenerator
from chat.generation.language_model import LanguageModelGenerator
from chat.system_checks import check_language_models, check_verifier
from chat.verification import answer_judge as judging
from core.llm.client import Endpoint
from core.llm.models_file import Models
from tests.models import models_file, set_model

A, B = "http://a.example/v1", "http://b.example/v1"
WRITER, JUDGE = Endpoint(A, "writer", role="generate"), Endpoint(B, "judge", role="judge")
REWRITER = Endpoint(A, "m", role="rewrite")
JUDGE_WRITES = replace(JUDGE, model="writer")
WRITES = {"GENERATOR": "llm", "MODELS": Models(generate=(WRITER,))}
JUDGES = {"MODELS": Models(judge=(JUDGE,))}


def both(writing: Sequence[Endpoint] = (WRITER,), judge: Endpoint = JUDGE) -> dict[str, Any]:
    return {"GENERATOR": "llm", "MODELS": Models(generate=tuple(writing), judge=(judge,))}


@pytest.fixture(autouse=True)
def nothing_configured(settings: Settings) -> None:
    settings.MODELS, settings.FOLLOW_UPS = Models(), "rules"
    settings.GENERATOR, settings.VERIFIER, settings.MODE = "extractive", "checker", "confident-lite"


def faults(settings: Settings, **values: Any) -> list[tuple[str, str]]:
    for name, value in values.items():
        setattr(settings, name, value)
    return [(str(message.id), str(message.msg)) for message in check_language_models(None)]


@pytest.mark.parametrize(
    "values",
    [
        {},
        WRITES,
        both() | {"VERIFIER": "llm", "MODE": "confident"},
        JUDGES | {"MODE": "confident"},
        {"FOLLOW_UPS": "llm", "MODELS": Models(rewrite=REWRITER)},
        both(judge=JUDGE_WRITES) | {"GENERATOR": "extractive"},  # without a writer
        both(judge=replace(JUDGE_WRITES, may_generate=True)),
    ],
    ids=str,
)
def test_what_fits_starts(settings: Settings, values: dict[str, Any]) -> None:
    assert faults(settings, **values) == []


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        ({"GENERATOR": "llm"}, "E002", "MEDRAG_GENERATOR=llm needs [generate] of MEDRAG_MODELS"),
        ({"MODE": "confident"}, "E002", "MEDRAG_MODE=confident needs [judge] of MEDRAG_MODELS"),
        ({"FOLLOW_UPS": "llm"}, "E002", "MEDRAG_FOLLOW_UPS=llm needs [rewrite] of MEDRAG_MODELS"),
        (JUDGES | {"FOLLOW_UPS": "llm"}, "E002", "MEDRAG_FOLLOW_UPS=llm"),
        (both(judge=JUDGE_WRITES), "E003", "model in [judge] of MEDRAG_MODELS: writer writes"),
        (both(judge=replace(JUDGE, model="org/Writer")), "E003", "org/Writer"),
        (both([WRITER, replace(WRITER, model="judge")]), "E003", "judge"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(
    settings: Settings, values: dict[str, Any], code: str, said: str
) -> None:
    ((found, message),) = faults(settings, **values)
    assert found == f"chat.{code}"
    assert said in message


def test_what_needs_a_judge_is_said_once(settings: Settings) -> None:
    settings.VERIFIER = "llm"
    found = [
        message for check in (check_language_models, check_verifier) for message in check(None)
    ]
    assert [message.id for message in found] == ["chat.E040"]
    assert "MEDRAG_VERIFIER=llm needs [judge] of MEDRAG_MODELS" in found[0].msg


def test_each_that_misses_a_model_is_named(settings: Settings) -> None:
    found = faults(settings, GENERATOR="llm", MODE="confident", FOLLOW_UPS="llm")
    assert [code for code, _ in found] == ["chat.E002"] * 3


def test_a_prompt_that_cannot_be_filled(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "judge_answer_v1.txt"
    path.write_text("$mark $question $mark")
    wrong = replace(judging.PROMPT, path=path)
    monkeypatch.setattr(system_checks, "PROMPTS", (wrong,))
    ((code, message),) = faults(settings)
    assert code == "chat.E004"
    assert "judge_answer_v1.txt must hold" in message


def test_no_fault_names_a_key(settings: Settings) -> None:
    found = faults(settings, **both(judge=replace(JUDGE_WRITES, key="key-canary")))
    assert found
    assert "canary" not in str(found)


def test_the_generator_is_the_one_that_is_set(settings: Settings) -> None:
    assert isinstance(site_generator(), ExtractiveGenerator)
    set_model(settings, "generate", A, B, model="writer")
    settings.GENERATOR = "llm"
    generator = site_generator()
    assert isinstance(generator, LanguageModelGenerator)
    assert [endpoint.url for endpoint in generator.endpoints] == [A, B]


@pytest.mark.parametrize(
    ("role", "loaded"), [("", False), ("generate", True), ("judge", True), ("rewrite", False)]
)
def test_the_client_is_loaded_at_start_only_where_a_model_is_configured(
    tmp_path: Path, role: str, loaded: bool
) -> None:
    script = (
        "import sys, django; django.setup()\n"
        "from chat.generation.configured import warm_up\n"
        "assert 'jsonschema' not in sys.modules\n"
        "warm_up()\n"
        "print('jsonschema' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    if role:
        environment["MEDRAG_MODELS"] = models_file(tmp_path, **{role: {"url": A, "model": "m"}})
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == str(loaded)
