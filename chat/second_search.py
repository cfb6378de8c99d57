"""How this site searches a second time, and what names both of its searches."""

from __future__ import annotations

from django.conf import settings

from retrieval.config import RetrievalConfig, widened

REWRITES = 3  # wordings by a language model in the second search, where one is configured


def second_search(config: RetrievalConfig) -> RetrievalConfig:
    """The wider search; a language model writes wordings where one is there."""
    return widened(config, rewrites=REWRITES if settings.REWRITE_LLM_URL else 0)


def searches_fingerprint(config: RetrievalConfig, first: str) -> str:
    """Over the first search, whose fingerprint is `first`, and the second where there is one.

    A language model that is configured later changes the second search alone, and with it what a
    calibration promises.
    """
    return f"{first}:{second_search(config).fingerprint()}" if config.corrective else first
