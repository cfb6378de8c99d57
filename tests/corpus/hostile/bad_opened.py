"""Make OpenDocument files, e-books and e-mails, each wrong in one way."""

from __future__ import annotations

from email.message import EmailMessage

from tests.corpus.hostile.bad_office import LAUGHS, Make, encrypted_flag, pack, unpack
from tests.corpus.parsing.every_format import book_of
from tests.corpus.parsing.opendocument.open_files import open_file

WORDS = "<text:p>Give ten milligrams of the drug once daily.</text:p>"
CHAPTER = "<html><body><h1>Dose</h1><p>Give ten milligrams once daily.</p></body></html>"
MAIL = b"From: a@example.org\nSubject: Dose\nMIME-Version: 1.0\n\nGive ten milligrams once daily.\n"
FILE = b"<!DOCTYPE x [<!ENTITY j SYSTEM 'file:///etc/passwd'>]>"


def letter(body: str = WORDS, prologue: bytes = b"") -> bytes:
    return open_file("text", body, prologue=prologue.decode())


def sheet(body: str) -> bytes:
    return open_file("spreadsheet", f"<table:table>{body}</table:table>")


def book(chapter: str = CHAPTER, more: dict[str, bytes] | None = None) -> bytes:
    return book_of(chapter, title="Pocket guide to doses", more=more)


def sealed() -> bytes:
    manifest = b"<m><file-entry><encryption-data/></file-entry></m>"
    return pack({**unpack(letter()), "META-INF/manifest.xml": manifest})


def nested_mail(depth: int) -> bytes:
    """Return an e-mail of parts in parts, none of which holds text."""
    lines = [f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}" for n in range(depth)]
    return ("Subject: deep\n" + "\n".join(lines) + "\n\nGive ten.\n").encode()


def mail_in_mail() -> bytes:
    message = EmailMessage()
    for _ in range(30):
        outer = EmailMessage()
        outer["Subject"] = "Forwarded"
        outer.set_content("See below.")
        outer.add_attachment(message)
        message = outer
    return message.as_bytes()


def nested(name: str, depth: int) -> str:
    return f"<text:{name}>" * depth + WORDS + f"</text:{name}>" * depth


CELL = "<table:table-cell {}><text:p>1</text:p></table:table-cell>"
MANY = '<table:table-row table:number-rows-repeated="1048576">{}</table:table-row>'
PERHAPS = "parsed file_corrupt"
CRAFTED: list[tuple[str, str, Make]] = [
    ("odt-laughs.odt", "xml_entities", lambda: letter("<text:p>&i;</text:p>", LAUGHS)),
    ("odt-external.odt", "xml_entities", lambda: letter("<text:p>&j;</text:p>", FILE)),
    ("odt-bomb.odt", "archive_bomb", lambda: pack(
        {**unpack(letter()), "content.xml": bytes(60_000_000)})),
    ("odt-password.odt", "archive_encrypted", lambda: encrypted_flag(letter())),
    ("odt-sealed.odt", "archive_encrypted", sealed),
    ("odt-not-xml.odt", "file_corrupt", lambda: letter("<text:p><text:span></text:p>")),
    ("odt-deep.odt", "too_deep", lambda: letter(nested("section", 400))),
    ("odt-nested.odt", "parsed too_deep", lambda: letter(nested("section", 180))),
    ("odt-spans.odt", "parsed too_deep", lambda: letter(
        f"<text:p>{nested('span', 180)}</text:p>")),
    ("odt-no-content.odt", "type_mismatch", lambda: pack({"mimetype": b"x"})),
    ("odt-of-a-sheet.odt", "type_mismatch", lambda: sheet(MANY)),
    ("odt-style-of-itself.odt", "parsed", lambda: letter(
        '<style:style style:name="R" style:family="paragraph" style:parent-style-name="R"/>'
        '<text:p text:style-name="R">Give ten.</text:p>')),
    ("odt-long-blanks.odt", "parsed", lambda: letter(
        '<text:p>A<text:s text:c="999999999"/>b</text:p>')),
    ("ods-million-rows.ods", "sheet_too_large", lambda: sheet(MANY.format(CELL.format("")))),
    ("ods-wide.ods", "sheet_too_large", lambda: sheet(
        MANY.format(CELL.format('table:number-columns-repeated="9999"')))),
    ("ods-empty.ods", "no_text", lambda: sheet(MANY.format("<table:table-cell/>"))),
    ("odp-no-slides.odp", "no_text", lambda: open_file("presentation", "")),
    ("odp-many-slides.odp", "too_many_pages", lambda: open_file(
        "presentation", "<draw:page/>" * 99)),
    ("epub-laughs.epub", "xml_entities", lambda: book(LAUGHS.decode() + CHAPTER)),
    ("epub-external-package.epub", "xml_entities", lambda: changed_book(FILE)),
    ("epub-outside.epub", "archive_unsafe", lambda: book(more={"../../x": b"x"})),
    ("epub-missing-chapter.epub", "file_corrupt", lambda: pack(
        {n: p for n, p in unpack(book()).items() if not n.endswith("c0.xhtml")})),
    ("epub-no-container.epub", "type_mismatch", lambda: pack(
        {"mimetype": b"application/epub+zip"})),
    ("epub-licence.epub", "archive_encrypted", lambda: book(
        more={"META-INF/encryption.xml": b"<e><EncryptionMethod Algorithm='aes'/></e>"})),
    ("epub-deep.epub", "too_deep", lambda: book("<div>" * 500 + "x")),
    ("eml-deep.eml", "parsed no_text too_deep file_corrupt", lambda: nested_mail(2_000)),
    ("eml-in-eml.eml", "parsed", mail_in_mail),
    ("eml-only-attached.eml", "no_text", lambda: (
        b"Subject: x\nContent-Type: application/pdf; name=a.pdf\n\nx")),
    ("eml-sealed.eml", "archive_encrypted", lambda: (
        b"Subject: x\nContent-Type: application/pkcs7-mime; name=smime.p7m\n\nx")),
    ("eml-bad-headers.eml", PERHAPS, lambda: (
        b"Subject: =?utf-8?b?w?=\nFrom: <<>>,,\nDate: never\n"
        b"Content-Type: text/html; charset=no-such\n\n<p>Give ten.</p>")),
    ("eml-bad-base64.eml", f"{PERHAPS} no_text", lambda: (
        b"Subject: x\nContent-Transfer-Encoding: base64\n\n!!!!notbase64")),
]  # fmt: skip


def changed_book(prologue: bytes) -> bytes:
    parts = unpack(book())
    return pack({**parts, "OEBPS/book.opf": prologue + parts["OEBPS/book.opf"]})
