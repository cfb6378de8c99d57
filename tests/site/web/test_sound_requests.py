"""Test that malformed text is refused at the door, on every page in the same way."""

import io
from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from wsgiref.util import setup_testing_defaults

import pytest
from django.contrib.auth.models import User
from django.test import Client

from medrag_site.web.handler import Handler
from tests.chat.api.api_calls import assert_problem
from tests.chat.guidelines import publish_guideline

FORM = "application/x-www-form-urlencoded"
UTF_7 = b"username=+AGEAYg-&password=a"


@pytest.fixture
def root(db: None) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("root", password="root-secret"))
    return client


def said(response: Any) -> bytes:
    assert response.status_code == 400
    content: bytes = response.content
    return content


@pytest.mark.parametrize("charset", ["utf-7", "hex", "rot13", "utf-16", "undefined", "none", '"'])
def test_a_form_in_another_charset_is_refused(db: None, charset: str) -> None:
    client = Client(raise_request_exception=False)
    kind = f"{FORM}; charset={charset}"
    assert b"could not be read" in said(client.generic("POST", "/sign-in/", UTF_7, kind))
    assert_problem(client.generic("POST", "/api/v1/query", b"{}", kind), 400)


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"'])
def test_a_form_in_utf_8_is_read(alice: User, charset: str) -> None:
    form = b"username=alice&password=alice-secret"
    response = Client().post("/sign-in/", form, content_type=f"{FORM}; charset={charset}")
    assert response.status_code == 302


@pytest.mark.parametrize(
    "address",
    [
        "/admin/chat/auditevent/?action__exact=%00",
        "/admin/corpus/document/?q=a%00b",
        "/admin/corpus/document/?%00=a",
        "/admin/corpus/collection/a%00b/change/",
        "/static/%00.css",
        "/%00",
    ],
)
def test_nul_is_refused(root: Client, address: str) -> None:
    assert b"could not be read" in said(root.get(address))


def test_nul_in_a_form_or_a_cookie_is_refused(root: Client) -> None:
    said(root.post("/admin/corpus/document/", {"action": "\0", "_selected_action": "1\0"}))
    said(Client().get("/", HTTP_COOKIE='sessionid="aaaaaaaaaaaa\\000"'))


def test_nul_in_a_file_is_the_file_s_affair(root: Client) -> None:
    name = "/admin/corpus/document/add/"
    assert root.post(name, {"uploads": io.BytesIO(b"a\0b")}).status_code == 200


def test_a_charset_that_is_none_reaches_a_page(db: None) -> None:
    """Calls the WSGI application, since the test client makes its own requests."""
    environ: dict[str, Any] = {"CONTENT_TYPE": f"{FORM}; charset*=utf-8''{quote(chr(0))}"}
    setup_testing_defaults(environ)
    answers: list[str] = []

    def start(status: str, headers: Any, exc_info: Any = None, /) -> Callable[[bytes], object]:
        answers.append(status)
        return answers.append  # type: ignore[return-value]

    Handler()(environ, start)
    assert answers == ["400 Bad Request"]


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("/admin/retrieval/lexiconentry/", {"action": "use", "_selected_action": "_5F_00"}),
        ("/admin/corpus/document/", {"action": "publish", "_selected_action": ["1", "x"]}),
    ],
)
def test_a_value_that_no_field_holds_is_refused(
    root: Client, address: str, form: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert b"could not be read" in said(root.post(address, form))
    assert "Refused what no field holds" in caplog.text


def test_an_error_of_our_own_stays_one(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("corpus.admin.documents.worker_is_alive", broken)
    assert root.get("/admin/corpus/document/").status_code == 500


def test_nul_in_a_form_of_our_own_is_that_page_s_to_answer(root: Client) -> None:
    for address in ("/ask/", "/sign-in/", "/sign-out/"):
        for name in ("question", "username", "password", "next", "collection", "specialty"):
            response = root.post(address, {"username": "a", "password": "b", name: "a\0b"})
            assert response.status_code < 400, (address, name)


@pytest.mark.parametrize("name", ["q", "page", "collection", "chunk", "next", "format", "\0"])
def test_nul_in_a_query_is_refused_on_every_page(root: Client, name: str) -> None:
    page = f"/source/{publish_guideline().sha256}/1/"
    for address in ("/", "/guidelines/", "/conversations/", page, "/sign-in/"):
        said(root.get(address, {name: "a\0b"}))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (f"{FORM}; charset=utf-7", UTF_7),
        (FORM, b"a" * 3_000_000),
        (FORM, b"&".join(b"a%d=1" % number for number in range(1500))),
        ("multipart/form-data; boundary=b", b"--b\r\nnothing"),
        ("multipart/form-data", b""),
    ],
)
def test_a_form_that_can_not_be_read_is_refused_as_a_server_does_it(
    db: None, kind: str, body: bytes
) -> None:
    """With CSRF checks, which the test client leaves out; they run on error pages too."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.get("/sign-in/")
    response = client.generic("POST", "/sign-in/", body, kind)
    assert response.status_code in (400, 403)
    assert b"Traceback" not in response.content
