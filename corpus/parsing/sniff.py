"""Tell the type of a file from its name and its first bytes, before it is parsed.

Runs in the web process, so it opens no format beyond a zip's directory.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from corpus.parsing.office.archives import check_archive
from corpus.parsing.types import ParseError

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
OFFICE = (DOCX, PPTX, XLSX, ODT, ODS, ODP)
EPUB = "application/epub+zip"
ZIPPED = (*OFFICE, EPUB)
EMAIL = "message/rfc822"
HTML = "text/html"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
XML = "application/xml"
PUBMED = "application/vnd.medrag.pubmed+xml"
JATS = "application/jats+xml"
BITS = "application/vnd.medrag.bits+xml"
MEDLINEPLUS = "application/vnd.medrag.medlineplus+xml"
WIKIPEDIA = "application/vnd.medrag.mediawiki+xml"
RECORD = "application/vnd.medrag.record+json"

MEDIA_TYPES = {
    "pdf": PDF,
    "docx": DOCX,
    "pptx": PPTX,
    "xlsx": XLSX,
    "odt": ODT,
    "ods": ODS,
    "odp": ODP,
    "epub": EPUB,
    "eml": EMAIL,
    "html": HTML,
    "htm": HTML,
    "md": MARKDOWN,
    "markdown": MARKDOWN,
    "txt": TEXT,
    "xml": XML,
    "nxml": XML,
    "jsonl": RECORD,
}
# Formats that are not read, and what to save them as: binary ones of Office until 2003 and Outlook,
# rich text, and pictures, as a scanner or a phone makes them.
SAVED_AS = {
    "doc": ".docx",
    "rtf": ".docx",
    "ppt": ".pptx",
    "xls": ".xlsx",
    "msg": ".eml or .pdf",
    **dict.fromkeys(("png", "jpg", "jpeg", "tif", "tiff", "heic", "webp", "bmp", "gif"), ".pdf"),
}
READ_FORMATS = f"These formats are read: {', '.join(sorted(MEDIA_TYPES))}."
# Media types of XML by root element; any other is taken for MedQuAD's.
_ROOTS = {
    b"PubmedArticleSet": PUBMED,
    b"PubmedArticle": PUBMED,
    b"article": JATS,
    b"book-part-wrapper": BITS,
    b"health-topics": MEDLINEPLUS,
    b"health-topic": MEDLINEPLUS,
    b"mediawiki": WIKIPEDIA,
}
_ROOT = re.compile(  # possessive: a file of a thousand comments is read once
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*+<(?:[\w.-]+:)?([\w.-]+)[\s/>]",
    re.DOTALL,
)
HEAD_BYTES = 8192
_BLANKS = b"\x00 \t\r\n"
_MAIL = re.compile(  # begins with headers, one of which all e-mails have
    rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*+)*?(?:from|date|subject|mime-version|received):",
    re.I,
)
_OTHER_MAGIC = (
    b"%PDF-",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x7fELF",
    b"MZ",
)
_MARKUP = re.compile(
    rb"<(!doctype\s+html|html|head|body|div|p|h[1-6]|table|article|section|meta|title)\b", re.I
)


def media_type_of(source: Path | bytes, filename: str) -> str:
    """Return the media type of a file whose extension and content agree.

    `source` is the file, or at least its first 8,192 bytes; a zip's directory is only checked if it
    is the file. Raises ParseError: `empty_file`, `unsupported_type`, `type_mismatch`, or a code of
    `archives.check_archive`.
    """
    if isinstance(source, bytes):
        head = source[:HEAD_BYTES]
    else:
        with source.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    if not head.strip(_BLANKS) and (isinstance(source, bytes) or _is_blank(source)):
        raise ParseError("The file is empty.", code="empty_file", hint="Upload the file again.")
    extension = PurePath(filename).suffix.lstrip(".").lower()
    media_type = MEDIA_TYPES.get(extension)
    if media_type is None:
        other = SAVED_AS.get(extension)
        raise ParseError(
            "Files of this type can't be read.",
            code="unsupported_type",
            hint=f"Open it and save it as {other}, then upload that." if other else READ_FORMATS,
        )
    if not _agrees(head, media_type):
        raise ParseError(
            f"The file's name ends in .{extension}, but its content is something else.",
            code="type_mismatch",
            hint="Save it again in the program that made it, or give it its right extension.",
        )
    if media_type in ZIPPED and isinstance(source, Path):
        check_archive(source, media_type)
    if media_type != XML:
        return media_type
    root = _ROOT.match(head.removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").lstrip(b"\xff\xfe"))
    return _ROOTS.get(root.group(1), XML) if root else XML


def _is_blank(path: Path) -> bool:
    """Tell whether a file has white space and null bytes only; reads it in blocks."""
    with path.open("rb") as stream:
        while block := stream.read(1024**2):
            if block.strip(_BLANKS):
                return False
    return True


def _agrees(head: bytes, media_type: str) -> bool:
    if media_type == PDF:
        return b"%PDF-" in head[:1024]
    if media_type in ZIPPED:
        return head.startswith(b"PK\x03\x04")
    if head.startswith(_OTHER_MAGIC) or not _is_text(head):
        return False
    if media_type == EMAIL:
        return _MAIL.match(head.removeprefix(b"\xef\xbb\xbf")) is not None
    if media_type == XML:
        return head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")
    if media_type == RECORD:
        return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return media_type != HTML or _MARKUP.search(head.replace(b"\x00", b"")) is not None


def _is_text(head: bytes) -> bool:
    """Tell whether bytes are text: UTF-16 with its mark, or hardly any control characters."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    controls = sum(byte < 9 or 13 < byte < 32 for byte in head)
    return controls * 100 <= len(head)
