"""Attach parts to Word files, presentations and workbooks, as programs or people do."""

import io

from PIL import Image, ImageDraw, ImageFont

from tests.corpus.hostile import bad_office

KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
WORD, SLIDE, SHEET = "word/document.xml", "ppt/slides/slide1.xml", "xl/worksheets/sheet1.xml"
MAKE = {WORD: bad_office.letter, SLIDE: bad_office.slides, SHEET: bad_office.workbook}
ENDS = {WORD: "a.docx", SLIDE: "a.pptx", SHEET: "a.xlsx"}
DRAWN = b"<wsDr><sp><txBody>%s</txBody></sp></wsDr>"
_TYPES = {
    "html": "text/html",
    "txt": "text/plain",
    "rtf": "application/rtf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
_PACKAGE = b"http://schemas.openxmlformats.org/package/2006/relationships"


def attach(
    owner: str,
    kind: str,
    part: bytes,
    *,
    name: str = "x.xml",
    mode: str = "Internal",
    to: bytes = b"",
) -> bytes:
    """Return a file in which a relation of this kind leads from its owner to a part.

    It is the file `to`, else a small one of the owner's format.
    """
    parts = bad_office.unpack(to or MAKE[owner]())
    folder, _, file = owner.rpartition("/")
    rels = f"{folder}/_rels/{file}.rels"
    old = parts.get(rels, b"<Relationships xmlns='%s'></Relationships>" % _PACKAGE)
    link = f'<Relationship Id="x" Type="{KINDS}{kind}" Target="{name}" TargetMode="{mode}"/>'
    parts[rels] = old.replace(b"</Relationships>", link.encode() + b"</Relationships>")
    if mode == "Internal":
        parts[f"{folder}/{name}"] = part
    kinds = "".join(f'<Default Extension="{x}" ContentType="{t}"/>' for x, t in _TYPES.items())
    types = parts["[Content_Types].xml"].replace(b"</Types>", f"{kinds}</Types>".encode())
    return bad_office.pack({**parts, "[Content_Types].xml": types})


def inserted(
    tag: str, kind: str, part: bytes, *, name: str, to: bytes = b"", place: str = "%s"
) -> bytes:
    """Return a Word file with an element that inserts a part at the end of its text.

    `place` is what is written around that element.
    """
    parts = bad_office.unpack(attach(WORD, kind, part, name=name, to=to))
    relation = f"xmlns:r='{KINDS.rstrip('/')}' r:id='x'"
    element = (place % f"<w:{tag} {relation}/>").encode()
    parts[WORD] = parts[WORD].replace(b"<w:sectPr", element + b"<w:sectPr", 1)
    return bad_office.pack(parts)


def drawn(text: str) -> io.BytesIO:
    """Return a picture of a text."""
    picture, raw = Image.new("RGB", (700, 120), "white"), io.BytesIO()
    ImageDraw.Draw(picture).text((20, 20), text, "black", ImageFont.load_default(60))
    picture.save(raw, "PNG")
    raw.seek(0)
    return raw
