"""Where a quote stands: verbatim but for white space and Unicode forms, and never inside a word."""

from __future__ import annotations

import re
import unicodedata

import pytest

from chat.generation.locating import occurrences, page_ranges
from chat.verification.texts import normalised
from retrieval.types import Span

TEXT = "Give 1.5 mg/kg\n of café-au-lait, not 15 mg.  Give 5 mg (café) now."


def found(quote: str, text: str = TEXT) -> list[str]:
    return [text[start:end] for start, end in occurrences(quote, text)]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Give 1.5 mg/kg of", ["Give 1.5 mg/kg\n of"]),
        ("  Give\t1.5\nmg/kg  ", ["Give 1.5 mg/kg"]),
        ("Give", ["Give", "Give"]),
        ("not 15 mg.", ["not 15 mg."]),
        ("5 mg", ["5 mg"]),  # the third, neither in 1.5 mg nor in 15 mg
        ("mg/kg", ["mg/kg"]),
        ("(café) now", ["(café) now"]),
        (TEXT, [TEXT]),
    ],
)
def test_is_found_where_it_stands(quote: str, expected: list[str]) -> None:
    assert found(quote) == expected


@pytest.mark.parametrize(
    "quote",
    [
        "", " \n", "give 1.5", "Give 1.6 mg", "Give 1.5 mg of", "1.5 mg/kg of cafe", "ive 1.5 mg",
        "1.5 m", "not 1", "Give 1", "5 mg/kg", ".5 mg", "Give 1.", "Give … mg", "“Give 1.5 mg/kg”",
    ],
)  # fmt: skip
def test_is_not_found_elsewhere(quote: str) -> None:
    assert found(quote) == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_unicode_forms_are_levelled_on_both_sides(form: str, asked: str) -> None:
    text = unicodedata.normalize(form, "Pétrir à l'eau tiède, là-bas.")  # type: ignore[arg-type]
    quote = unicodedata.normalize(asked, "à l'eau tiède")  # type: ignore[arg-type]
    (part,) = found(quote, text)
    assert normalised(quote) in normalised(part)
    assert unicodedata.normalize("NFC", part).rstrip(",") == "à l'eau tiède"


def test_a_letter_without_its_accent_is_another() -> None:
    assert found("a l", "e\u0301a l") == []
    assert found("caf e", "caf e\u0301") == []


def test_every_run_of_words_is_found_where_it_stands() -> None:
    words = [match.span() for match in re.finditer(r"\S+", TEXT)]
    for start, _ in words:
        for _, end in words:
            if start < end:
                assert (start, end) in occurrences(TEXT[start:end], TEXT)


def test_ranges_of_pages_leave_out_what_joins_spans() -> None:
    spans = [Span(page=3, start=100, end=110, offset=0), Span(page=4, start=0, end=5, offset=11)]
    assert page_ranges(spans, (0, 16)) == ((3, 100, 110), (4, 0, 5))
    assert page_ranges(spans, (2, 4)) == ((3, 102, 104),)
    assert page_ranges(spans, (9, 13)) == ((3, 109, 110), (4, 0, 2))
    assert page_ranges(spans, (10, 11)) == ()
    assert page_ranges([], (0, 5)) == ()
