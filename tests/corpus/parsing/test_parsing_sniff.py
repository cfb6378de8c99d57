"""Test how a file's type is found before anything parses it."""

import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from corpus.parsing import sniff
from corpus.parsing.sniff import media_type_of
from corpus.parsing.types import ParseError
from tests.corpus.parsing import parsing_fixtures as fixtures


def _code(source: Path | bytes, name: str) -> str:
    with pytest.raises(ParseError) as caught:
        media_type_of(source, name)
    assert caught.value.hint
    assert not caught.value.retryable
    return caught.value.code


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.pdf", b"%PDF-1.7\n", sniff.PDF),
        ("A.PDF", b"\n%PDF-1.4\n", sniff.PDF),
        ("a.docx", b"PK\x03\x04rest", sniff.DOCX),
        ("a.odt", b"PK\x03\x04rest", sniff.ODT),
        ("a.epub", b"PK\x03\x04rest", sniff.EPUB),
        ("a.eml", b"Received: from x\r\n by y\r\nX-Z: 1\r\nSubject: Dose\r\n\r\nGive", sniff.EMAIL),
        ("a.html", b"<!DOCTYPE html><p>text", sniff.HTML),
        ("a.htm", "\ufeff<html>".encode("utf-16"), sniff.HTML),
        ("a.md", b"# Title\n", sniff.MARKDOWN),
        ("a.txt", "Bisoprolol 2,5 mg täglich".encode("cp1252"), sniff.TEXT),
        ("a.xml", b'<?xml version="1.0"?><Document/>', sniff.XML),
    ],
)
def test_name_and_content_agree(name: str, head: bytes, expected: str) -> None:
    assert media_type_of(head, name) == expected


@pytest.mark.parametrize(
    ("name", "head", "code"),
    [
        ("a.pdf", b"", "empty_file"),
        ("a.pdf", b"\x00" * 4096, "empty_file"),
        ("a.exe", b"MZ\x90", "unsupported_type"),
        ("noextension", b"text", "unsupported_type"),
        ("a.pdf.zip", b"PK\x03\x04", "unsupported_type"),
        ("a.pdf", b"PK\x03\x04rest", "type_mismatch"),
        ("a.docx", b"%PDF-1.7", "type_mismatch"),
        ("a.txt", b"\x7fELF\x02\x01", "type_mismatch"),
        ("a.md", bytes(range(256)) * 4, "type_mismatch"),
        ("a.ods", b"<office:document/>", "type_mismatch"),
        ("a.eml", b"Give 5 mg.\nSubject: dose", "type_mismatch"),
        ("a.eml", b"PK\x03\x04rest", "type_mismatch"),
        ("a.html", b"only words", "type_mismatch"),
        ("a.xml", b"no tag", "type_mismatch"),
        ("a" * 296 + ".pdf", b"GIF89a", "type_mismatch"),
    ],
)
def test_what_is_refused_has_a_code_and_a_hint(name: str, head: bytes, code: str) -> None:
    assert _code(head, name) == code


def test_a_file_that_begins_with_blanks_is_not_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\n" * 3_000_000 + b"Give ten.\n")
    assert media_type_of(path, path.name) == sniff.TEXT
    path.write_bytes(b"\n\x00" * 1_000_000)
    assert _code(path, path.name) == "empty_file"


def test_a_zip_bomb_is_not_opened(tmp_path: Path) -> None:
    path = fixtures.office_zip(tmp_path / "a.docx", {"word/big.xml": b"0" * 60_000_000})
    assert _code(path, path.name) == "archive_bomb"


def test_a_zip_with_thousands_of_parts_is_not_opened(tmp_path: Path) -> None:
    parts = {f"word/{number}.xml": b"" for number in range(2_001)}
    path = fixtures.office_zip(tmp_path / "a.docx", parts)
    assert _code(path, path.name) == "archive_bomb"


def test_a_zip_with_a_directory_of_megabytes_takes_no_memory(tmp_path: Path) -> None:
    entries = (b"PK\x01\x02%s%05x" % (bytes(24) + b"\x05" + bytes(17), n) for n in range(50_000))
    directory = b"".join(entries)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 50_000, 50_000, len(directory), 30, 0)
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x03\x04" + bytes(26) + directory + end)
    assert len(zipfile.ZipFile(path).infolist()) == 50_000
    tracemalloc.start()
    assert _code(path, path.name) == "archive_bomb"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * 2**20


@pytest.mark.parametrize("name", ["../outside.xml", "/etc/passwd", "word/../../x", "C:\\x"])
def test_a_zip_that_points_outside_is_refused(tmp_path: Path, name: str) -> None:
    path = fixtures.office_zip(tmp_path / "a.docx", {name: b"x"})
    assert _code(path, path.name) == "archive_unsafe"


def test_a_zip_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = fixtures.office_zip(tmp_path / "a.docx", {}).rename(tmp_path / "a.xlsx")
    assert _code(path, path.name) == "type_mismatch"


def test_a_truncated_zip_is_refused(tmp_path: Path) -> None:
    whole = fixtures.office_zip(tmp_path / "a.docx", {}).read_bytes()
    path = tmp_path / "b.docx"
    path.write_bytes(whole[: len(whole) // 2])
    assert _code(path, path.name) == "archive_corrupt"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("DOC", ".docx"),
        ("ppt", ".pptx"),
        ("xls", ".xlsx"),
        ("msg", ".eml or .pdf"),
        ("rtf", ".docx"),
        ("PNG", ".pdf"),
        ("jpeg", ".pdf"),
        ("tif", ".pdf"),
    ],
)
def test_what_is_not_read_is_answered_with_what_to_save_it_as(old: str, new: str) -> None:
    with pytest.raises(ParseError) as failed:
        media_type_of(b"\xd0\xcf\x11\xe0" + bytes(600), f"guideline.{old}")
    assert failed.value.code == "unsupported_type"
    assert f"save it as {new}" in failed.value.sentence
