"""Checks of the language models that write and judge answers, before every command and start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from chat.endpoints import GENERATE, JUDGE, TEACHER, endpoints_fault
from chat.generation import language_model
from chat.question import follow_ups
from chat.verification import answer_judge as judging

REWRITE = "MEDRAG_REWRITE_LLM"  # as GENERATE and JUDGE
PROMPTS = (language_model.PROMPT, judging.PROMPT, follow_ups.PROMPT)


@register("chat")
def check_language_models(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse to start with half a language model, or with one that judges what it wrote."""
    found: list[CheckMessage] = [
        Error(fault, hint="Leave them out to answer without a language model.", id="chat.E001")
        for fault in _settings_faults()
    ]
    for fault in _missing_faults():
        hint = "Set the endpoint's address and model, or leave the setting out."
        found.append(Error(fault, hint=hint, id="chat.E002"))
    if fault := _same_model_fault():
        hint = (
            "Name another model, or set MEDRAG_JUDGE_MAY_GENERATE=true: "
            "a model overlooks its own errors more often than another's."
        )
        found.append(Error(fault, hint=hint, id="chat.E003"))
    for wrong in filter(None, (prompt.fault() for prompt in PROMPTS)):
        hint = "Restore the file from the release."
        found.append(Error(f"The prompt {wrong}", hint=hint, id="chat.E004"))
    return found


def _settings_faults() -> list[str]:
    generating = endpoints_fault(
        GENERATE,
        settings.GENERATE_LLM_URLS,
        settings.GENERATE_LLM_MODELS,
        settings.GENERATE_LLM_KEYS,
    )
    judging = endpoints_fault(
        JUDGE, settings.JUDGE_LLM_URLS, settings.JUDGE_LLM_MODELS, settings.JUDGE_LLM_KEYS
    )
    named = settings.TEACHER_LLM_URL, settings.TEACHER_LLM_MODEL, settings.TEACHER_LLM_KEY
    teaching = endpoints_fault(TEACHER, *([value] if value else [] for value in named))
    return [fault for fault in (generating, judging, teaching) if fault]


def _missing_faults() -> list[str]:
    """A sentence for each use of a model that no setting names; `checks_verifier` has its own."""
    found = []
    if settings.GENERATOR == "llm" and not settings.GENERATE_LLM_URLS:
        found.append(f"MEDRAG_GENERATOR=llm needs {GENERATE}_URL and {GENERATE}_MODEL.")
    if settings.MODE == "confident" and not settings.JUDGE_LLM_URLS:
        found.append(f"MEDRAG_MODE=confident needs {JUDGE}_URL and {JUDGE}_MODEL.")
    if settings.FOLLOW_UPS == "llm" and not settings.REWRITE_LLM_URL:
        found.append(f"MEDRAG_FOLLOW_UPS=llm needs {REWRITE}_URL and {REWRITE}_MODEL.")
    return found


def _same_model_fault() -> str:
    """A sentence where a model that writes answers would judge them, by its name alone.

    The same model behind another address is the same; so is one with the maker's name before it.
    """
    if settings.GENERATOR != "llm" or settings.JUDGE_MAY_GENERATE:
        return ""
    writing = {_plain(model) for model in settings.GENERATE_LLM_MODELS}
    for model in settings.JUDGE_LLM_MODELS:
        if _plain(model) in writing:
            return f"{JUDGE}_MODEL: {model} writes answers by {GENERATE}_MODEL."
    return ""


def _plain(model: str) -> str:
    return model.casefold().rsplit("/", 1)[-1]
