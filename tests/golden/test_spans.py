"""Every known answer is, verbatim, on the page that its question names."""

import json
import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from docx import Document

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GOLDEN = Path(__file__).resolve().parent
SCAN = "anaphylaxis-scan.pdf"


def questions() -> list[dict[str, Any]]:
    sets = ("questions.json", "development.json")
    return [item for name in sets for item in json.loads((GOLDEN / name).read_text())]


@cache
def page_texts(name: str) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in raw_pages(SAMPLES / "guidelines" / name))


def raw_pages(path: Path) -> list[str]:
    if path.name == SCAN:
        return (SAMPLES / "content" / "anaphylaxis-scan.txt").read_text().split("[page]")
    if path.suffix == ".pdf":
        pages = pypdfium2.PdfDocument(path)
        return [page.get_textpage().get_text_bounded() for page in pages]
    if path.suffix == ".docx":
        document = Document(str(path))
        cells = [cell for table in document.tables for row in table.rows for cell in row.cells]
        return ["\n".join(part.text for part in [*document.paragraphs, *cells])]
    text = path.read_text(encoding="utf-8")
    return [unescape(re.sub(r"<[^>]+>", " ", text)) if path.suffix == ".html" else text]


@pytest.mark.parametrize("item", questions(), ids=lambda item: item["id"])
def test_span_stands_on_its_page(item: dict[str, Any]) -> None:
    assert item["answerable"] == (item["reason"] is None)
    assert bool(item["documents"]) == (item["reason"] != "WEAK_EVIDENCE")
    for name in item["documents"]:
        assert item["span"] in page_texts(name)[item["page"] - 1]


def test_what_must_never_be_shown_stands_in_a_sample() -> None:
    """Else it could never be shown, and its test could not fail."""
    names = [path.name for path in (SAMPLES / "guidelines").iterdir()]
    whole = " ".join(text for name in names for text in page_texts(name))
    for item in questions():
        for text in item.get("never", ()):
            assert text in whole, item["id"]


def test_out_of_date_answers_stand_only_in_documents_not_in_force() -> None:
    manifest = json.loads((SAMPLES / "manifest.json").read_text())
    lifecycle = {entry["file"]: entry["lifecycle"] for entry in manifest["documents"]}
    for item in questions():
        in_force = {lifecycle[name] == "PUBLISHED" for name in item["documents"]}
        assert in_force <= {item["answerable"]}, item["id"]


def test_manifest_lists_exactly_the_files_that_are_there() -> None:
    manifest = json.loads((SAMPLES / "manifest.json").read_text())
    listed = {entry["file"] for entry in manifest["documents"]}
    assert listed == {path.name for path in (SAMPLES / "guidelines").iterdir()}
