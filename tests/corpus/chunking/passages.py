"""Check what must hold of the passages of every document."""

from collections.abc import Sequence

from corpus.chunking import ChunkDraft, ChunkSettings, CountTokens, split
from corpus.parsing.types import BlockKind, Page, ParsedDocument


def passages_of(document: ParsedDocument, settings: ChunkSettings) -> list[ChunkDraft]:
    """Cut a document as `settings` say, a token being a word."""
    return split(
        document.pages,
        title=document.title,
        population="",
        sha256="f" * 64,
        settings=settings,
        count_tokens=lambda text: len(text.split()),
    )


def check_passages(
    found: Sequence[ChunkDraft],
    pages: Sequence[Page],
    *,
    title: str,
    settings: ChunkSettings,
    count_tokens: CountTokens,
) -> None:
    """Assert that spans are true, keys count up, sizes are kept and no character is lost."""
    texts = {page.number: page.text for page in pages}
    for index, chunk in enumerate(found):
        assert chunk.index == index
        assert chunk.key.endswith(f"_p{chunk.page}_c{index}")
        pieces = [texts[page][start:end] for page, start, end in chunk.spans]
        assert chunk.text == "\n".join(pieces)
        assert all(piece == piece.strip() != "" for piece in pieces)
        assert chunk.page == chunk.spans[0][0]
        assert chunk.tokens == count_tokens(f"{chunk.context}\n{chunk.text}")
        assert chunk.tokens <= settings.max_tokens - settings.reserved_tokens
    for page in pages:
        assert not lost(found, page, title=title)


def lost(found: Sequence[ChunkDraft], page: Page, *, title: str) -> str:
    """Return the page's characters in no passage, without headings that are context of one."""
    above = {squeezed(part) for chunk in found for part in chunk.section_path} | {squeezed(title)}
    covered = {
        place
        for chunk in found
        for number, start, end in chunk.spans
        if number == page.number
        for place in range(start, end)
    }
    for block in page.blocks:
        if (
            block.kind is BlockKind.HEADING
            and squeezed(page.text[block.start : block.end]) in above
        ):
            covered.update(range(block.start, block.end))
    return "".join(
        character
        for place, character in enumerate(page.text)
        if place not in covered and not character.isspace()
    )


def squeezed(text: str) -> str:
    return " ".join(text.split()).casefold()
