"""Test what becomes of OpenDocument, e-books and e-mails, from the file to the quoted row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email.message import EmailMessage

import pytest

from tests.chat.storing import Storing
from tests.chat.uploads import Upload, follow, store
from tests.corpus.parsing.every_format import book_of
from tests.corpus.parsing.opendocument.open_files import frame, open_file, rows

TITLE, QUESTION = "Gentamicin in sepsis", "gentamicin dose in adults with sepsis?"
HEADS, ADULTS = ("Medicine and patients", "Dose in sepsis"), ("Gentamicin, adults", "5 mg/kg")
OLD = "Gentamicin in children with sepsis: give 9 mg/kg once daily."
HTML = (
    f"<html><body><h1>{TITLE}</h1><table><tr><th>{HEADS[0]}</th><th>{HEADS[1]}</th></tr>"
    f"<tr><td>{ADULTS[0]}</td><td>{ADULTS[1]}</td></tr></table>{{}}</body></html>"
)


def text(more: str = "") -> bytes:
    heading = f'<text:h text:outline-level="1">{TITLE}</text:h>'
    return open_file("text", f"{heading}<table:table>{rows(HEADS, ADULTS)}</table:table>{more}")


def sheet(*more: tuple[str, str]) -> bytes:
    table = rows(HEADS, ADULTS, *more)
    return open_file("spreadsheet", f'<table:table table:name="{TITLE}">{table}</table:table>')


def slide(more: str = "") -> bytes:
    table = f"<draw:frame><table:table>{rows(HEADS, ADULTS)}</table:table></draw:frame>"
    inside = f"{frame(TITLE, kind='title')}{table}{more}"
    page = f'<draw:page draw:master-page-name="Default">{inside}</draw:page>'
    return open_file("presentation", page)


def mail(more: str = "", *, attached: bool = False) -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"] = TITLE, "Pharmacy <pharmacy@example.org>"
    message.set_content("Please see the table.")
    message.add_alternative(HTML.format(more), subtype="html")
    if attached:
        message.add_attachment(OLD.encode(), maintype="text", subtype="plain", filename="old.txt")
    return message.as_bytes()


def upload(suffix: str, content: Callable[[], bytes], **expected: str) -> Upload:
    return Upload(f"a.{suffix}", content, QUESTION, said="5 mg/kg", unsaid="9 mg", **expected)


CROSSED = '<table:table-cell table:style-name="ce2"><text:p>9 mg/kg</text:p></table:table-cell>'
STRUCK = {"unread": "9 mg", "doubt": "strikes out"}
HIDDEN = {"unread": "9 mg", "doubt": "that the file hides"}
UPLOADS = {
    "ODT": upload("odt", text),
    "struck in ODT": upload(
        "odt", lambda: text(f'<text:p text:style-name="P1">{OLD}</text:p>'), **STRUCK
    ),
    "hidden in ODT": upload(
        "odt",
        lambda: text(f'<text:p><text:span text:style-name="Hidden">{OLD}</text:span></text:p>'),
        **HIDDEN,
    ),
    "ODS": upload("ods", sheet),
    "struck in ODS": upload(
        "ods",
        lambda: sheet(("Gentamicin, children", CROSSED)),
        **STRUCK,
    ),
    "ODP": upload("odp", slide),
    "beside the slide in ODP": upload(
        "odp", lambda: slide(frame(OLD, place='svg:x="90cm" svg:y="1cm" svg:width="5cm"')), **HIDDEN
    ),
    "EPUB": upload("epub", lambda: book_of(HTML.format(""))),
    "struck in EPUB": upload(
        "epub", lambda: book_of(HTML.format(f"<p><s>{OLD}</s></p>")), **STRUCK
    ),
    "e-mail": upload("eml", mail),
    "struck in an e-mail": upload("eml", lambda: mail(f"<p><del>{OLD}</del></p>"), **STRUCK),
    "attached to an e-mail": upload(
        "eml", lambda: mail(attached=True), unread="9 mg", doubt="old.txt"
    ),
    "an earlier e-mail": upload(
        "eml", lambda: mail(f"<blockquote>{OLD}</blockquote>"), doubt="quotes an earlier one"
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(lambda: store(UPLOADS)):
        yield


@pytest.mark.django_db
@pytest.mark.parametrize("name", UPLOADS)
def test_a_row_is_quoted_and_what_is_left_out_holds_the_file_back(name: str) -> None:
    follow(name, UPLOADS[name])
