"""`manage.py bench --reading`: times, comparison, and the report on a bad file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from bench.speed.readers import _Clock, read, readers
from bench.speed.speeds import summary
from tests.corpus.parsing.parsing_fixtures import (
    DOSES,
    dosing_table,
    make_pdf,
    picture_pdf,
    plain_page,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make two readable documents and a broken one."""
    documents = tmp_path / "documents"
    (documents / "below").mkdir(parents=True)
    make_pdf(documents / "dose.pdf", dosing_table(ruled=True), plain_page("warfarin"))
    make_pdf(documents / "below" / "other.PDF", plain_page("heparin"))
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (documents / "notes.txt").write_text("no PDF")
    return documents


def say(capsys: pytest.CaptureFixture[str], **options: Any) -> str:
    call_command("bench", **options)
    return capsys.readouterr().out


def test_each_file_has_a_line_and_a_bad_one_its_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = say(capsys, reading=folder)
    assert re.search(r"^dose\.pdf +here +2 +0 +\d", said, re.MULTILINE)
    assert re.search(r"^other\.PDF +here +1 +0 +\d", said, re.MULTILINE)
    assert re.search(r"^broken\.pdf +here +0 +0 +0\.00 +0\.00  FAILED: \w", said, re.MULTILINE)
    assert "here: 2 documents read; 3 pages in " in said
    assert "here: 1 documents failed, after " in said
    assert "here: 3 text pages in " in said
    assert "here: 0 scanned pages" in said
    assert "notes" not in said


def test_another_checkout_reads_the_same_files(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder.parent / "older"
    other.symlink_to(settings.BASE_DIR)
    assert f"PYTHONPATH={settings.BASE_DIR}" in readers(other)[1].command
    said = say(capsys, reading=folder / "dose.pdf", against=other)
    assert re.search(r"^dose\.pdf +there +2 ", said, re.MULTILINE)
    assert "here against there, on the 1 documents that both read:" in said
    assert re.search(r"^text pages: 2, \d+\.\d\d times as fast by processor time, \d", said, re.M)
    assert "scanned pages: 0, none to compare" in said


def test_a_page_without_text_is_counted_apart(tmp_path: Path) -> None:
    source = make_pdf(tmp_path / "source.pdf", plain_page("warfarin"))
    one = read(readers(None)[0], picture_pdf(tmp_path / "scan.pdf", source), max_pages=10)
    assert (one.pages, one.scanned, one.failure) == (1, frozenset({1}), "")
    assert one.seconds_of(one.scanned) == pytest.approx((one.cpu_s, one.wall_s))
    assert "1 scanned pages in " in "\n".join(summary("here", [one]))


def test_times_of_pages_add_up_to_that_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, now = _Clock(), iter((1.0, 3.0, 5.0, 5.5, 8.5))
    monkeypatch.setattr("bench.speed.readers.time.perf_counter", lambda: next(now))
    for done, total in ((0, 0), (0, 3), (0, 3), (1, 3), (3, 3)):
        clock.tick(done, total)
    assert clock.took_s == {1: 5.5 - 3.0, 2: (8.5 - 5.5) / 2, 3: (8.5 - 5.5) / 2}
    rest = (11.0 - (8.5 - 3.0)) / 3
    assert clock.shares(11.0) == pytest.approx(
        {1: (2.5 + rest) / 11, 2: (1.5 + rest) / 11, 3: (1.5 + rest) / 11}
    )
    assert _Clock().shares(1.0) == {}


def written(folder: Path, pages: Path) -> Path:
    """Transcribe the first page of `dose.pdf`, with a wrong cell and a running header."""
    pages.mkdir()
    cells = [
        {"row": row, "column": column, "text": text, "header": row == 0}
        for row, texts in enumerate(DOSES)
        for column, text in enumerate(texts)
    ]
    cells[-1]["text"] = "Never"
    blocks = [
        {"kind": "heading", "text": "1 Dose", "level": 1},
        {"kind": "paragraph", "text": "Give the dose in Table 1 under the skin."},
        {"kind": "caption", "text": "Table 1. Dose by weight"},
        {"kind": "table", "cells": cells},
        {"kind": "footnote", "text": "* Reassess every day."},
        {"kind": "paragraph", "text": "Measure the platelet count in the second week."},
    ]
    raw = {"document": "dose.pdf", "page": 1, "dropped": ["A header"], "blocks": blocks}
    (pages / "dose.p1.json").write_text(json.dumps(raw), encoding="utf-8")
    unsure = {"document": "dose.pdf", "page": 2, "dropped": [], "blocks": [], "unsure": "so or so"}
    (pages / "dose.p2.json").write_text(json.dumps(unsure), encoding="utf-8")
    return pages


def test_pages_are_compared_with_what_a_person_wrote(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth, pages = tmp_path / "truth.json.gz", written(folder, tmp_path / "pages")
    said = say(capsys, reading=folder, write_truth=pages, truth=truth)
    assert "2 pages of 1 documents" in said
    said = say(capsys, reading=folder, truth=truth, list=True, against=settings.BASE_DIR)
    assert "other.PDF" not in said, "only documents of the truth are read"
    cells = len(DOSES) * len(DOSES[0])
    assert f"{cells - 1}/{cells}/{cells}" in said
    assert "headings         precision 0.500  recall 1.000" in said
    sure = said.split("without those that can be read in two ways:")[1]
    assert "headings         precision 1.000  recall 1.000  F1 1.000" in sure
    assert "true block 3: cell at row 3, column 2 not found" in said
    assert said.count(f"cells, F1{(cells - 1) / cells:27.3f}") == 1
    assert "leaked           0.000 [0.000, 0.000] (n=1) of 1 running headers" in said
