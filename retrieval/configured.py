"""Build the site's retrieval configuration: the defaults, changed by MEDRAG_RETRIEVAL."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from core.errors import MedragError
from core.llm.client import silence_of
from corpus.encoders.registry import configured_specs
from retrieval.config import RetrievalConfig, config_from
from retrieval.prepared.site_concepts import concepts_fault
from retrieval.rerank.configured import reranker_fault, reranker_for
from retrieval.rerank.types import Passage
from retrieval.rewriting.asking import rewrite_endpoint
from retrieval.rewriting.generated import PROMPTS

TRIED_FOR_S = 30.0  # a server may load its model with the first question


def site_config() -> RetrievalConfig:
    """Return the site's configuration. Raises ValueError if the setting can't be parsed."""
    return _read(settings.RETRIEVAL)


_read = lru_cache(maxsize=8)(config_from)


@register("retrieval")
def check_retrieval(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    try:
        config = site_config()
    except ValueError as error:
        hint = "Leave it out for the defaults."
        return [Error(f"MEDRAG_RETRIEVAL: {error}.", hint=hint, id="retrieval.E001")]
    if fault := concepts_fault():
        hint = "Leave it out to know the concepts of the lexicon."
        return [Error(fault, hint=hint, id="retrieval.E008")]
    return config_faults(config)


def config_faults(config: RetrievalConfig) -> list[CheckMessage]:
    """Return the checks that fail for this configuration with the site's settings."""
    if fault := _encoders_fault(config):
        hint = "Leave encoders= out of MEDRAG_RETRIEVAL to search with every encoder there is."
        return [Error(fault, hint=hint, id="retrieval.E007")]
    if fault := reranker_fault(config):
        hint = "Leave reranker= out of MEDRAG_RETRIEVAL to keep the order of the fusion."
        return [Error(fault, hint=hint, id="retrieval.E005")]
    if config.summaries and settings.SUMMARIES == "none":
        message = "MEDRAG_RETRIEVAL: summaries needs MEDRAG_SUMMARIES, which says what makes them."
        hint = "Set it to extractive, and run manage.py summarise, or leave the switch out."
        return [Error(message, hint=hint, id="retrieval.E006")]
    return _rewriting_faults(config)


def endpoints_silence(config: RetrievalConfig) -> str:
    """Return a sentence naming an endpoint of this configuration that doesn't answer; else empty.

    Asks each endpoint once. Called before hours of searches that would otherwise run without it.
    """
    if config.reranker in ("http", "llm"):
        probe = Passage("probe", "", "A passage that is read to see whether the reranker answers.")
        try:
            reranker_for(config).score("metformin", [probe], timeout_s=TRIED_FOR_S)
        except MedragError as error:
            return f"The reranker {error}. Check [rerank] of MEDRAG_MODELS."
    if config.multi_query or config.hyde:
        return silence_of(rewrite_endpoint(TRIED_FOR_S))
    return ""


def _encoders_fault(config: RetrievalConfig) -> str:
    """Return a sentence where a configured encoder doesn't exist here; else empty."""
    try:
        known = [spec.name for spec in configured_specs()]
    except ImproperlyConfigured:
        return ""  # corpus.E004 says so
    unknown = [name for name in config.encoders if name not in known]
    if not unknown:
        return ""
    return f"MEDRAG_RETRIEVAL: encoders={unknown[0]} is none of {', '.join(known)}."


def _rewriting_faults(config: RetrievalConfig) -> list[CheckMessage]:
    """Return checks for a missing rewriting model and for prompts that can't be filled."""
    faults: list[CheckMessage] = []
    if (config.multi_query or config.hyde) and not settings.MODELS.rewrite.url:
        message = "MEDRAG_RETRIEVAL: multi_query and hyde need [rewrite] of MEDRAG_MODELS."
        hint = "Add that table with url and model, or leave both switches out."
        faults.append(Error(message, hint=hint, id="retrieval.E003"))
    for wrong in filter(None, (prompt.fault() for prompt in PROMPTS)):
        hint = "Restore the file from the release."
        faults.append(Error(f"The prompt {wrong}", hint=hint, id="retrieval.E004"))
    return faults
