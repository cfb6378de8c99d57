"""Words, their hashes, and the truth file."""

import hashlib

import pytest

from bench.reading.hashing import digest_of, hashed, page_key
from bench.reading.truth import TRUTH, read_truth
from bench.reading.words import words_of

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
