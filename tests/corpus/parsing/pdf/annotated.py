"""Write a PDF of one page with an annotation, by hand, so that every byte is known."""

from collections.abc import Sequence
from pathlib import Path

from corpus.parsing.types import Box
from tests.corpus.parsing import parsing_fixtures as fixtures

NOTE = (72.0, 640.0, 400.0, 660.0)
WHITE = "1 1 1 rg 0 0 {w} {h} re f"

Written = tuple[int, int, str]  # the height of a line on the page, its font's size, its words


def shown(words: str) -> str:
    """Return how an annotation paints words."""
    return f"BT /F1 11 Tf 2 5 Td ({words}) Tj ET"


def annotated(
    path: Path,
    lines: Sequence[Written],
    kind: str = "",
    more: str = "",
    paint: str = "",
    *,
    drawn: str = "",
    box: Box = NOTE,
    turn: int = 0,
) -> Path:
    """Write a page with an annotation, its appearance `paint`, and what is drawn on the page.

    `more` are further entries of the annotation. What is drawn comes after the lines of text, which
    are written in the place of `TEXT` if it holds that.
    """
    x0, y0, x1, y1 = box
    wide, tall = x1 - x0, y1 - y0
    font = "/Resources << /Font << /F1 4 0 R >> >>"
    texts = "".join(f"BT /F1 {size} Tf 72 {y} Td ({said}) Tj ET\n" for y, size, said in lines)
    page = drawn.replace("TEXT", texts) if "TEXT" in drawn else texts + drawn
    looks = paint.format(w=wide, h=tall)
    form = f"/Type /XObject /Subtype /Form /BBox [0 0 {wide} {tall}] {font} /Length {len(looks)}"
    normal = "/AP << /N 6 0 R >>" if paint else ""
    note = f"/Rect [{x0} {y0} {x1} {y1}] /F 4 {normal} {more}"
    annots = "/Annots [7 0 R]" if kind else ""
    return fixtures.written_pdf(
        path,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate {turn} {font} "
        f"/Contents 5 0 R {annots} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Length {len(page)} >>\nstream\n{page}\nendstream",
        f"<< {form} >>\nstream\n{looks}\nendstream",
        f"<< /Type /Annot /Subtype /{kind or 'Link'} {note} >>",
    )
