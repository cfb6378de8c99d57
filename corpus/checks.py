"""Check models and prompts before every command and start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from corpus.encoders.registry import configured_specs, facts_for
from corpus.indexing import context_lines
from corpus.parsing.engines import models_fault


@register("corpus")
def check_models(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Report models that can't be used, without loading weights."""
    messages: list[CheckMessage] = []
    try:
        for spec in configured_specs():
            facts_for(spec)
    except ImproperlyConfigured as error:
        hint = "Name the folder of a sentence-transformers model, or leave it out for the bundled."
        messages.append(Error(str(error), hint=hint, id="corpus.E004"))
    if settings.DOCLING_ARTIFACTS_PATH and (wrong := models_fault()):
        hint = "Without it the layout engine of this project reads PDFs."
        messages.append(Error(f"DOCLING_ARTIFACTS_PATH: {wrong}", hint=hint, id="corpus.E005"))
    return messages


@register("corpus")
def check_prompts(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Report a prompt that its code can't fill."""
    wrong = context_lines.PROMPT.fault()
    hint = "Restore the file from the release."
    return [Error(f"The prompt {wrong}", hint=hint, id="corpus.E007")] if wrong else []
