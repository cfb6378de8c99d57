"""Words, their hashes, transcripts, and the truth file."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from bench.reading.hashing import digest_of, hashed, page_key
from bench.reading.truth import TRUTH, read_truth, write_truth
from bench.reading.words import words_of
from bench.reading.written import read_written

CONTENT = b"%PDF-1.7 the bytes of a guideline"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Co-amoxiclav 10mg", "co‑amoxiclav 10 mg"),
        ("• Stop; wait.", "stop wait"),
        ("o Hollow bullet", "Hollow bullet"),
        ("ﬁrst µg", "first μg"),
        ("patients1", "Patients 1"),
        ("1.2.4 Offer", "1.2.4. offer"),
        ("treat\u00adment", "treatment"),
    ],
)
def test_what_only_looks_otherwise_is_the_same(one: str, other: str) -> None:
    assert words_of(one) == words_of(other)


def test_a_hash_needs_the_bytes_of_the_document_and_the_page() -> None:
    here = hashed(["dose"], page_key(CONTENT, 1))
    assert here == hashed(["dose"], page_key(CONTENT, 1))
    assert len(here[0]) * 4 == 32
    elsewhere = [
        page_key(CONTENT, 2),
        page_key(CONTENT + b" ", 1),
        page_key(digest_of(CONTENT).encode(), 1),
        page_key(hashlib.sha256(CONTENT).digest(), 1),
    ]
    assert here not in [hashed(["dose"], key) for key in elsewhere]


def written(folder: Path, **changes: Any) -> Path:
    """Write a document and the transcript of one page; return the folder of transcripts."""
    pages = folder / "pages"
    pages.mkdir(exist_ok=True)
    (folder / "guideline.pdf").write_bytes(CONTENT)
    cells = [
        {"row": 0, "column": 0, "rows": 1, "columns": 2, "text": "Dose", "header": True},
        {"row": 1, "column": 0, "text": "Adults"},
        {"row": 1, "column": 1, "text": "5 mg"},
        {"row": 2, "column": 0, "text": ""},
    ]
    raw = {
        "document": "guideline.pdf",
        "page": 3,
        "has_table": True,
        "unsure": "two ways to read the list",
        "dropped": ["Local guideline", "3 of 9", "•"],
        "blocks": [
            {"kind": "heading", "text": "1 Treatment", "level": 2},
            {"kind": "list_item", "text": "Give it.", "marker": "1.1"},
            {"kind": "list_item", "text": "1.2 Stop it.", "marker": "1.2"},
            {"kind": "list_item", "text": "Wait.", "marker": "o"},
            {"kind": "paragraph", "text": "—"},
            {"kind": "table", "cells": cells},
        ],
    }
    (pages / "guideline.p3.json").write_text(json.dumps(raw | changes), encoding="utf-8")
    return pages


def test_the_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    (page,) = pages = read_written(written(tmp_path), tmp_path)
    write_truth(tmp_path / "truth.json.gz", pages)
    assert read_truth(tmp_path / "truth.json.gz") == pages
    key = page_key(CONTENT, 3)
    texts = ["1 Treatment", "1.1 Give it", "1.2 Stop it", "Wait", "Dose Adults 5 mg"]
    assert [block.words for block in page.blocks] == [hashed(words_of(t), key) for t in texts]
    assert [block.level for block in page.blocks] == [2, 0, 0, 0, 0]
    places = [(cell.row, cell.column, cell.end, cell.is_header) for cell in page.blocks[-1].cells]
    assert places == [(0, 0, (1, 2), True), (1, 0, (2, 1), False), (1, 1, (2, 2), False)]
    assert page.dropped == tuple(hashed(words_of(t), key) for t in ("Local guideline", "3 of 9"))
    assert (page.document, page.number) == (hashlib.sha256(CONTENT).hexdigest(), 3)
    assert (page.has_table, page.has_boxes, page.scanned, page.unsure) == (True, False, False, True)


def test_the_file_has_no_word_of_the_document_and_is_the_same_each_time(tmp_path: Path) -> None:
    pages = read_written(written(tmp_path), tmp_path)
    for name in ("one", "other"):
        write_truth(tmp_path / name, pages)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    text = gzip.decompress((tmp_path / "one").read_bytes()).decode().casefold()
    assert not [
        word for word in ("treat", "dose", "adults", "guideline", "two ways") if word in text
    ]


def test_the_truth_of_the_repository_can_be_read() -> None:
    pages = read_truth(TRUTH)
    assert len({(page.document, page.number) for page in pages}) == len(pages) == 60
    assert all(page.blocks for page in pages)
    assert TRUTH.stat().st_size < 200_000
