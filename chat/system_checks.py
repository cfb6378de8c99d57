"""Stop the start when a configured language model or verifier can't work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from chat.generation import language_model
from chat.question import follow_ups
from chat.reader.pair_scorer import reader_fault
from chat.verification import answer_judge as judging
from chat.verification.entailment.configured import verifier_fault

PROMPTS = (language_model.PROMPT, judging.PROMPT, follow_ups.PROMPT)


@register("chat")
def check_language_models(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Report a required language model that is missing, or one that would judge itself."""
    messages: list[CheckMessage] = []
    for fault in _missing_faults():
        hint = "Add that table with url and model, or leave the setting out."
        messages.append(Error(fault, hint=hint, id="chat.E002"))
    if fault := _same_model_fault():
        hint = (
            "Name another model, or write may_generate = true below it: "
            "a model overlooks its own errors more often than another's."
        )
        messages.append(Error(fault, hint=hint, id="chat.E003"))
    if fault := reader_fault():
        hint = "Restore the folder, or remove [reader] to use the bundled one."
        messages.append(Error(fault, hint=hint, id="chat.E006"))
    for wrong in filter(None, (prompt.fault() for prompt in PROMPTS)):
        hint = "Restore the file from the release."
        messages.append(Error(f"The prompt {wrong}", hint=hint, id="chat.E004"))
    return messages


@register("chat")
def check_verifier(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Report a verifier whose model is missing or can't be read."""
    fault = verifier_fault(settings.VERIFIER)
    hint = "Or leave MEDRAG_VERIFIER out: the bundled checker needs no setting."
    return [Error(fault, hint=hint, id="chat.E040")] if fault else []


def _missing_faults() -> list[str]:
    """Return a sentence for each use of a model that is not configured."""
    faults, models = [], settings.MODELS
    if settings.GENERATOR == "llm" and not models.generate:
        faults.append("MEDRAG_GENERATOR=llm needs [generate] of MEDRAG_MODELS.")
    if settings.MODE == "confident" and not models.judge:
        faults.append("MEDRAG_MODE=confident needs [judge] of MEDRAG_MODELS.")
    if settings.FOLLOW_UPS == "llm" and not models.rewrite.url:
        faults.append("MEDRAG_FOLLOW_UPS=llm needs [rewrite] of MEDRAG_MODELS.")
    return faults


def _same_model_fault() -> str:
    """Return a sentence where a model would judge its own answers, going by its name.

    The same name at another address is the same model; so is one with a vendor prefix.
    """
    if settings.GENERATOR != "llm":
        return ""
    writing = {_plain(endpoint.model) for endpoint in settings.MODELS.generate}
    for judge in settings.MODELS.judge:
        if _plain(judge.model) in writing and not judge.may_generate:
            return f"{judge.place('model')}: {judge.model} writes answers by [generate]."
    return ""


def _plain(model: str) -> str:
    return model.casefold().rsplit("/", 1)[-1]
