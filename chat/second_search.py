"""How this site searches a second time, or to explain a refusal, and what names its searches."""

from __future__ import annotations

from dataclasses import replace

from retrieval.config import RetrievalConfig, widened
from retrieval.generated import rewriting_fingerprint
from retrieval.types import Trace


def second_search(config: RetrievalConfig, first: Trace | None = None) -> RetrievalConfig:
    """The wider search. It has the wordings that a language model wrote for the first.

    They are kept, so that it asks the model for none. What the model did not give for `first` is
    not asked for again: a question waits for it once.
    """
    wide = widened(config)
    return wide if first is None else _with_what_was_written(wide, first)


def explaining_search(config: RetrievalConfig) -> RetrievalConfig:
    """The search that only says why there is a refusal: it asks no model but the encoders."""
    return replace(config, multi_query=0, hyde=False, reranker="none")


def searches_fingerprint(config: RetrievalConfig, first: str) -> str:
    """Over the first search, whose fingerprint is `first`, and the second where there is one."""
    if not config.corrective:
        return first
    wide = second_search(config)
    return f"{first}:{wide.fingerprint(rewriting_fingerprint(wide))}"


def _with_what_was_written(config: RetrievalConfig, first: Trace) -> RetrievalConfig:
    names = [variant.name for variant in first.variants]
    wrote = any(name.startswith("llm:") for name in names)
    return replace(
        config,
        multi_query=config.multi_query if wrote else 0,
        hyde=config.hyde and "hyde" in names,
    )
