"""Test a page of the passage view, and pictures of pages: made at the first request and kept."""

import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from PIL import Image

from corpus import files
from corpus.models import Document
from corpus.review import pictures
from corpus.review.pages import ReadPage, read_page
from corpus.sandbox import parent as sandbox
from corpus.services.indexing import document_index
from medrag_site.groups import STAFF
from tests.chat.guidelines import publish_guideline
from tests.corpus.admin.test_admin import member, page_of
from tests.corpus.documents import ingest
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.stored import document_path, page_image_path

TEXT = "Dosing\nGive 5 mg once daily.\nFirst point\nSecond point\nAge | Dose\nadult | 10 mg"


def block(kind: str, words: str, **more: Any) -> dict[str, Any]:
    start = TEXT.index(words)
    line = {"start": start, "end": start + len(words), "box": [10.0, 20.0, 110.0, 32.0]}
    plain = {"kind": kind, "start": start, "end": start + len(words), "level": 0, "table": None}
    return {**plain, "lines": [line], **more}


def cell(row: int, column: int, text: str, **more: Any) -> dict[str, Any]:
    spans = {"rows": 1, "columns": 1, "is_header": row == 0, "box": [0.0, 0.0, 10.0, 10.0]}
    return {"row": row, "column": column, "text": text, **spans, **more}


def table(*cells: dict[str, Any], caption: str = "") -> dict[str, Any]:
    rows = [{"start": 66, "end": 79, "cells": ["adult", "10 mg"]}]
    printed = {"header": ["Age", "Dose"], "rows": rows, "caption": caption, "cells": list(cells)}
    return block("table", TEXT[TEXT.index("Age") :], table=printed)


def place_of(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def doubt(words: str) -> dict[str, Any]:
    start, end = place_of(words) if words else (0, 0)
    return {"code": "unsure", "message": "Unsure.", "start": start, "end": end}


def tags(page: ReadPage) -> list[list[tuple[str, str, int, int]]]:
    shown = page.groups[0].blocks[0].rows
    return [[(c.text, c.scope, c.rows, c.columns) for c in row] for row in shown]


def test_headings_stand_below_those_of_the_page() -> None:
    levels = [
        read_page(TEXT, blocks=[block("heading", "Dosing", level=level)]).groups[0].blocks[0].level
        for level in (0, 1, 2, 3, 4, 9)
    ]
    assert levels == [3, 3, 4, 5, 6, 6]


def test_neighbouring_points_are_one_list() -> None:
    blocks = [
        block("paragraph", "Give 5 mg once daily."),
        block("list_item", "First point"),
        block("list_item", "Second point"),
    ]
    groups = read_page(TEXT, blocks=blocks).groups
    assert [(group.is_list, [b.key for b in group.blocks]) for group in groups] == [
        (False, ["b0"]),
        (True, ["b1", "b2"]),
    ]


def test_a_doubt_marks_its_words_and_leads_to_its_block() -> None:
    blocks = [block("heading", "Dosing"), block("paragraph", "Give 5 mg once daily.")]
    page = read_page(TEXT, blocks=blocks, doubts=[doubt("5 mg"), doubt("")])
    pieces = page.groups[1].blocks[0].pieces
    assert [(p.text, p.is_doubtful) for p in pieces] == [
        ("Give ", False),
        ("5 mg", True),
        (" once daily.", False),
    ]
    assert [d.block for d in page.doubts] == ["b1", ""]
    assert [b.blocks[0].is_doubtful for b in page.groups] == [False, True]
    assert [p.is_doubtful for p in page.places] == [False, True]
    assert page.places[1].keys == ("b1", "d0")


def test_a_place_names_every_passage_that_stands_on_it() -> None:
    blocks = [block("heading", "Dosing"), block("paragraph", "Give 5 mg once daily.")]
    passages = {"c0": [place_of("Dosing"), place_of("Give 5")], "c1": [place_of("mg once")]}
    page = read_page(TEXT, blocks=blocks, passages=passages)
    assert [place.keys for place in page.places] == [("b0", "c0"), ("b1", "c0", "c1")]
    first = page.places[0]
    assert (first.x, first.y, first.width, first.height) == ("9.0", "19.0", "102.0", "14.0")


def test_a_table_is_shown_as_printed() -> None:
    cells = [
        cell(0, 0, "Age", rows=2),
        cell(0, 1, "Dose", columns=2),
        cell(1, 1, "first", is_header=True),
        cell(1, 2, "next", is_header=True),
        cell(2, 0, "adult", is_header=True),
        cell(2, 1, "10 mg", columns=2),
    ]
    assert tags(read_page(TEXT, blocks=[table(*cells)])) == [
        [("Age", "col", 2, 1), ("Dose", "col", 1, 2)],
        [("first", "col", 1, 1), ("next", "col", 1, 1)],
        [("adult", "row", 1, 1), ("10 mg", "", 1, 2)],
    ]


def test_a_row_that_comes_down_whole_is_still_a_row() -> None:
    cells = [cell(0, 0, "a", rows=2), cell(0, 1, "b", rows=2), cell(2, 0, "c"), cell(2, 1, "d")]
    assert [len(row) for row in tags(read_page(TEXT, blocks=[table(*cells)]))] == [2, 0, 2]


def test_a_span_without_end_is_bounded() -> None:
    shown = tags(read_page(TEXT, blocks=[table(cell(0, 0, "a", rows=10**9, columns=0))]))
    assert shown[0] == [("a", "col", 1000, 1)]
    assert len(shown) == 1000


def test_without_cells_the_labels_head_the_rows() -> None:
    assert tags(read_page(TEXT, blocks=[table()])) == [
        [("Age", "col", 1, 1), ("Dose", "col", 1, 1)],
        [("adult", "", 1, 1), ("10 mg", "", 1, 1)],
    ]


def test_a_cell_paints_its_own_box_and_knows_the_passages_on_it() -> None:
    cells = [cell(0, 0, "Age"), cell(0, 1, "Dose", box=[0.0, 0.0, 200.0, 200.0])]
    page = read_page(TEXT, blocks=[table(*cells)], passages={"c4": [place_of("adult")]})
    assert [(place.keys, place.is_cell) for place in page.places] == [
        (("b0", "c4"), False),
        (("b0.0",), True),
        (("b0.1", "c4"), True),
    ]


def test_a_caption_is_said_once() -> None:
    captioned = table(caption="Doses")
    alone, below = (
        read_page(TEXT, blocks=blocks).groups[-1].blocks[0].caption
        for blocks in ([captioned], [block("caption", "Dosing"), captioned])
    )
    assert (alone, below) == ("Doses", "")


def test_what_was_stored_before_cells_and_doubts_is_shown() -> None:
    old = table()
    del old["table"]["cells"]
    page = read_page(TEXT, blocks=[{**old, "lines": []}])
    assert page.places == ()
    assert len(page.groups[0].blocks[0].rows) == 2


def test_an_empty_page_is_empty() -> None:
    assert read_page("", blocks=[]) == ReadPage((), (), ())


@pytest.fixture
def document(db: None, tmp_path: Path) -> Document:
    """Publish a PDF of two pages, without pictures."""
    document = publish_guideline(page_count=2)
    page_image_path(document.sha256, 1).unlink()
    document.pages.create(number=2, text="Go on.", blocks=[], width=595, height=842)
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns, fixtures.plain_page("x"))
    document_path(document.sha256).write_bytes(path.read_bytes())
    return document


@pytest.fixture
def clinician(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client


def look(client: Client, document: Document, number: int = 1) -> HttpResponseBase:
    return client.get(reverse("chat:page_image", args=[document.sha256, number]))


def body(response: HttpResponseBase) -> bytes:
    return response.getvalue() if hasattr(response, "getvalue") else b"".join(response)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield the list of page numbers for which a child was started."""
    numbers: list[int] = []
    draw = sandbox.draw_in_child

    def counted(path: Path, *, number: int, **more: object) -> bytes:
        numbers.append(number)
        return draw(path, number=number, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(sandbox, "draw_in_child", counted)
    yield numbers


def test_indexing_makes_no_picture(db: None, tmp_path: Path, files_dir: Path) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns)
    document = ingest(path.read_bytes(), "a.pdf")
    document_index(document.pk)
    document.refresh_from_db()
    assert document.indexed_at is not None
    assert not (files_dir / "pages").exists()


def test_a_picture_is_made_at_the_first_look_and_kept(
    clinician: Client, document: Document, children: list[int], files_dir: Path
) -> None:
    page = clinician.get(reverse("chat:source", args=[document.sha256, 1]))
    assert b"<svg" in page.content
    assert children == []  # only the picture's address draws it, not the page's
    first = look(clinician, document)
    assert (first.status_code, first["Content-Type"]) == (200, "image/webp")
    assert "private" in first["Cache-Control"]
    with Image.open(BytesIO(content := body(first))) as picture:
        assert picture.size == (952, 1348)
    assert page_image_path(document.sha256, 1).read_bytes() == content
    assert body(look(clinician, document)) == content
    assert children == [1]
    assert not list((files_dir / "tmp").iterdir())


def test_staff_see_the_same_picture(alice: User, document: Document, children: list[int]) -> None:
    staff = member(alice, STAFF)
    assert b"<image" in staff.get(page_of("read", document.pk, 2)).content
    response = staff.get(page_of("picture", document.pk, 2))
    assert response["Content-Type"] == "image/webp"
    assert body(response) == page_image_path(document.sha256, 2).read_bytes()
    assert children == [2]


def test_pictures_of_an_older_version_stay_in_use(
    clinician: Client, document: Document, children: list[int]
) -> None:
    kept = page_image_path(document.sha256, 1)
    kept.write_bytes(b"RIFF....WEBP of last year")
    document_path(document.sha256).unlink()
    assert body(look(clinician, document)) == b"RIFF....WEBP of last year"
    assert look(clinician, document, 2).status_code == 404
    assert children == []


def test_a_disk_that_can_only_be_read_serves_it_all_the_same(
    clinician: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(files, "keep_page_image", refuse)
    assert body(look(clinician, document))[:4] == b"RIFF"
    assert not page_image_path(document.sha256, 1).exists()


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7", b"%PDF-1.7\n" + b"\x00" * 500, b"<html>no PDF at all</html>"]
)
def test_what_can_not_be_drawn_is_said_in_the_picture(
    content: bytes, clinician: Client, document: Document
) -> None:
    document_path(document.sha256).write_bytes(content)
    response = look(clinician, document)
    assert (response.status_code, response["Content-Type"]) == (503, "image/svg+xml")
    assert response["Cache-Control"] == "no-store"
    assert b"page 1 can&#x27;t be made" in (told := body(response)) and b"original" in told


def test_a_page_that_takes_too_long_is_given_up(
    clinician: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "DRAWING_S", 0.05)
    response = look(clinician, document)
    assert response.status_code == 503
    assert b"longer than" in (told := body(response)) and b"Nothing is lost" in told


def test_those_who_wait_for_others_are_told(
    clinician: Client, document: Document, monkeypatch: pytest.MonkeyPatch, children: list[int]
) -> None:
    monkeypatch.setattr(pictures, "DRAWING_S", 0.05)
    monkeypatch.setattr(pictures, "_AT_ONCE", threading.BoundedSemaphore(1))
    with pictures._AT_ONCE:
        response = look(clinician, document)
    assert b"others are being made" in body(response)
    assert children == []


def test_many_at_once_get_the_same_whole_picture(document: Document) -> None:
    found: list[bytes] = []

    def ask() -> None:
        found.append(pictures.open_picture(document, 1).read())
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert set(found) == {page_image_path(document.sha256, 1).read_bytes()}


def test_what_a_child_leaves_in_place_of_a_picture_is_never_served(
    tmp_path: Path, document: Document, clinician: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hostile PDF may take over its child: no link and nothing but a WebP may be served."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"RIFF....WEBP secret")
    code = "import os, sys; os.symlink(sys.argv[4], sys.argv[3] + '/1.webp')"
    program = tmp_path / "link.py"
    program.write_text(code.replace("sys.argv[4]", repr(str(secret))))
    monkeypatch.setattr(sandbox, "CHILD", (sandbox.CHILD[0], str(program)))
    response = look(clinician, document)
    assert response.status_code == 503
    assert b"secret" not in body(response)


def test_only_pages_of_the_document_and_of_pdfs_are_drawn(
    clinician: Client, document: Document, children: list[int]
) -> None:
    assert look(clinician, document, 3).status_code == 404
    document.pages.filter(number=2).update(width=0)
    assert look(clinician, document, 2).status_code == 404
    Document.objects.update(media_type="text/html")
    assert look(clinician, document, 1).status_code == 404
    assert children == []
