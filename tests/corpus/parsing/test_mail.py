"""Test how e-mails are read, as several programs write them."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing.parsing_fixtures import block_texts, read

TABLE = "<table><tr><th>Age</th><th>Dose</th></tr><tr><td>2 y</td><td>1 mg</td></tr></table>"


def mail(text: str, html: str = "") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Dr Ann Example <ann@example.org>"
    message["To"] = "All wards <wards@example.org>"
    message["Subject"] = "New dose of gentamicin in sepsis"
    message["Date"] = "Wed, 03 Apr 2024 23:30:00 +0200"
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    return message


def read_mail(folder: Path, content: bytes) -> ParsedDocument:
    (folder / "a.eml").write_bytes(content)
    return read(folder / "a.eml", folder)


def test_html_is_read_before_text_below_what_the_headers_say(tmp_path: Path) -> None:
    html = f"<html><head><title>x</title></head><body><h2>Dose</h2><p>Give 5 mg.</p>{TABLE}</body>"
    document = read_mail(tmp_path, mail("Give 5 mg, as plain text.", html).as_bytes())
    (page,) = document.pages
    assert document.title == "New dose of gentamicin in sepsis"
    assert document.metadata == {"author": "Dr Ann Example", "date": "2024-04-03"}
    assert block_texts(page) == [
        ("heading", "New dose of gentamicin in sepsis"),
        ("paragraph", "From: Dr Ann Example"),
        ("paragraph", "Date: 2024-04-03"),
        ("heading", "Dose"),
        ("paragraph", "Give 5 mg."),
        ("table", "Age | Dose\n2 y | 1 mg"),
    ]
    assert page.doubts == ()


def test_plain_text_of_another_program(tmp_path: Path) -> None:
    content = (
        "Return-Path: <a@example.org>\r\nReceived: from x\r\n by y; 1 Apr 2024\r\n"
        "From: a@example.org\r\nSubject: =?utf-8?q?Dosis_f=C3=BCr_Kinder?=\r\n"
        'Content-Type: text/plain; charset="iso-8859-1"\r\n'
        "Content-Transfer-Encoding: quoted-printable\r\n\r\nGru=DF.\r\n\r\n- 5 mg\r\n"
        "- t=E4glich\r\n"
    )
    document = read_mail(tmp_path, content.encode())
    assert document.title == "Dosis für Kinder"
    assert document.pages[0].text == "Dosis für Kinder\nFrom: a@example.org\nGruß.\n5 mg\ntäglich"


def test_attachments_are_named_and_not_read(tmp_path: Path) -> None:
    message = mail("See the file.")
    message.add_attachment(b"9 mg", maintype="application", subtype="pdf", filename="dose.pdf")
    inner = mail("Inner 9 mg.")
    message.add_attachment(inner)
    (page,) = read_mail(tmp_path, message.as_bytes()).pages
    assert "9 mg" not in page.text
    (doubt,) = page.doubts
    assert doubt.code == "part_unread"
    assert "dose.pdf, message/rfc822" in doubt.message


def test_a_text_beside_the_html_is_no_form_of_it(tmp_path: Path) -> None:
    message = mail("Give 5 mg.")
    message.add_attachment("<p>The trust</p>", subtype="html", disposition="inline")
    (page,) = read_mail(tmp_path, message.as_bytes()).pages
    assert "The trust" in page.text
    assert [doubt.code for doubt in page.doubts] == ["part_unread"]


def test_a_picture_in_the_text_is_no_attachment(tmp_path: Path) -> None:
    message = mail("Text", f'<p>Give 5 mg. <img src="cid:a" alt="">{TABLE}</p>')
    html = message.get_body(("html",))
    assert isinstance(html, EmailMessage)
    html.add_related(b"\x89PNG", "image", "png", cid="<a>")
    (page,) = read_mail(tmp_path, message.as_bytes()).pages
    assert page.doubts == ()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Give 5 mg.\n\n> Give 9 mg.\n", ""),
        ("Give 5 mg.\n\n-----Original Message-----\nFrom: b\nGive 9 mg.\n", ""),
        ("Gib 5 mg.\n\nVon: b\nGesendet: heute\nGib 9 mg.\n", ""),
        (
            "x",
            "<p>Give 5 mg.</p><p><b>From:</b> B <a href='mailto:b@x.org'>b@x.org</a><br>"
            "<b>Sent:</b> Monday<br>Give 9 mg.</p>",
        ),
        ("x", "<p>Give 5 mg.</p><blockquote>Give 9 mg.</blockquote>"),
    ],
)
def test_an_earlier_mail_below_is_doubted(tmp_path: Path, text: str, html: str) -> None:
    (page,) = read_mail(tmp_path, mail(text, html).as_bytes()).pages
    assert [doubt.code for doubt in page.doubts] == ["standing_unsure"]


def test_struck_and_hidden_words_are_not_read(tmp_path: Path) -> None:
    html = '<p>Give <s>9 mg</s> 5 mg.</p><p style="display:none">9 mg</p>'
    (page,) = read_mail(tmp_path, mail("x", html).as_bytes()).pages
    assert "9 mg" not in page.text
    assert {doubt.code for doubt in page.doubts} == {"struck_out", "markup_left_out"}
