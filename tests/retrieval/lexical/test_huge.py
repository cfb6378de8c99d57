"""A question of any kind and length is analysed and cut, without an error and in bounded time."""

import unicodedata

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.language.words import MAX_CHARS
from retrieval.analysis import analyse
from retrieval.lexical.lexemes import MAX_ASKED_CHARS, MAX_ASKED_TOKENS, asked_lexemes
from retrieval.lexicon.spellings import MAX_SPELLINGS, respelled
from retrieval.lexicon.terms import MAX_EXPANSIONS
from tests.corpora import publish
from tests.retrieval.lexical.huge import CHARS, HUGE, odd_texts

pytestmark = pytest.mark.django_db
MOST = 2 * MAX_EXPANSIONS + MAX_SPELLINGS


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_is_analysed_and_cut_within_bounds(text: str) -> None:
    publish("# Gentamicin\nGive gentamicin 5 mg/kg once daily.")
    assert len(text) >= CHARS
    analysis = analyse(text)
    assert analysis.text == text
    assert len(analysis.expansions) <= MOST
    asked_lexemes("gentamicin")  # fills the process's cache of languages
    with CaptureQueriesContext(connection) as queries:
        lexemes = asked_lexemes(text, language=analysis.language, spelled=analysis.expansions)
    assert len(queries) <= 1
    # A token is a lexeme or two, in capitals and small letters; a long one a few.
    assert len(lexemes) <= 3 * MAX_ASKED_TOKENS
    assert [each.lexeme for each in lexemes] == sorted(each.lexeme for each in lexemes)
    again = asked_lexemes(text, language=analysis.language, spelled=analysis.expansions)
    assert again == lexemes


def test_what_grows_when_it_is_normalised_is_cut_by_what_it_grows_to() -> None:
    blessing = "\ufdfa"
    long, short = (
        asked_lexemes(text, language="ar", spelled=())
        for text in (blessing * CHARS, blessing * (MAX_ASKED_CHARS // 18))
    )
    assert len(unicodedata.normalize("NFKC", blessing)) == 18
    assert [each.lexeme for each in long] == [each.lexeme for each in short] != []


def test_what_is_read_of_a_question_is_its_beginning() -> None:
    asked = " ".join(f"x{place}y" for place in range(3 * MAX_ASKED_TOKENS))
    lexemes = {each.lexeme for each in asked_lexemes(asked, spelled=())}
    assert {"x0y", f"x{MAX_ASKED_TOKENS - 1}y"} <= lexemes
    assert f"x{MAX_ASKED_TOKENS}y" not in lexemes
    assert analyse("a " * MAX_CHARS + "DKA").expansions == ()


def test_odd_texts_never_raise() -> None:
    for text in odd_texts(150, seed=7):
        analysis = analyse(text)
        assert respelled(text) == respelled(text)
        asked_lexemes(text, language=analysis.language, spelled=analysis.expansions)
