"""The line that is embedded and indexed in front of a passage, and never quoted."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.chunking.types import CountTokens

MAX_CONTEXT_TOKENS = 64


def context_line(
    title: str,
    section_path: Sequence[str],
    population: str,
    count_tokens: CountTokens,
    *,
    max_tokens: int = MAX_CONTEXT_TOKENS,
) -> str:
    """Return `title | section > subsection | population`, shortened from the outer sections
    inwards.
    """
    path = list(section_path)
    while True:
        parts = [title, " > ".join(path), population]
        line = " | ".join(part for part in parts if part)
        if count_tokens(line) <= max_tokens:
            return line
        words = title.split()
        if path:
            path.pop(0)
        elif len(words) > 1:
            title = " ".join(words[: max(1, len(words) * 3 // 4)])
        elif population:
            population = ""
        else:
            title = title[: len(title) // 2]


def below_title(path: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return the path without a first heading that only repeats the document's title."""
    if path and " ".join(path[0].split()).casefold() == " ".join(title.split()).casefold():
        return path[1:]
    return path
