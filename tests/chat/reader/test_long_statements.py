"""Test which part of a long statement a reader reads."""

import pytest

from chat.reader.long_statements import MAX_STATEMENT_CHARS, read_part
from retrieval.lexical.search import AskedLexeme

LABEL = "Treatment: Second choices for children aged 3 months and over, in this order"
DOSES = " ".join(
    f"{name}: 3 months to 4 years, {n} mg/kg twice a day for 3 days "
    f"5 years to 15 years, {n}0 mg twice a day for 3 days, with food and not with antacids."
    for n, name in enumerate(("Aximol", "Bexamol", "Coximol", "Daxifen", "Eximol", "Fexamol"), 1)
)
ROW = f"{LABEL}; Dosage and course length: {DOSES} {DOSES.replace('mol', 'cin')}"


def asked(**idf: float) -> tuple[AskedLexeme, ...]:
    return tuple(AskedLexeme(lexeme, 10, value) for lexeme, value in idf.items())


@pytest.mark.parametrize("name", ["Coximol", "Fexamol", "Axicin", "Fexacin"])
def test_the_medicine_that_is_asked_for_is_read_with_its_label(name: str) -> None:
    read = read_part(ROW, asked(child=2.0, dose=1.0, **{name.lower()[:6]: 6.0}))
    assert len(read) <= MAX_STATEMENT_CHARS < len(ROW)
    assert read.startswith(LABEL)
    number = "ABCDEF".index(name[0]) + 1
    assert f"{name}: 3 months to 4 years, {number} mg/kg" in read


def test_a_short_statement_is_read_as_it_is() -> None:
    assert read_part(LABEL, asked(order=3.0)) == LABEL


@pytest.mark.parametrize(
    "words", [{}, {"nothing": 9.0}, {"treatment": 5.0}, {"second": 5.0, "aximol": 1.0}]
)
def test_without_another_word_behind_it_the_beginning_is_read(words: dict[str, float]) -> None:
    assert read_part(ROW, asked(**words)) == ROW[:MAX_STATEMENT_CHARS]


def test_of_two_places_the_one_with_the_other_words_counts() -> None:
    filler = "Nothing is said here that matters to anybody. " * 20
    text = f"{filler}Give samplin with milk. {filler}Give samplin to neonates. {filler}"
    assert "samplin to neonates" in read_part(text, asked(samplin=6.0, neonate=5.0))
    assert "samplin with milk" in read_part(text, asked(samplin=6.0, milk=5.0))


def test_another_name_of_the_word_is_found() -> None:
    lexeme = AskedLexeme("cephalexin", 0, 9.0, forms=frozenset({"fexacin"}))
    assert "Fexacin: 3 months" in read_part(ROW, (lexeme,))
