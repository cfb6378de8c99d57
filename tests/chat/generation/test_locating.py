"""Test where a quote is found: by its words in order, whatever lies between them."""

import random

import pytest

from chat.generation.placing import located, page_ranges
from retrieval.types import Span

ROW = "Child | Over 4 years | 250 mg* | twice a day"
SENTENCE = "Do not offer loperamide, or any other medicine that slows the gut, to people with it"
TEXT = (
    f"Give 1.5 mg/kg\n of café-au-lait, not 15 mg.  Give 5 mg (café) now.\n| {ROW} |\n{SENTENCE}."
)


def found(quote: str, text: str = TEXT) -> list[str]:
    return [text[start:end] for start, end in located(quote, text)]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Give 1.5 mg/kg of", ["Give 1.5 mg/kg\n of"]),
        ("  give\t1.5\nMG / kg  ", ["Give 1.5 mg/kg"]),
        ("Give", ["Give", "Give"]),
        ("5 mg", ["5 mg"]),  # neither in 1.5 mg nor in 15 mg
        ("cafe\u0301) now", ["café) now"]),
        ("Child; over 4 years: 250 mg twice a day",
         ["Child | Over 4 years | 250 mg* | twice a day"]),
        ("Child - twice a day", ["Child | Over 4 years | 250 mg* | twice a day"]),
        ("Do not offer loperamide or another medicine that slows the gut to people with it",
         [SENTENCE]),
    ],
)  # fmt: skip
def test_is_found_where_it_stands(quote: str, expected: list[str]) -> None:
    assert found(quote) == expected


@pytest.mark.parametrize(
    "quote",
    [
        "", " \n", "…", "Give 1.6 mg", "ive 1.5 mg", "1.5 m", "5 g", ".5 mg", "cafe",
        "Child; over 4 years: 500 mg twice a day", "Offer paracetamol to people with it",
    ],
)  # fmt: skip
def test_is_not_found_elsewhere(quote: str) -> None:
    assert found(quote) == []


def test_a_number_that_is_not_there_is_never_passed_over() -> None:
    words = TEXT.split("\n")[3]
    assert found(words.replace("Do not", "Do not, 3 times,")) == []


def test_every_run_of_words_is_found_and_random_ones_are_not() -> None:
    draw = random.Random(5)
    words = TEXT.replace("|", " ").split()
    for _ in range(200):
        start = draw.randrange(len(words))
        run = words[start : start + draw.randrange(1, 12)]
        assert found(" ".join(run)), run
    for _ in range(200):
        assert not found(" ".join(draw.choice("aeiou") * 3 for _ in range(6)))


def test_ranges_of_pages_leave_out_what_joins_spans() -> None:
    spans = [Span(page=3, start=100, end=110, offset=0), Span(page=4, start=0, end=5, offset=11)]
    assert page_ranges(spans, (0, 16)) == ((3, 100, 110), (4, 0, 5))
    assert page_ranges(spans, (2, 4)) == ((3, 102, 104),)
    assert page_ranges(spans, (9, 13)) == ((3, 109, 110), (4, 0, 2))
    assert page_ranges(spans, (10, 11)) == ()
    assert page_ranges([], (0, 5)) == ()
