"""The language models that write answers, judge them and teach, as the settings name them."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from core.llm import client as language_model
from core.llm.client import Endpoint

# How their settings begin.
GENERATE, JUDGE, TEACHER = "MEDRAG_GENERATE_LLM", "MEDRAG_JUDGE_LLM", "MEDRAG_TEACHER_LLM"


def generating_endpoints() -> tuple[Endpoint, ...]:
    """In order of preference; none where no address is set. A check at start has said what fits."""
    return _endpoints(
        GENERATE,
        settings.GENERATE_LLM_URLS,
        settings.GENERATE_LLM_MODELS,
        settings.GENERATE_LLM_KEYS,
    )


def judging_endpoints() -> tuple[Endpoint, ...]:
    """The same of those that judge."""
    return _endpoints(
        JUDGE, settings.JUDGE_LLM_URLS, settings.JUDGE_LLM_MODELS, settings.JUDGE_LLM_KEYS
    )


def teaching_endpoint() -> Endpoint | None:
    """Return the one that labels claims for others to learn from; none where none is set.

    Never another in its place, and never two: labels of two models are not to be compared.
    """
    if not settings.TEACHER_LLM_URL:
        return None
    named = settings.TEACHER_LLM_URL, settings.TEACHER_LLM_MODEL, settings.TEACHER_LLM_KEY
    return Endpoint(*named, settings=TEACHER)


def warm_up() -> None:
    """Load the client, where a model is configured that writes or judges answers."""
    if settings.GENERATE_LLM_URLS or settings.JUDGE_LLM_URLS:
        language_model.warm_up()


def endpoints_fault(
    begins: str, urls: Sequence[str], models: Sequence[str], keys: Sequence[str]
) -> str:
    """What does not fit together of these settings, as a sentence; empty where all does."""
    if bool(urls) != bool(models):
        return f"{begins}_URL and {begins}_MODEL must be set together."
    if len(models) not in (0, 1, len(urls)):
        return f"{begins}_MODEL names {len(models)} models for {len(urls)} addresses."
    if keys and not urls:
        return f"{begins}_KEY needs {begins}_URL."
    if len(keys) not in (0, 1, len(urls)):
        return f"{begins}_KEY holds {len(keys)} keys for {len(urls)} addresses."
    return ""


def _endpoints(
    begins: str, urls: Sequence[str], models: Sequence[str], keys: Sequence[str]
) -> tuple[Endpoint, ...]:
    return tuple(
        Endpoint(url, model, key, settings=begins)
        for url, model, key in zip(
            urls, _each(models, urls), _each(keys or [""], urls), strict=True
        )
    )


def _each(values: Sequence[str], urls: Sequence[str]) -> Sequence[str]:
    """One value for each address, where there is one for all of them."""
    return list(values) * len(urls) if len(values) == 1 else values
