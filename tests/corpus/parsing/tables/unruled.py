"""Draw tables without inner rules in several ways, and pages that only look like them."""

from collections.abc import Sequence

from reportlab.pdfgen.canvas import Canvas

from tests.corpus.parsing import parsing_fixtures as fixtures

Rows = Sequence[Sequence[str]]
LEFT, RIGHT = 54.0, 540.0


def aligned(
    rows: Rows,
    xs: Sequence[float],
    *,
    rules: str = "",
    bold: int = 1,
    apart: float = 6,
    size: float = 9,
    top: float = 700,
) -> fixtures.Draw:
    """Draw rows whose cells begin at `xs`; their lines are parted by newlines.

    The first `bold` rows are bold, and `apart` points part the rows. `rules`: a frame (`f`), or
    level rules above and below (`o`) and below the labels (`l`).
    """

    def draw(canvas: Canvas) -> None:
        y, below_labels = top, 0.0
        for at, row in enumerate(rows):
            canvas.setFont("Helvetica-Bold" if at < bold else "Helvetica", size)
            cells = [cell.split("\n") for cell in row]
            for x, lines in zip(xs, cells, strict=False):
                for number, line in enumerate(lines):
                    canvas.drawString(x, y - 1.2 * size * number, line)
            y -= 1.2 * size * max(map(len, cells)) + apart
            below_labels = below_labels or y + size + apart / 2
        bottom = y + apart
        if "f" in rules:
            canvas.rect(LEFT, bottom, RIGHT - LEFT, top + 2 * size - bottom)
        levels = [top + 1.3 * size, bottom] if "o" in rules else []
        for level in [*levels, *([below_labels] if "l" in rules else [])]:
            canvas.line(LEFT, level, RIGHT, level)

    return draw


def as_printed(rows: Rows, *, labels: int = 1) -> str:
    """Return rows in the notation of `tree_notation`."""
    lines = [" | ".join(cell.replace("\n", " ") for cell in row).rstrip() for row in rows]
    return "\n".join(f"  {'|' if at >= labels else '='} {line}" for at, line in enumerate(lines))
