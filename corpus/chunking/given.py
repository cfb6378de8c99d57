"""Passages that came in as passages: what is one stays one, whatever its length."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.chunking.context import context_line
from corpus.chunking.types import ChunkDraft, CountTokens, Source
from corpus.parsing.published.exchanged import Passage, lay_out


def take_passages(
    passages: Sequence[Passage],
    *,
    title: str,
    population: str,
    sha256: str,
    count_tokens: CountTokens,
) -> list[ChunkDraft]:
    """Return a draft for each passage, in order, on the pages that `lay_out` makes of them."""
    layout = lay_out(passages)
    source = Source({page.number: page.text for page in layout.pages}, sha256, count_tokens)
    return [
        source.draft(
            spans,
            index=index,
            context=context_line(title, passage.section_path, population, count_tokens),
            section_path=passage.section_path,
        )
        for index, (passage, spans) in enumerate(zip(passages, layout.spans, strict=True))
    ]
