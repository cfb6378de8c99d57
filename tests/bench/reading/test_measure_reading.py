"""`manage.py bench --reading` on a document of which a page was transcribed."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from bench.reading.hashing import digest_of, hashed, page_key
from bench.reading.truth import TRUTH, read_truth
from bench.reading.words import cell_words_of, words_of
from tests.corpus.parsing.parsing_fixtures import DOSES, dosing_table, make_pdf, plain_page
from tests.tables import rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make two readable documents and a broken one."""
    documents = tmp_path / "documents"
    (documents / "below").mkdir(parents=True)
    make_pdf(documents / "dose.pdf", dosing_table(ruled=True), plain_page("warfarin"))
    make_pdf(documents / "below" / "other.PDF", plain_page("heparin"))
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    return documents


def truth_of(folder: Path, path: Path) -> Path:
    """Transcribe the first page of `dose.pdf`, with a wrong cell and a running header."""
    content = (folder / "dose.pdf").read_bytes()
    key = page_key(content, 1)

    def words(text: str) -> str:
        return "".join(hashed(words_of(text), key))

    cells = [
        [row, column, 1, 1, int(row == 0), "".join(hashed(cell_words_of(text), key))]
        for row, texts in enumerate(DOSES)
        for column, text in enumerate(texts)
    ]
    cells[-1][-1] = words("Never")
    blocks = [
        {"kind": "heading", "words": words("1 Dose"), "level": 1},
        {"kind": "paragraph", "words": words("Give the dose in Table 1 under the skin.")},
        {"kind": "caption", "words": words("Table 1. Dose by weight")},
        {"kind": "table", "cells": cells},
        {"kind": "footnote", "words": words("* Reassess every day.")},
        {"kind": "paragraph", "words": words("Measure the platelet count in the second week.")},
    ]
    of_dose = {"document": digest_of(content)}
    pages = [
        {**of_dose, "page": 1, "dropped": [words("A header")], "blocks": blocks},
        {**of_dose, "page": 2, "dropped": [], "blocks": [], "unsure": True},
        {
            "document": digest_of((folder / "broken.pdf").read_bytes()),
            "page": 1,
            "dropped": [],
            "blocks": [],
        },
        {"document": "0" * 64, "page": 1, "dropped": [], "blocks": []},
    ]
    path.write_bytes(gzip.compress(json.dumps({"form": 1, "pages": pages}).encode()))
    return path


def test_pages_are_compared_with_what_a_person_wrote(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = truth_of(folder, tmp_path / "truth.json.gz")
    call_command("bench", reading=folder, truth=truth)
    said = capsys.readouterr().out
    assert "other.PDF" not in said, "only documents of the truth are read"
    assert "broken.pdf: 1 pages, FAILED: " in said
    assert "1 documents of the truth are not there" in said
    cells = len(DOSES) * len(DOSES[0])
    assert f"{cells - 1} found, {cells} there, {cells} read" in said
    assert "headings     precision 0.500  recall 1.000" in said
    sure = said.split("without those that can be read in two ways:")[1]
    assert "headings     precision 1.000  recall 1.000  F1 1.000" in sure
    assert "leaked       0.000 [0.000, 0.000] (n=1) of 1 running headers" in said
    assert "words can be quoted (" in said
    assert (
        "doubts       0 of 1 pages with a wrong cell or lost word have a value in doubt, " in said
    )


def test_a_folder_without_a_document_of_the_truth_is_refused(folder: Path, tmp_path: Path) -> None:
    truth = truth_of(folder, tmp_path / "truth.json.gz")
    with pytest.raises(CommandError, match="holds no document of"):
        call_command("bench", reading=folder / "below", truth=truth)


CONTENT = b"%PDF-1.7 the bytes of a guideline"


@pytest.mark.parametrize(("one", "other"), rows(__file__, "alike_readings.jsonl"))
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


def test_the_truth_of_the_repository_can_be_read() -> None:
    pages = read_truth(TRUTH)
    assert len({(page.document, page.number) for page in pages}) == len(pages) == 60
    assert all(page.blocks for page in pages)
    assert TRUTH.stat().st_size < 200_000


def test_no_page_is_in_two_of_the_files_of_the_repository() -> None:
    files = sorted(TRUTH.parent.glob("*.json.gz"))
    pages = [(page.document, page.number) for path in files for page in read_truth(path)]
    assert len(files) == 4
    assert len(set(pages)) == len(pages) == 60 + 30 + 16 + 15
