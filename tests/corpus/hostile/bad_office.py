"""Make Word, Excel and PowerPoint files, each wrong in one way."""

import io
import zipfile
from collections.abc import Callable
from functools import cache

from PIL import Image

Make = Callable[[], bytes]

W = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LAUGHS = b"<!DOCTYPE l [<!ENTITY a 'aaaaaaaaaa'>%s]>" % b"".join(
    b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
)
EXTERNAL = b"<!DOCTYPE l [<!ENTITY j SYSTEM 'file:///etc/passwd'>]>"


def pack(parts: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, method)
    return buffer.getvalue()


def unpack(content: bytes) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(content))
    return {info.filename: archive.read(info) for info in archive.infolist()}


@cache
def letter() -> bytes:
    """Return a small Word file."""
    import docx

    document = docx.Document()
    document.add_heading("Dose", 1)
    document.add_paragraph("Give ten milligrams of the drug once daily.")
    table = document.add_table(rows=2, cols=2)
    table.cell(1, 1).text = "20 mg"
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@cache
def workbook() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (("Weight", "Dose"), ("50 kg", "20 mg"), ("80 kg", "40 mg")):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@cache
def slides() -> bytes:
    import pptx

    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Dose"
    slide.placeholders[1].text = "Give ten milligrams of the drug once daily."
    buffer = io.BytesIO()
    show.save(buffer)
    return buffer.getvalue()


def without(content: bytes, *names: str) -> bytes:
    return pack({name: part for name, part in unpack(content).items() if name not in names})


def body(xml: bytes, *, prologue: bytes = b"") -> bytes:
    """Return a Word file whose body is `xml`."""
    document = b"%s<w:document %s><w:body>%s</w:body></w:document>" % (prologue, W, xml)
    return pack({**unpack(letter()), "word/document.xml": document})


def paragraph(text: bytes) -> bytes:
    return b"<w:p><w:r><w:t>%s</w:t></w:r></w:p>" % text


def table(cell: bytes, *, properties: bytes = b"") -> bytes:
    inner = b"<w:tc><w:tcPr>%s</w:tcPr>%s<w:p/></w:tc>" % (properties, cell)
    return b"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>%s</w:tr></w:tbl>" % inner


def nested_tables(depth: int) -> bytes:
    inner = paragraph(b"Inside")
    for _ in range(depth):
        inner = table(inner)
    return body(inner)


def sheet(xml: bytes) -> bytes:
    """Return an Excel file whose sheet is `xml`."""
    space = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    content = b"<worksheet %s>%s</worksheet>" % (space, xml)
    return pack({**unpack(workbook()), "xl/worksheets/sheet1.xml": content})


def cell(place: bytes, text: bytes = b"20 mg") -> bytes:
    return b'<c r="%s" t="inlineStr"><is><t>%s</t></is></c>' % (place, text)


def million_cells() -> bytes:
    numbers = b"".join(b"<c><v>%d</v></c>" % n for n in range(1_000))
    rows = b"".join(b'<row r="%d">%s</row>' % (n, numbers) for n in range(1, 1_001))
    return sheet(b"<sheetData>" + rows + b"</sheetData>")


def corner_cells() -> bytes:
    rows = b'<row r="1">%s</row><row r="1048576">%s</row>' % (cell(b"A1"), cell(b"XFD1048576"))
    return sheet(b"<sheetData>" + rows + b"</sheetData>")


def huge_merge() -> bytes:
    rows = b'<row r="1">%s</row>' % cell(b"A1")
    merged = b'<mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    return sheet(b"<sheetData>" + rows + b"</sheetData>" + merged)


@cache
def white_square(side: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("1", (side, side), 1).save(buffer, "PNG")
    return buffer.getvalue()


def slides_of_pictures(count: int, side: int) -> bytes:
    import pptx

    show = pptx.Presentation()
    for _ in range(count):
        slide = show.slides.add_slide(show.slide_layouts[6])
        slide.shapes.add_picture(io.BytesIO(white_square(side)), 0, 0, 900, 900)
    buffer = io.BytesIO()
    show.save(buffer)
    return buffer.getvalue()


def slide_of_huge_picture(side: int) -> bytes:
    parts = unpack(slides_of_pictures(1, 100))
    (name,) = (name for name in parts if name.startswith("ppt/media/"))
    return pack({**parts, name: white_square(side)})


def empty_slides(count: int) -> bytes:
    import pptx

    show = pptx.Presentation()
    for _ in range(count):
        show.slides.add_slide(show.slide_layouts[6])
    buffer = io.BytesIO()
    show.save(buffer)
    return buffer.getvalue()


def lying_size(content: bytes) -> bytes:
    """Return a Word file with a part that declares 100 bytes and unpacks to 150 MB."""
    packed = pack({**unpack(content), "word/document.xml": b"<a>" + b" " * 2**20 * 150})
    true_size, said = (2**20 * 150 + 3).to_bytes(4, "little"), (100).to_bytes(4, "little")
    return packed.replace(true_size, said)


def encrypted_flag(content: bytes) -> bytes:
    changed = bytearray(content)
    at = 0
    while (at := changed.find(b"PK\x01\x02", at)) >= 0:
        changed[at + 8] |= 1
        at += 4
    return bytes(changed)


def nested_zips(depth: int) -> bytes:
    inner = pack({"zeros": b"\x00" * 2**20})
    for _ in range(depth):
        inner = pack({f"{n}.zip": inner for n in range(10)}, method=zipfile.ZIP_STORED)
    return pack({**unpack(letter()), "word/embeddings/inner.zip": inner})


def linked_outside() -> bytes:
    relations = unpack(letter())["word/_rels/document.xml.rels"]
    image = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
    link = b'<Relationship Id="rId99" TargetMode="External" Type="%s" Target="file:///etc/passwd"/>'
    changed = relations.replace(b"</Relationships>", link % image + b"</Relationships>")
    return pack({**unpack(letter()), "word/_rels/document.xml.rels": changed})


# Name, allowed outcomes, and function that makes the file.
def with_zeros() -> bytes:
    return pack({**unpack(letter()), "word/zeros.xml": b"\x00" * 2**20 * 40})


def of_many(count: int, content: bytes) -> bytes:
    return pack({**unpack(letter()), **{f"word/{n}.xml": content for n in range(count)}})


def wide_cell() -> bytes:
    return body(table(paragraph(b"20 mg"), properties=b'<w:gridSpan w:val="999999999"/>'))


def bad_places() -> bytes:
    return sheet(b'<sheetData><row r="-1">%s</row></sheetData>' % cell(b"ZZZZZ99999999999"))


def laughing_sheet() -> bytes:
    part = "xl/worksheets/sheet1.xml"
    content = unpack(sheet(b"<sheetData><row r='1'>%s</row></sheetData>" % cell(b"A1", b"&j;")))
    return pack({**content, part: LAUGHS + content[part]})


def deep_xml() -> bytes:
    return body(b"<w:sdt><w:sdtContent>" * 3_000 + b"</w:sdtContent></w:sdt>" * 3_000)


def outside() -> bytes:
    return pack({**unpack(letter()), "../../outside.xml": b"x"})


def macros() -> bytes:
    return pack({**unpack(letter()), "word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 99})


SHEET, SLIDE = "xl/worksheets/sheet1.xml", "ppt/slides/slide1.xml"
LAYOUT = "ppt/slideLayouts/slideLayout2.xml"
DAMAGED, PERHAPS = "file_corrupt", "parsed file_corrupt"
ENTITIES = "parsed file_corrupt no_text xml_entities"
LYING = "archive_corrupt archive_bomb file_corrupt"
# Name, allowed outcomes, and function that makes the file.
CRAFTED: list[tuple[str, str, Make]] = [
    ("docx-empty-zip.docx", "type_mismatch archive_corrupt", lambda: pack({})),
    ("docx-only-signature.docx", "archive_corrupt", lambda: b"PK\x03\x04" + b"\x00" * 200),
    ("docx-old-format.docx", "type_mismatch", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 99),
    ("docx-bomb.docx", "archive_bomb", with_zeros),
    ("docx-bomb-of-many.docx", "archive_bomb", lambda: of_many(1_900, b"ab" * 60_000)),
    ("docx-thousands-of-parts.docx", "archive_bomb", lambda: of_many(2_500, b"")),
    ("docx-lying-size.docx", LYING, lambda: lying_size(letter())),
    ("docx-nested-zips.docx", "parsed archive_bomb", lambda: nested_zips(2)),
    ("docx-password.docx", "archive_encrypted", lambda: encrypted_flag(letter())),
    ("docx-points-outside.docx", "archive_unsafe", outside),
    ("docx-no-document.docx", DAMAGED, lambda: without(letter(), "word/document.xml")),
    ("docx-no-types.docx", "type_mismatch", lambda: without(letter(), "[Content_Types].xml")),
    ("docx-no-relations.docx", DAMAGED, lambda: without(letter(), "_rels/.rels")),
    ("docx-no-styles.docx", PERHAPS, lambda: without(letter(), "word/styles.xml")),
    ("docx-macros.docx", PERHAPS, macros),
    ("docx-laughs.docx", ENTITIES, lambda: body(paragraph(b"&j;"), prologue=LAUGHS)),
    ("docx-external.docx", ENTITIES, lambda: body(paragraph(b"&j;"), prologue=EXTERNAL)),
    ("docx-linked-outside.docx", PERHAPS, linked_outside),
    ("docx-not-xml.docx", DAMAGED, lambda: body(b"<w:p><w:r></w:p>")),
    ("docx-no-text.docx", "no_text", lambda: body(paragraph(b""))),
    ("docx-nested-tables.docx", "parsed too_deep", lambda: nested_tables(300)),
    ("docx-deep-xml.docx", "too_deep", deep_xml),
    ("docx-wide-cell.docx", PERHAPS, wide_cell),
    ("docx-many-paragraphs.docx", "parsed", lambda: body(paragraph(b"Give ten.") * 3_000)),
    ("docx-long-paragraph.docx", "parsed", lambda: body(paragraph(b"word " * 200_000))),
    ("xlsx-million-cells.xlsx", "sheet_too_large", million_cells),
    ("xlsx-corner-cells.xlsx", f"{PERHAPS} sheet_too_large", corner_cells),
    ("xlsx-huge-merge.xlsx", f"{PERHAPS} sheet_too_large", huge_merge),
    ("xlsx-bad-places.xlsx", f"{PERHAPS} no_text", bad_places),
    ("xlsx-laughs.xlsx", "xml_entities", laughing_sheet),
    ("xlsx-no-sheet.xlsx", DAMAGED, lambda: without(workbook(), SHEET)),
    ("xlsx-no-workbook.xlsx", DAMAGED, lambda: without(workbook(), "xl/workbook.xml")),
    ("pptx-pictures.pptx", f"{PERHAPS} no_text", lambda: slides_of_pictures(12, 4_000)),
    ("pptx-huge-picture.pptx", f"{PERHAPS} no_text", lambda: slide_of_huge_picture(20_000)),
    ("pptx-too-many-slides.pptx", "too_many_pages", lambda: empty_slides(120)),
    ("pptx-no-slide.pptx", PERHAPS, lambda: without(slides(), SLIDE)),
    ("pptx-no-layout.pptx", PERHAPS, lambda: without(slides(), LAYOUT)),
]
