"""A PDF with a text layer: running header and footer, numbered sections, one or two columns."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from reportlab import rl_config
from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Spacer,
)
from reportlab.platypus import Paragraph as TextFlowable
from reportlab.platypus import Table as TableFlowable

from samples.renderers import source
from samples.renderers.source import BANNER, Guideline

rl_config.useA85 = 0

WIDTH, HEIGHT = A4
MARGIN = 18 * mm
TOP, BOTTOM = HEIGHT - 27 * mm, 22 * mm
GUTTER = 8 * mm
BODY_SIZE = {"one-column": 10.8, "two-column": 10.0}
INK = HexColor("#1d2a35")
GREY = HexColor("#5b6875")
RULE = HexColor("#b9c3cc")
BRAND = {
    "Northfield Hospitals": HexColor("#00566b"),
    "Eastvale Community Trust": HexColor("#5c2d73"),
}
TINT = {
    "Northfield Hospitals": HexColor("#e6f1f3"),
    "Eastvale Community Trust": HexColor("#f1eaf5"),
}


@dataclass(frozen=True)
class Look:
    """Sizes and colours of one document; `size` is the body size in points."""

    organisation: str
    size: float

    def style(self, scale: float = 1.0, *, bold: bool = False, **more: object) -> ParagraphStyle:
        size = self.size * scale
        font = "Helvetica-Bold" if bold else "Helvetica"
        settings = {
            "fontName": font,
            "fontSize": size,
            "leading": size * 1.36,
            "textColor": INK,
            **more,
        }
        return ParagraphStyle("sample", **settings)

    @property
    def brand(self) -> HexColor:
        return BRAND[self.organisation]

    @property
    def tint(self) -> HexColor:
        return TINT[self.organisation]


def render(guideline: Guideline, *, body_size: float | None = None) -> bytes:
    """Return the bytes of the PDF, the same for the same source; built twice to count the pages."""
    size = body_size or BODY_SIZE[guideline.meta.layout]
    look = Look(organisation=guideline.meta.organisation, size=size)
    _, pages = _build(guideline, look, total_pages=0)
    return _build(guideline, look, total_pages=pages)[0]


def _build(guideline: Guideline, look: Look, *, total_pages: int) -> tuple[bytes, int]:
    buffer = io.BytesIO()
    meta = guideline.meta
    template = BaseDocTemplate(
        buffer,
        pagesize=A4,
        invariant=1,
        title=meta.title,
        author=meta.issuer,
        subject=BANNER,
        lang="en-GB",
    )

    def furnish(canvas: Canvas, _: object) -> None:
        _draw_furniture(canvas, guideline, look, total_pages)

    width = _column_width(guideline)
    title = _title_block(guideline, look)
    title_height = (
        sum(part.wrap(WIDTH - 2 * MARGIN, HEIGHT)[1] + part.getSpaceAfter() for part in title) + 4
    )
    first_frames = [_frame(MARGIN, TOP - title_height, WIDTH - 2 * MARGIN, title_height)]
    first_frames += _columns(TOP - title_height, width)
    template.addPageTemplates(
        [
            PageTemplate(id="first", frames=first_frames, onPage=furnish),
            PageTemplate(id="later", frames=_columns(TOP, width), onPage=furnish),
        ]
    )
    story = [*title, FrameBreak(), NextPageTemplate("later"), *_flow(guideline, look, width)]
    template.build(story)
    return buffer.getvalue(), template.page


def _column_width(guideline: Guideline) -> float:
    full: float = WIDTH - 2 * MARGIN
    return (full - GUTTER) / 2 if guideline.meta.layout == "two-column" else full


def _columns(top: float, width: float) -> list[Frame]:
    starts = [MARGIN] if width > WIDTH / 2 else [MARGIN, MARGIN + width + GUTTER]
    return [_frame(start, BOTTOM, width, top - BOTTOM) for start in starts]


def _frame(left: float, bottom: float, width: float, height: float) -> Frame:
    return Frame(
        left, bottom, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0
    )


def _draw_furniture(canvas: Canvas, guideline: Guideline, look: Look, total_pages: int) -> None:
    meta = guideline.meta
    canvas.setFillColor(look.brand)
    canvas.rect(0, HEIGHT - 14 * mm, WIDTH, 14 * mm, stroke=0, fill=1)
    canvas.setFillColor(white)
    canvas.setFont("Helvetica-Bold", 12)
    canvas.drawString(MARGIN, HEIGHT - 9.3 * mm, meta.organisation)
    canvas.setFont("Helvetica", 8.5)
    canvas.drawRightString(
        WIDTH - MARGIN, HEIGHT - 9.2 * mm, f"{meta.code}  version {meta.version}"
    )
    canvas.setFillColor(HexColor("#9c1f1f"))
    canvas.setFont("Helvetica-Bold", 8.5)
    canvas.drawString(MARGIN, HEIGHT - 20 * mm, BANNER)
    canvas.setFillColor(GREY)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(MARGIN, 12 * mm, _shortened(meta.title, 105 * mm))
    place = f"Page {canvas.getPageNumber()} of {total_pages}"
    footer = f"Review by {source.written_date(meta.review_by)}   |   {place}"
    canvas.drawRightString(WIDTH - MARGIN, 12 * mm, footer)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.6)
    canvas.line(MARGIN, 16.5 * mm, WIDTH - MARGIN, 16.5 * mm)


def _shortened(text: str, width: float) -> str:
    while stringWidth(text, "Helvetica", 8) > width:
        text = text.rsplit(" ", 1)[0]
    return text


def _title_block(guideline: Guideline, look: Look) -> list[Flowable]:
    meta = guideline.meta
    title = TextFlowable(
        escape(meta.title), look.style(1.95, bold=True, textColor=look.brand, spaceAfter=8)
    )
    label, value = look.style(0.86, bold=True, textColor=GREY), look.style(0.86)
    rows = [
        [TextFlowable(name, label), TextFlowable(escape(text), value)] for name, text in meta.facts
    ]
    facts = TableFlowable(
        rows, colWidths=[look.size * 8.5, WIDTH - 2 * MARGIN - look.size * 8.5], hAlign="LEFT"
    )
    facts.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, -1), look.tint),
            ("TOPPADDING", (0, 0), (-1, -1), 1.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
            ("LINEABOVE", (0, 0), (-1, 0), 1.2, look.brand),
        ]
    )
    return [title, facts, Spacer(1, 8)]


def _flow(guideline: Guideline, look: Look, width: float) -> Iterator[Flowable]:
    for block in guideline.blocks:
        match block:
            case source.Heading(level=level, text=text):
                yield TextFlowable(_markup(text), _heading_style(look, level))
            case source.Paragraph(text=text):
                yield TextFlowable(_markup(text), look.style(spaceAfter=6))
            case source.Callout(text=text):
                yield _callout(text, look, width)
                yield Spacer(1, 8)
            case source.Items():
                yield _items(block, look)
            case source.Table():
                yield _table(block, look, width)
            case source.PageBreak():
                yield PageBreak()


def _heading_style(look: Look, level: int) -> ParagraphStyle:
    scale, before = (1.32, 9) if level == 1 else (1.1, 5)
    colour = look.brand if level == 1 else INK
    return look.style(
        scale, bold=True, textColor=colour, spaceBefore=before, spaceAfter=4, keepWithNext=1
    )


def _items(items: source.Items, look: Look) -> Flowable:
    body = look.style(spaceAfter=2)
    entries = [ListItem(TextFlowable(_markup(text), body)) for text in items.texts]
    kind = "1" if items.ordered else "bullet"
    indent = look.size * 1.6
    bullets = {"bulletFontSize": look.size * (0.95 if items.ordered else 0.8), "bulletColor": INK}
    start = "1" if items.ordered else "•"
    form = "%s." if items.ordered else None
    return ListFlowable(
        entries,
        bulletType=kind,
        start=start,
        bulletFormat=form,
        leftIndent=indent,
        spaceAfter=5,
        **bullets,
    )


def _callout(text: str, look: Look, width: float) -> Flowable:
    box = TableFlowable([[TextFlowable(_markup(text), look.style())]], colWidths=[width])
    box.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, -1), look.tint),
            ("LINEBEFORE", (0, 0), (0, -1), 3, look.brand),
            ("LEFTPADDING", (0, 0), (-1, -1), 9),
            ("TOPPADDING", (0, 0), (-1, -1), 5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 6),
        ]
    )
    return box


def _table(table: source.Table, look: Look, width: float) -> Flowable:
    """Caption, grid (or bare alignment) and footnotes, kept on one page."""
    head = look.style(0.88, bold=True, textColor=white if table.ruled else INK)
    cell = look.style(0.88)
    rows = [
        [TextFlowable(_markup(text), cell if n else head) for text in row]
        for n, row in enumerate(table.rows)
    ]
    grid = TableFlowable(rows, colWidths=_column_widths(table, width), repeatRows=1, hAlign="LEFT")
    grid.setStyle(
        _ruled_commands(look, len(rows)) if table.ruled else [("VALIGN", (0, 0), (-1, -1), "TOP")]
    )
    caption = TextFlowable(
        _markup(table.caption), look.style(0.92, bold=True, spaceBefore=4, spaceAfter=4)
    )
    notes = [
        TextFlowable(_markup(note), look.style(0.8, textColor=GREY, spaceBefore=1))
        for note in table.notes
    ]
    return KeepTogether([caption, grid, Spacer(1, 3), *notes, Spacer(1, 9)])


def _ruled_commands(look: Look, row_count: int) -> list[tuple[object, ...]]:
    commands: list[tuple[object, ...]] = [
        ("BACKGROUND", (0, 0), (-1, 0), look.brand),
        ("GRID", (0, 0), (-1, -1), 0.6, RULE),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 3),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
    ]
    shaded = range(2, row_count, 2)
    return commands + [("BACKGROUND", (0, row), (-1, row), look.tint) for row in shaded]


def _column_widths(table: source.Table, width: float) -> list[float]:
    """Share the width by the square root of each column's text, so that long cells wrap."""
    longest = [max(len(cell) for cell in column) for column in zip(*table.rows, strict=True)]
    word = [
        max(len(part) for cell in column for part in cell.split())
        for column in zip(*table.rows, strict=True)
    ]
    weights = [max(length**0.62, part * 0.9) for length, part in zip(longest, word, strict=True)]
    return [width * weight / sum(weights) for weight in weights]


def _markup(text: str) -> str:
    tags = {"plain": "{}", "bold": "<b>{}</b>", "mark": "<super>{}</super>"}
    return "".join(tags[kind].format(escape(part)) for kind, part in source.inline_runs(text))
