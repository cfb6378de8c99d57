"""Make files for the parser's tests on the spot, so that every byte is known."""

import io
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

from corpus.parsing.registry import Request, parse_file
from corpus.parsing.selfcheck.pages import WORDS_NOT_FOUND
from corpus.parsing.sniff import media_type_of
from corpus.parsing.types import Doubt, Page, ParsedDocument
from tests.published import DATA

A4 = (595.0, 842.0)
PAPERS = DATA / "papers"
SAMPLES = Path(__file__).parents[3] / "samples" / "guidelines"

LEFT = (
    "The first column starts here and goes on with plain text that",
    "fills its whole width, so that a gutter can be seen beside it",
    "by whoever looks. This sentence is divided by a hyphen, as algo-",
    "rithms often are, and by an X-",
    "ray that keeps its own. The last words of the left column run",
    "on to the top of the right one without an end, because they",
)
RIGHT = (
    "are followed by this line, which ends the sentence there. The",
    "right column then says that algorithms should read downwards",
    "before they read across, that an X-ray stays an X-ray, and that",
    "nothing of the left column stands between its lines, however",
    "closely the lines of both columns stand beside each other on",
    "the page. That is all that there is to say about it here.",
)
DOSES = (
    ("Weight (kg)", "Dose", "Interval"),
    ("Less than 50", "20 mg", "Once daily"),
    ("50 to 99", "40 mg", "Once daily"),
    ("100 or more", "60 mg", "Twice daily"),
)

Draw = Callable[[Canvas], None]


def make_pdf(path: Path, *draws: Draw, encrypt: StandardEncryption | None = None) -> Path:
    """Write a PDF with a page for each function."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1, encrypt=encrypt)
    for draw in draws:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return path


def read_pdf(folder: Path, *draws: Draw) -> ParsedDocument:
    """Parse a PDF with a page for each function."""
    return read(make_pdf(folder / "a.pdf", *draws), folder)


def read_page(folder: Path, *draws: Draw) -> Page:
    """Parse a PDF of one page, on which all these functions draw."""
    (page,) = read_pdf(folder, together(*draws)).pages
    return page


def read_text(folder: Path, text: str, name: str = "a.html") -> ParsedDocument:
    """Parse a file of this text."""
    (folder / name).write_text(text, encoding="utf-8")
    return read(folder / name, folder)


def read_saved(folder: Path, file: Any, name: str = "a.docx") -> ParsedDocument:
    """Parse what a Word file, a presentation or a workbook is saved as."""
    file.save(str(folder / name))
    return read(folder / name, folder)


def read(path: Path, folder: Path) -> ParsedDocument:
    document = parse(path, folder / "out")
    assert_contract(document)
    return document


def together(*draws: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        for each in draws:
            each(canvas)

    return draw


def at(y: float, *lines: str, x: float = 60, size: float = 10, font: str = "Helvetica") -> Draw:
    """Return a function that writes lines, the first of them `y` points above the foot."""
    return lambda canvas: write_lines(canvas, lines, x=x, y=y, size=size, font=font)


def heading(y: float, text: str, *, size: float = 14) -> Draw:
    return at(y, text, size=size, font="Helvetica-Bold")


def write_lines(
    canvas: Canvas,
    lines: Sequence[str],
    *,
    x: float = 60,
    y: float = 700,
    size: float = 10,
    font: str = "Helvetica",
) -> None:
    canvas.setFont(font, size)
    for index, line in enumerate(lines):
        canvas.drawString(x, y - index * size * 1.2, line)


def write_heading(canvas: Canvas, text: str, *, y: float, size: float = 14) -> None:
    write_lines(canvas, [text], y=y, size=size, font="Helvetica-Bold")


def two_columns(canvas: Canvas) -> None:
    write_heading(canvas, "A title that spans both columns of the page", y=760, size=18)
    write_lines(canvas, LEFT, size=8)
    write_lines(canvas, RIGHT, x=320, y=703, size=8)


def dosing_table(*, ruled: bool) -> Draw:
    """Return a function that draws a caption, the table `DOSES` and a note."""

    def draw(canvas: Canvas) -> None:
        write_heading(canvas, "1 Dose", y=760)
        write_lines(canvas, ["Give the dose in Table 1 under the skin."], y=735)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(60, 700, "Table 1. Dose by weight")
        table = Table([list(row) for row in DOSES], colWidths=[150, 120, 120], rowHeights=18)
        style: list[Any] = [("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9)]
        if ruled:
            style.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
        table.setStyle(TableStyle(style))
        table.wrapOn(canvas, 400, 200)
        table.drawOn(canvas, 60, 615)
        write_lines(canvas, ["* Reassess every day."], y=600, size=8)
        write_lines(canvas, ["Measure the platelet count in the second week."], y=570)

    return draw


def plain_page(text: str) -> Draw:
    sentence = f"This page speaks of {text} and of nothing else at all."
    return together(heading(760, f"2 About {text}"), at(735, sentence))


def office_zip(path: Path, parts: dict[str, bytes]) -> Path:
    """Write a zip that passes for a Word file, with more parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b"<Types/>")
        archive.writestr("word/document.xml", b"<document/>")
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def written_pdf(path: Path, *objects: str) -> Path:
    """Write a PDF of these objects, the first of them its catalog, numbered from 1."""
    body, places = "%PDF-1.7\n", []
    for number, written in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{written}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    path.write_text(f"{body}{end}startxref\n{len(body)}\n%%EOF\n", encoding="ascii")
    return path


def picture_pdf(path: Path, source: Path, *, turn: int = 0) -> Path:
    """Write a PDF whose only page is a picture of the first page of `source`."""
    import pypdfium2
    from reportlab.lib.utils import ImageReader

    picture = pypdfium2.PdfDocument(source)[0].render(scale=2.5).to_pil().convert("L")
    stream = io.BytesIO()
    picture.rotate(turn, expand=True).save(stream, "PNG")
    stream.seek(0)
    canvas = Canvas(str(path), pagesize=A4 if turn % 180 == 0 else A4[::-1], invariant=1)
    canvas.drawImage(ImageReader(stream), 0, 0, *canvas._pagesize)
    canvas.showPage()
    canvas.save()
    return path


def parse(path: Path, output_dir: Path, *, max_pages: int = 100) -> ParsedDocument:
    """Parse in this process, which is quicker than a child and shows tracebacks."""
    output_dir.mkdir(exist_ok=True)
    media_type = media_type_of(path, path.name)
    return parse_file(Request(path, media_type, output_dir, max_pages, lambda done, total: None))


@cache
def read_sample(name: str) -> ParsedDocument:
    """Parse one of the samples, once for all tests: a scan takes seconds a page."""
    with tempfile.TemporaryDirectory() as folder:
        return parse(SAMPLES / name, Path(folder))


def block_texts(page: Page) -> list[tuple[str, str]]:
    return [(block.kind.value, page.text[block.start : block.end]) for block in page.blocks]


def unsure(page: Page) -> list[Doubt]:
    """Return the doubts of the layout, without those of the reader's self-check."""
    return [doubt for doubt in page.doubts if doubt.code != WORDS_NOT_FOUND]


def assert_contract(document: ParsedDocument) -> None:
    """Check what `types.py` promises of offsets and boxes."""
    for expected, page in enumerate(document.pages, start=1):
        assert page.number == expected
        texts = [page.text[block.start : block.end] for block in page.blocks]
        assert page.text == "\n".join(texts)
        assert all(texts)
        for block in page.blocks:
            assert block.level == 0 or block.kind in ("heading", "list_item")
            assert block.level > 0 or block.kind != "heading"
            for line in block.lines:
                assert block.start <= line.start < line.end <= block.end
                left, top, right, bottom = line.box
                assert 0 <= left < right <= page.width + 1
                assert 0 <= top < bottom <= page.height + 1
            if block.table is not None:
                for row in block.table.rows:
                    assert page.text[row.start : row.end] == " | ".join(row.cells)
                    assert len(row.cells) == len(block.table.rows[0].cells)


needs_papers = pytest.mark.skipif(
    not PAPERS.is_dir(), reason=f"no real papers in {PAPERS}; set MEDRAG_SHARED_DATA"
)
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample guidelines are absent")
