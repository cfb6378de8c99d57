"""The configuration of this site: the defaults, and what MEDRAG_RETRIEVAL says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from retrieval.config import RetrievalConfig, config_from
from retrieval.rerank.configured import reranker_fault


def site_config() -> RetrievalConfig:
    """Raises ValueError where the setting can't be read; a check at start has said so before."""
    return _read(settings.RETRIEVAL)


_read = lru_cache(maxsize=8)(config_from)


@register("retrieval")
def check_retrieval(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    try:
        config = site_config()
    except ValueError as error:
        hint = "Leave it out for the defaults."
        return [Error(f"MEDRAG_RETRIEVAL: {error}.", hint=hint, id="retrieval.E001")]
    if fault := reranker_fault(config):
        hint = "Leave reranker= out of MEDRAG_RETRIEVAL to keep the order of the fusion."
        return [Error(fault, hint=hint, id="retrieval.E002")]
    return []
