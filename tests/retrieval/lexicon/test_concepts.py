"""Concepts of texts, by made-up rows in UMLS's form and by a lexicon."""

import pytest

from retrieval.lexicon import concepts as module
from retrieval.lexicon.concepts import (
    Concepts,
    ConceptsUnreadable,
    concepts_of_lexicon,
    concepts_of_rows,
)
from retrieval.lexicon.terms import Entry, Lexicon
from tests.retrieval.lexicon.made_up_rows import ROWS, row
from tests.tables import cases, listed


@pytest.fixture(scope="module")
def known() -> Concepts:
    return concepts_of_rows(ROWS)


@pytest.mark.parametrize(("text", "found"), cases(__file__, "concepts.tsv", str, listed))
def test_the_longest_name_counts_whatever_its_case(
    known: Concepts, text: str, found: list[str]
) -> None:
    assert known.of(text) == set(found)


def test_capitals_tell_nothing_where_all_is_in_capitals(known: Concepts) -> None:
    assert known.of("SHOW ALL OF THEM WITH GLIMMER FEVER") == {"C01"}


def test_a_name_of_two_concepts_is_that_of_the_one_that_prefers_it() -> None:
    rows = [row("C20", "Chill"), row("C30", "chill", ts="P"), row("C10", "Chill")]
    assert concepts_of_rows(rows).of("a chill") == {"C30"}
    assert concepts_of_rows([rows[0], rows[2]]).of("a chill") == {"C10"}
    assert concepts_of_rows(rows[::-1]).fingerprint == concepts_of_rows(rows).fingerprint


def test_what_is_no_row_is_named_by_its_line() -> None:
    with pytest.raises(ConceptsUnreadable, match="Line 2 of the concepts has 3 columns, not 18"):
        concepts_of_rows([ROWS[0], "C01|ENG|P\n"])
    assert concepts_of_rows([ROWS[0].rstrip("|\n")]).of("glimmer fever") == {"C01"}


def test_too_many_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_NAMES", 2)
    with pytest.raises(ConceptsUnreadable, match="more than 2 names"):
        concepts_of_rows(ROWS)


def test_forms_of_a_lexicon_share_the_concept_of_their_words() -> None:
    known = concepts_of_lexicon(
        Lexicon(
            (
                Entry("DKA", "diabetic ketoacidosis", exact=True),
                Entry("sugar coma", "diabetic ketoacidosis", lay=True),
                Entry("epi pen", "adrenaline"),
                Entry("adrenaline", "epinephrine", same=True),
                Entry("left", "right", same=True),
                Entry("right", "left", same=True),
            )
        )
    )
    for text in ("DKA", "diabetic ketoacidosis", "a sugar coma"):
        assert known.of(text) == {"diabetic ketoacidosis"}
    assert known.of("dka") == set()
    for text in ("epi-pen", "Adrenaline", "epinephrine"):
        assert known.of(text) == {"epinephrine"}
    assert known.of("right and left") == {"left"}
    assert concepts_of_lexicon(Lexicon()).of("DKA") == set()
