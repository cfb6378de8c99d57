"""Blocks to passages. Pure: no Django, no model; the tokenizer comes in as a function."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.chunking.contents import without_contents
from corpus.chunking.context import MAX_CONTEXT_TOKENS, context_line
from corpus.chunking.sections import split_sections
from corpus.chunking.types import ChunkDraft, ChunkSettings, CountTokens
from corpus.parsing.types import Page

CHUNKER_VERSION = "sections-6"

__all__ = [
    "CHUNKER_VERSION",
    "MAX_CONTEXT_TOKENS",
    "ChunkDraft",
    "ChunkSettings",
    "CountTokens",
    "context_line",
    "split",
]


def split(
    pages: Sequence[Page],
    *,
    title: str,
    population: str,
    sha256: str,
    settings: ChunkSettings,
    count_tokens: CountTokens,
) -> list[ChunkDraft]:
    """Return the passages in reading order, tables of contents left out; none without text."""
    return split_sections(
        without_contents(pages),
        title=title,
        population=population,
        sha256=sha256,
        settings=settings,
        count_tokens=count_tokens,
    )
