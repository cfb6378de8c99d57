"""The text that PostgreSQL's full text search indexes."""

import random

import pytest
from django.db import connection

from core.language.configurations import NO, NOT, configuration_of
from corpus.indexing.search_text import indexed_text, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".5 mg", "0.5 mg"),
        ("0.5 mg", "0.5 mg"),
        ("give .25–.5 mg", "give 0.25 0.5 mg"),
        ("1,5 mg", "1.5 mg"),
        ("1,500 units", "1500 units"),
        ("1,500,000 units", "1500000 units"),
        ("5, 10 and 15", "5 10 and 15"),
        ("mg/kg", "mg kg"),
        ("metformin/sitagliptin", "metformin sitagliptin"),
        ("120/80", "120 80"),
        ("IL-6", "IL6 IL 6"),
        ("SARS-CoV-2", "SARSCoV2 SARS CoV 2"),
        ("β-blocker", "betablocker beta blocker"),
        ("5 µg", "5 microgram"),
        ("5 μg", "5 microgram"),
        ("ﬁbrosis", "fibrosis"),
        ("non‑smoker", "nonsmoker non smoker"),
        ("infor-\nmation and follow-\nup", "information infor mation and followup follow up"),
        ("  a \n b\t", "a b"),
        ("a<b | c>d", "a b c d"),
        ("x\x00y\ud800z", "x y z"),
        (
            "state-of-the-art-care-in-a-very-small-cottage",
            "state of the art care in a very small cottage",
        ),
        ("", ""),
    ],
)
def test_takes_the_traps_out(text: str, expected: str) -> None:
    assert normalise(text) == expected


def test_whatever_comes_in_words_and_numbers_between_single_spaces_come_out() -> None:
    random.seed(6)
    pieces = [
        ".5",
        "1,5",
        "1,500",
        "mg/kg",
        "µ",
        "β",
        "‑",
        "a",
        " ",
        "Ⅳ",
        "½",
        "é",
        "\x00",
        "\ud800",
    ]
    pieces += [
        *"'|&!<>-:*\\\"()[]{}%$#@~^`;,.?/=+",
        "\u0301",
        "ß",
        "漢",
        "\u00ad",
        "n't",
        "10^9",
        "Na+",
    ]
    for _ in range(2000):
        text = "".join(random.choices(pieces, k=random.randrange(1, 40)))
        once = normalise(text)
        assert once == normalise(text)
        assert once == " ".join(once.split())
        assert not set(once) & set("'|&!<>-:*\\\"()[]{}%$#@~^`;,?/=+\x00\ud800\n")


def test_a_context_counts_twice() -> None:
    assert indexed_text("Asthma › Dose", "Give it.") == "Asthma › Dose Asthma › Dose Give it"


@pytest.mark.parametrize(
    ("text", "configuration", "expected"),
    [
        ("hépatite", "english", "hepatite"),
        ("hépatite", "simple", "hepatite"),
        ("hépatite", "french", "hépatite hepatite"),
        ("ne donnez pas", "french", "not0 donnez not0"),
        ("nicht bei Asthma", "german", "not0 bei Asthma"),
        ("nicht bei Asthma", "english", "nicht bei Asthma"),
        ("no dar", "spanish", "not0 dar"),
        ("WHO", "german", "WHO"),
    ],
)
def test_languages_keep_what_their_stemmer_needs(
    text: str, configuration: str, expected: str
) -> None:
    assert normalise(text, configuration) == expected


@pytest.mark.parametrize(
    ("language", "configuration"),
    [("en", "english"), ("en-GB", "english"), ("DE_ch", "german"), ("fr", "french"), ("", "simple"),
     ("xx", "simple"), ("zh", "simple"), (" nb ", "norwegian")],
)  # fmt: skip
def test_a_language_chooses_its_configuration(language: str, configuration: str) -> None:
    assert configuration_of(language) == configuration


@pytest.mark.django_db
def test_postgresql_ships_every_configuration_and_none_drops_a_mark() -> None:
    for language in [
        *"ar ca da de el en es eu fi fr ga hi hu hy id it lt ne nl nb pt".split(),
        "xx",
    ]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT tsvector_to_array(to_tsvector(%s::regconfig, %s))",
                [configuration_of(language), f"{NOT} {NO}"],
            )
            assert set(cursor.fetchone()[0]) == {NOT, NO}, language


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
