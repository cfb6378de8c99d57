"""Test pictures of pages over HTTP: made at the first request and kept."""

import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

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
from corpus.sandbox import parent as sandbox
from corpus.services.indexing import document_index
from medrag_site.groups import STAFF
from tests.chat.guidelines import publish_guideline
from tests.corpus.admin.test_admin import member, page_of
from tests.corpus.documents import ingest
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.stored import document_path, page_image_path


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
