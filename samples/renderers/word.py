"""A DOCX file with real heading styles, lists and tables, byte-identical on every run."""

import datetime
import io
import zipfile

from docx import Document
from docx.document import Document as DocumentObject
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from docx.table import _Cell
from docx.text.paragraph import Paragraph

from samples.renderers import source
from samples.renderers.source import BANNER, Guideline

FIXED_TIME = datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC)
FIXED_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def render(guideline: Guideline) -> bytes:
    """Return the bytes of the DOCX file, the same for the same source."""
    document = Document()
    document.styles["Normal"].font.name = "Arial"
    document.styles["Normal"].font.size = Pt(10.5)
    _set_properties(document, guideline)
    _add_furniture(document, guideline)
    document.add_heading(guideline.meta.title, level=0)
    for name, text in guideline.meta.facts:
        _add_runs(document.add_paragraph(), f"**{name}:** {text}")
    for block in guideline.blocks:
        _add_block(document, block)
    buffer = io.BytesIO()
    document.save(buffer)
    return _with_fixed_dates(buffer)


def _set_properties(document: DocumentObject, guideline: Guideline) -> None:
    properties = document.core_properties
    properties.title, properties.author = guideline.meta.title, guideline.meta.issuer
    properties.subject, properties.comments = BANNER, ""
    properties.created = properties.modified = FIXED_TIME
    properties.last_modified_by, properties.revision = guideline.meta.issuer, 1


def _add_furniture(document: DocumentObject, guideline: Guideline) -> None:
    meta, section = guideline.meta, document.sections[0]
    section.header.paragraphs[0].text = f"{meta.organisation}\t\t{meta.code} version {meta.version}"
    banner = section.header.add_paragraph().add_run(BANNER)
    banner.bold, banner.font.color.rgb = True, RGBColor(0x9C, 0x1F, 0x1F)
    footer = section.footer.paragraphs[0]
    footer.text = f"{BANNER}\t\tReview by {source.written_date(meta.review_by)}, page "
    _add_page_number(footer)


def _add_page_number(paragraph: Paragraph) -> None:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    paragraph._p.append(field)


def _add_block(document: DocumentObject, block: source.Block) -> None:
    match block:
        case source.Heading(level=level, text=text):
            document.add_heading(text, level=level)
        case source.Paragraph(text=text):
            _add_runs(document.add_paragraph(), text)
        case source.Callout(text=text):
            _add_runs(document.add_paragraph(style="Intense Quote"), text)
        case source.Items(texts=texts, ordered=ordered):
            for text in texts:
                _add_runs(
                    document.add_paragraph(style="List Number" if ordered else "List Bullet"), text
                )
        case source.Table():
            _add_table(document, block)
        case source.PageBreak():
            document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)


def _add_table(document: DocumentObject, table: source.Table) -> None:
    document.add_paragraph(table.caption, style="Caption")
    grid = document.add_table(rows=0, cols=len(table.rows[0]), style="Light Grid Accent 1")
    for row in table.rows:
        for cell, text in zip(grid.add_row().cells, row, strict=True):
            _fill(cell, text)
    header = grid.rows[0]._tr.get_or_add_trPr()
    header.append(OxmlElement("w:tblHeader"))
    for note in table.notes:
        paragraph = document.add_paragraph()
        _add_runs(paragraph, note)
        for run in paragraph.runs:
            run.font.size = Pt(9)


def _fill(cell: _Cell, text: str) -> None:
    _add_runs(cell.paragraphs[0], text)


def _add_runs(paragraph: Paragraph, text: str) -> None:
    for kind, part in source.inline_runs(text):
        run = paragraph.add_run(part)
        run.bold = True if kind == "bold" else None
        run.font.superscript = True if kind == "mark" else None


def _with_fixed_dates(buffer: io.BytesIO) -> bytes:
    fixed = io.BytesIO()
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            member = zipfile.ZipInfo(name, FIXED_ZIP_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(member, old.read(name))
    return fixed.getvalue()
