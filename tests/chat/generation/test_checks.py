"""Settings of language models that do not fit together stop the start, by name."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from chat import checks
from chat.checks import check_language_models
from chat.endpoints import generating_endpoints, judging_endpoints
from chat.generation.configured import site_generator
from chat.generation.extractive import ExtractiveGenerator
from chat.generation.language_model import LanguageModelGenerator
from chat.verification import answer_judge as judging
from chat.verification.checks import check_verifier
from core.llm.client import Endpoint

A, B = "http://a.example/v1", "http://b.example/v1"
WRITER = {"GENERATOR": "llm", "GENERATE_LLM_URLS": [A], "GENERATE_LLM_MODELS": ["writer"]}
JUDGE = {"JUDGE_LLM_URLS": [B], "JUDGE_LLM_MODELS": ["judge"]}


@pytest.fixture(autouse=True)
def nothing_configured(settings: Settings) -> None:
    for name in ("GENERATE", "JUDGE"):
        for part in ("URLS", "MODELS", "KEYS"):
            setattr(settings, f"{name}_LLM_{part}", [])
    settings.GENERATOR, settings.VERIFIER, settings.MODE = "extractive", "checker", "confident-lite"
    settings.JUDGE_MAY_GENERATE = False
    settings.FOLLOW_UPS, settings.REWRITE_LLM_URL = "rules", ""


def faults(settings: Settings, **values: Any) -> list[tuple[str, str]]:
    for name, value in values.items():
        setattr(settings, name, value)
    return [(str(message.id), str(message.msg)) for message in check_language_models(None)]


@pytest.mark.parametrize(
    "values",
    [
        {},
        WRITER,
        WRITER | JUDGE | {"VERIFIER": "llm", "MODE": "confident"},
        WRITER | {"GENERATE_LLM_URLS": [A, B]},
        WRITER | {"GENERATE_LLM_URLS": [A, B], "GENERATE_LLM_MODELS": ["m", "n"]},
        WRITER | {"GENERATE_LLM_URLS": [A, B], "GENERATE_LLM_KEYS": ["k"]},
        WRITER | {"GENERATE_LLM_URLS": [A, B], "GENERATE_LLM_KEYS": ["", "k"]},
        JUDGE | {"MODE": "confident"},
        {"FOLLOW_UPS": "llm", "REWRITE_LLM_URL": A, "REWRITE_LLM_MODEL": "m"},
        {"GENERATE_LLM_URLS": [A], "GENERATE_LLM_MODELS": ["judge"]} | JUDGE,  # it writes nothing
        WRITER | JUDGE | {"JUDGE_LLM_MODELS": ["writer"], "JUDGE_MAY_GENERATE": True},
    ],
    ids=str,
)
def test_what_fits_starts(settings: Settings, values: dict[str, Any]) -> None:
    assert faults(settings, **values) == []


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        ({"GENERATOR": "llm"}, "E002", "MEDRAG_GENERATOR=llm needs MEDRAG_GENERATE_LLM_URL"),
        ({"MODE": "confident"}, "E002", "MEDRAG_MODE=confident needs MEDRAG_JUDGE_LLM_URL"),
        ({"FOLLOW_UPS": "llm"}, "E002", "MEDRAG_FOLLOW_UPS=llm needs MEDRAG_REWRITE_LLM_URL"),
        (JUDGE | {"FOLLOW_UPS": "llm"}, "E002", "MEDRAG_FOLLOW_UPS=llm"),
        ({"GENERATE_LLM_URLS": [A]}, "E001", "MEDRAG_GENERATE_LLM_MODEL must be set together"),
        ({"JUDGE_LLM_MODELS": ["j"]}, "E001", "MEDRAG_JUDGE_LLM_MODEL must be set together"),
        (WRITER | {"GENERATE_LLM_MODELS": ["m", "n"]}, "E001", "2 models for 1 addresses"),
        (
            WRITER | {"GENERATE_LLM_URLS": [A, B, A], "GENERATE_LLM_MODELS": ["m", "n"]},
            "E001",
            "MEDRAG_GENERATE_LLM_MODEL names 2 models for 3",
        ),
        (WRITER | {"GENERATE_LLM_KEYS": ["k", "l"]}, "E001", "KEY holds 2 keys for 1"),
        ({"JUDGE_LLM_KEYS": ["k"]}, "E001", "MEDRAG_JUDGE_LLM_KEY needs MEDRAG_JUDGE_LLM_URL"),
        (WRITER | JUDGE | {"JUDGE_LLM_MODELS": ["writer"]}, "E003", "MEDRAG_JUDGE_LLM_MODEL"),
        (WRITER | JUDGE | {"JUDGE_LLM_MODELS": ["org/Writer"]}, "E003", "org/Writer"),
        (
            WRITER | {"GENERATE_LLM_URLS": [A, B], "GENERATE_LLM_MODELS": ["m", "judge"]} | JUDGE,
            "E003",
            "judge",
        ),
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
    assert "MEDRAG_VERIFIER=llm needs MEDRAG_JUDGE_LLM_URL" in found[0].msg


def test_each_that_misses_a_model_is_named(settings: Settings) -> None:
    found = faults(settings, GENERATOR="llm", MODE="confident", FOLLOW_UPS="llm")
    assert [code for code, _ in found] == ["chat.E002"] * 3


def test_a_prompt_that_cannot_be_filled(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "judge_answer_v1.txt"
    path.write_text("$mark $question $mark")
    wrong = dataclasses.replace(judging.PROMPT, path=path)
    monkeypatch.setattr(checks, "PROMPTS", (wrong,))
    ((code, message),) = faults(settings)
    assert code == "chat.E004"
    assert "judge_answer_v1.txt must hold" in message


def test_no_fault_names_a_key(settings: Settings) -> None:
    values = WRITER | {"GENERATE_LLM_KEYS": ["key-canary", "key-canary"]}
    assert "canary" not in str(faults(settings, **values))


def test_endpoints_are_in_order_each_with_its_model_and_key(settings: Settings) -> None:
    assert generating_endpoints() == judging_endpoints() == ()
    settings.GENERATE_LLM_URLS, settings.GENERATE_LLM_MODELS = [B, A], ["m"]
    settings.GENERATE_LLM_KEYS = ["k", ""]
    settings.JUDGE_LLM_URLS, settings.JUDGE_LLM_MODELS = [A, B], ["m", "n"]
    assert generating_endpoints() == (
        Endpoint(B, "m", "k", settings="MEDRAG_GENERATE_LLM"),
        Endpoint(A, "m", "", settings="MEDRAG_GENERATE_LLM"),
    )
    assert judging_endpoints() == (
        Endpoint(A, "m", settings="MEDRAG_JUDGE_LLM"),
        Endpoint(B, "n", settings="MEDRAG_JUDGE_LLM"),
    )


def test_the_generator_is_the_one_that_is_set(settings: Settings) -> None:
    assert isinstance(site_generator(), ExtractiveGenerator)
    for name, value in WRITER.items():
        setattr(settings, name, value)
    settings.GENERATE_LLM_PRICE = (1.0, 2.0)
    generator = site_generator()
    assert isinstance(generator, LanguageModelGenerator)
    assert generator.endpoints == generating_endpoints()
    assert generator.price == (1.0, 2.0)


@pytest.mark.parametrize(("values", "loaded"), [({}, False), (WRITER, True), (JUDGE, True)])
def test_the_client_is_loaded_at_start_only_where_a_model_is_configured(
    values: dict[str, Any], loaded: bool
) -> None:
    script = (
        "import sys, django; django.setup()\n"
        "from django.conf import settings\n"
        f"for name, value in {values!r}.items(): setattr(settings, name, value)\n"
        "from chat import endpoints\n"
        "assert 'httpx' not in sys.modules\n"
        "endpoints.warm_up()\n"
        "print('httpx' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == str(loaded)
