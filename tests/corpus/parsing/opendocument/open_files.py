"""Write OpenDocument files as two programs write them: LibreOffice, and Microsoft Office.

LibreOffice marks rows of heads, keeps looks in automatic styles on those of the file, and names
pages; Microsoft Office writes another manifest, a style for each run and no rows of heads.
"""

from __future__ import annotations

import io
import zipfile

_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    **{
        name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
        for name in (
            "style",
            "text",
            "table",
            "meta",
            "number",
            "presentation",
            "chart",
            "manifest",
        )
    },
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
    "loext": "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0",
}
TYPES = {
    "text": "application/vnd.oasis.opendocument.text",
    "spreadsheet": "application/vnd.oasis.opendocument.spreadsheet",
    "presentation": "application/vnd.oasis.opendocument.presentation",
}
MASTER = (
    '<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="28cm" '
    'fo:page-height="21cm"/></style:page-layout>'
)
# Names of looks that the tests use, as automatic styles of both programs.
LOOKS = """
<style:style style:name="Struck" style:family="text"><style:text-properties
 style:text-line-through-style="solid" style:text-line-through-type="single"/></style:style>
<style:style style:name="Hidden" style:family="text"><style:text-properties
 text:display="none"/></style:style>
<style:style style:name="White" style:family="text"><style:text-properties
 fo:color="#ffffff"/></style:style>
<style:style style:name="Clear" style:family="text"><style:text-properties
 fo:color="#000000" loext:opacity="0%"/></style:style>
<style:style style:name="Auto" style:family="text"><style:text-properties fo:color="#000000"
 loext:opacity="0%" style:use-window-font-color="true"/></style:style>
<style:style style:name="Raised" style:family="text"><style:text-properties
 style:text-position="super 58%"/></style:style>
<style:style style:name="Sign" style:family="text"><style:text-properties
 style:font-name="Symbol"/></style:style>
<style:style style:name="Base" style:family="paragraph"><style:text-properties
 style:text-line-through-type="single" style:text-line-through-style="solid"/></style:style>
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Base"/>
<style:style style:name="T1" style:family="paragraph" style:parent-style-name="Title"/>
<style:style style:name="Dark" style:family="table-cell"><style:table-cell-properties
 fo:background-color="#003366"/></style:style>
<style:style style:name="ce1" style:family="table-cell"><style:text-properties
 fo:font-weight="bold"/></style:style>
<style:style style:name="ce2" style:family="table-cell"><style:text-properties
 style:text-line-through-style="solid"/></style:style>
<style:style style:name="ce3" style:family="table-cell" style:data-style-name="N1"/>
<number:date-style style:name="N1"><number:day/><number:text>.</number:text><number:month/>
<number:text>.</number:text><number:year/></number:date-style>
<style:style style:name="ce4" style:family="table-cell"><style:text-properties
 fo:color="#ffffff"/></style:style>
<style:style style:name="ce5" style:family="table-cell"><style:table-cell-properties
 fo:background-color="#111111"/><style:text-properties fo:color="#111111"/></style:style>
<style:style style:name="gone" style:family="table"><style:table-properties
 table:display="false"/></style:style>
<style:style style:name="dp1" style:family="drawing-page"><style:drawing-page-properties
 presentation:visibility="hidden"/></style:style>
<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties
 draw:fill="solid" draw:fill-color="#002244"/></style:style>
<style:style style:name="over" style:family="graphic"><style:graphic-properties draw:fill="solid"
 style:wrap="run-through" style:run-through="foreground"/></style:style>
<text:list-style style:name="Numbers"><text:list-level-style-number text:level="1"
 style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2"
 style:num-format="a" style:num-suffix=")"/></text:list-style>
<text:list-style style:name="Bullets"><text:list-level-style-bullet text:level="1"
 text:bullet-char="•"/></text:list-style>
"""


def open_file(
    kind: str,
    body: str,
    *,
    by: str = "libreoffice",
    master: str = "",
    title: str = "",
    parts: dict[str, bytes] | None = None,
    prologue: str = "",
) -> bytes:
    """Return a file of `text`, `spreadsheet` or `presentation` with this XML in its body."""
    spaces = " ".join(f'xmlns:{name}="{space}"' for name, space in _SPACES.items())
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?>{prologue}<office:document-content {spaces} '
        'office:version="1.3"><office:font-face-decls><style:font-face style:name="Symbol" '
        "svg:font-family=\"'Symbol'\"/></office:font-face-decls><office:automatic-styles>"
        f"{LOOKS}</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    styles = (
        f"<office:document-styles {spaces}><office:styles><style:style style:name='Title' "
        "style:family='paragraph'/></office:styles><office:automatic-styles>"
        f"{MASTER}</office:automatic-styles><office:master-styles>"
        '<style:master-page style:name="Default" style:page-layout-name="L">'
        f"{master}</style:master-page></office:master-styles></office:document-styles>"
    )
    meta = (
        f"<office:document-meta {spaces}><office:meta><dc:title>{title}</dc:title></office:meta>"
        "</office:document-meta>"
    )
    manifest = (
        f'<manifest:manifest {spaces}><manifest:file-entry manifest:full-path="/" '
        f'manifest:media-type="{TYPES[kind]}"/></manifest:manifest>'
    )
    files = {
        "mimetype": TYPES[kind].encode(),
        "META-INF/manifest.xml": manifest.encode(),
        "content.xml": content.encode(),
        "styles.xml": styles.encode(),
        "meta.xml": meta.encode(),
    }
    if by == "libreoffice":
        files |= {
            "settings.xml": b"<x/>",
            "Thumbnails/thumbnail.png": b"\x89PNG",
            "manifest.rdf": b"<x/>",
        }
    return zipped(files | (parts or {}))


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            plain = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, plain)
    return buffer.getvalue()


def rows(*lines: tuple[str, ...], heads: bool = True) -> str:
    """Return rows of a table; with `heads` the first are marked, as LibreOffice does."""
    made = ["<table:table-row>" + "".join(map(cell, line)) + "</table:table-row>" for line in lines]
    if heads:
        made[0] = f"<table:table-header-rows>{made[0]}</table:table-header-rows>"
    return "".join(made)


def cell(text: str) -> str:
    """Return a cell; text that is XML already stays as it is."""
    if text.startswith("<table:"):
        return text
    return (
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
    )


def frame(text: str, *, kind: str = "", place: str = "") -> str:
    """Return a box of text, on a slide or in a text."""
    named = f'presentation:class="{kind}"' if kind else ""
    place = place or 'svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"'
    inside = text if text.startswith("<") else f"<text:p>{text}</text:p>"
    return f"<draw:frame {named} {place}><draw:text-box>{inside}</draw:text-box></draw:frame>"
