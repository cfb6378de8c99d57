"""The chunker's settings, source and drafts, and the context line in front of each passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.language.en.titles import clean_title
from corpus.encoders.counting import CountTokens as CountTokens

Spans = tuple[tuple[int, int, int], ...]  # (page, start, end) into Page.text

MAX_CONTEXT_TOKENS = 64
# The share of an encoder's tokens that a passage may fill if the encoder is the limit: 220 of 254.
# The rest is for tokenizers that make more tokens of a text than of its parts.
SHARE_OF_ENCODER = (13, 15)


@dataclass(frozen=True)
class ChunkSettings:
    """Sizes in tokens of the embedder's tokenizer; `max_tokens` includes the context line.

    `reserved_tokens` of them are left free for a context line that is written later.
    """

    max_tokens: int = 200
    overlap_tokens: int = 40
    reserved_tokens: int = 0

    @property
    def recipe(self) -> str:
        """The sizes, as written in a fingerprint."""
        reserved = f" -{self.reserved_tokens}" if self.reserved_tokens else ""
        return f"sections {self.max_tokens}/{self.overlap_tokens}{reserved}"

    def bounded(self, encoder_tokens: int) -> ChunkSettings:
        """Return the settings, reduced in proportion if the encoder reads fewer tokens.

        Text that an encoder cuts off could never be found by its vector.
        """
        share, whole = SHARE_OF_ENCODER
        most = encoder_tokens * share // whole
        if self.max_tokens <= most:
            return self
        overlap = self.overlap_tokens * most // self.max_tokens
        return replace(self, max_tokens=most, overlap_tokens=overlap)


@dataclass(frozen=True)
class ChunkDraft:
    """A passage before it is stored; its fields are those of `corpus.models.Chunk`."""

    key: str
    index: int
    page: int
    section_path: tuple[str, ...]
    context: str
    text: str
    spans: Spans
    tokens: int


@dataclass(frozen=True)
class Source:
    """The document to cut: its pages' texts by number, its checksum, and the tokenizer."""

    texts: Mapping[int, str]
    sha256: str
    count_tokens: CountTokens

    def draft(
        self, spans: Spans, *, index: int, context: str = "", section_path: Sequence[str] = ()
    ) -> ChunkDraft:
        """Return the passage of `spans`: one at least, all on pages of this source."""
        text = "\n".join(self.texts[page][start:end] for page, start, end in spans)
        page = spans[0][0]
        return ChunkDraft(
            key=f"{self.sha256}_p{page}_c{index}",
            index=index,
            page=page,
            section_path=tuple(section_path),
            context=context,
            text=text,
            spans=spans,
            tokens=self.count_tokens(f"{context}\n{text}"),
        )


def context_line(
    title: str,
    section_path: Sequence[str],
    population: str,
    count_tokens: CountTokens,
    *,
    max_tokens: int = MAX_CONTEXT_TOKENS,
) -> str:
    """Return `title | section > subsection | population`, shortened to `max_tokens`.

    The outermost sections are dropped first, then words of the title, then the population. The line
    is embedded and indexed in front of a passage, and never quoted.
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
    """Return the path below the heading that is the title; a series may stand above that."""
    said = [clean_title(heading).casefold() for heading in path[:2]]
    own = clean_title(title).casefold()
    return path[said.index(own) + 1 :] if own in said else path
