"""Ask the language model of the role [rewrite], while a person waits for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from core.llm.breaker import Breaker, breaker_of
from core.llm.client import Endpoint, ask_json, is_away
from core.llm.prompt_files import Prompt

RETRIES = 1
MIN_TIME_S = 0.2  # with less no call is begun


def rewrite_endpoint(timeout_s: float) -> Endpoint:
    return replace(settings.MODELS.rewrite, timeout_s=timeout_s)


def unconfigured_reason(timeout_s: float) -> str:
    """Say why no model can be asked within this time; empty if one can."""
    if not settings.MODELS.rewrite.url:
        return "MEDRAG_MODELS names no [rewrite]."
    return "no time is left for a language model." if timeout_s < MIN_TIME_S else ""


def skipped_reason() -> str:
    """Say why the circuit breaker skips the model; if empty, the model must be asked now."""
    refusal = _breaker().refusal()
    return f"{refusal}." if refusal else ""


def rewrite_asked(
    prompt: Prompt,
    values: Mapping[str, str],
    *,
    field: str,
    schema: Mapping[str, Any],
    max_tokens: int,
    timeout_s: float,
) -> Any:
    """Return the answer's value of `field`, which fits `schema`. Uses no database.

    Raises LanguageModelUnavailable.
    """
    with _breaker().watched(is_away):
        answer = ask_json(
            rewrite_endpoint(timeout_s),
            prompt=prompt.filled(**values),
            schema={
                "type": "object",
                "properties": {field: schema},
                "required": [field],
                "additionalProperties": False,
            },
            name=field,
            max_tokens=max_tokens,
            retries=RETRIES,
        )
    return answer[field]


def _breaker() -> Breaker:
    endpoint = settings.MODELS.rewrite
    return breaker_of("rewrite", endpoint.url, endpoint.model)
