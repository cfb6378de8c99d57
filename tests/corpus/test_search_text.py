"""What PostgreSQL's full text is given to read."""

import random

import pytest
from django.db import connection

from corpus.search_text import normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".5 mg", "0.5 mg"),
        ("0.5 mg", "0.5 mg"),
        ("give .25–.5 mg", "give 0.25–0.5 mg"),
        ("1,5 mg", "1.5 mg"),
        ("1,500 units", "1500 units"),
        ("1,500,000 units", "1500000 units"),
        ("5, 10 and 15", "5, 10 and 15"),
        ("mg/kg", "mg / kg"),
        ("metformin/sitagliptin", "metformin / sitagliptin"),
        ("120/80", "120 / 80"),
        ("IL-6", "IL6 IL 6"),
        ("SARS-CoV-2", "SARS-CoV2 CoV 2"),
        ("β-blocker", "beta -blocker"),
        ("5 µg", "5 ug"),
        ("5 μg", "5 ug"),
        ("ﬁbrosis", "fibrosis"),
        ("non‑smoker", "non-smoker"),
        ("infor-\nmation and follow-\nup", "information infor-mation and followup follow-up"),
        ("  a \n b\t", "a b"),
        ("", ""),
    ],
)
def test_takes_the_traps_out(text: str, expected: str) -> None:
    assert normalise(text) == expected


def test_the_same_text_normalised_twice_is_the_same() -> None:
    random.seed(6)
    pieces = [".5", "1,5", "1,500", "mg/kg", "µ", "β", "‑", "a", " ", "Ⅳ", "½", "é"]
    for _ in range(300):
        once = normalise(" ".join(random.choices(pieces, k=random.randrange(1, 12))))
        assert normalise(once) == once


def test_case_and_order_are_kept() -> None:
    assert normalise("Give Warfarin THEN Aspirin") == "Give Warfarin THEN Aspirin"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "lexemes"),
    [
        (".5 mg", {"0.5", "mg"}),
        ("metformin/sitagliptin", {"metformin", "sitagliptin"}),
        ("mg/kg", {"mg", "kg"}),
        ("IL-6", {"il6", "il", "6"}),
        ("1,500 units", {"1500", "unit"}),
    ],
)
def test_the_parser_reads_what_was_meant(text: str, lexemes: set[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tsvector_to_array(to_tsvector('english', %s))", [normalise(text)])
        assert set(cursor.fetchone()[0]) == lexemes
