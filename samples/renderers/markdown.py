"""A Markdown file with pipe tables."""

from collections.abc import Iterator

from samples.renderers import source
from samples.renderers.source import BANNER, Guideline


def render(guideline: Guideline) -> bytes:
    meta = guideline.meta
    parts = [
        f"# {meta.title}",
        f"**{BANNER}**",
        "\n".join(f"- {name}: {text}" for name, text in meta.facts),
        *(part for block in guideline.blocks for part in _block_parts(block)),
        f"**{BANNER}**",
    ]
    return ("\n\n".join(parts) + "\n").encode()


def _block_parts(block: source.Block) -> Iterator[str]:
    match block:
        case source.Heading(level=level, text=text):
            yield f"{'#' * (level + 1)} {text}"
        case source.Paragraph(text=text):
            yield text
        case source.Callout(text=text):
            yield f"> {text}"
        case source.Items(texts=texts, ordered=ordered):
            marks = (f"{number}." if ordered else "-" for number in range(1, len(texts) + 1))
            yield "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))
        case source.Table():
            yield f"**{block.caption}**"
            yield "\n".join(_pipe_lines(block))
            yield from block.notes
        case source.PageBreak():
            yield "---"


def _pipe_lines(table: source.Table) -> Iterator[str]:
    head, *body = table.rows
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    yield from (f"| {' | '.join(row)} |" for row in body)
