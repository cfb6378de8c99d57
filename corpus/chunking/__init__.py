"""Cut blocks into passages. Pure: no Django, no model; the tokenizer is passed as a function.

Near-duplicates of passages are found here too; statements are cut in `corpus/statements/`.
"""

from __future__ import annotations

from corpus.chunking.sections import split
from corpus.chunking.types import (
    MAX_CONTEXT_TOKENS,
    ChunkDraft,
    ChunkSettings,
    CountTokens,
    context_line,
)

CHUNKER_VERSION = "sections-7"

__all__ = [
    "CHUNKER_VERSION",
    "MAX_CONTEXT_TOKENS",
    "ChunkDraft",
    "ChunkSettings",
    "CountTokens",
    "context_line",
    "split",
]
