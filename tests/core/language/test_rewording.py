"""Questions for exceptions, reworded positively: invented cases."""

import time

import pytest

from core.language.en.negation import asks_for_exception
from retrieval.rewriting.variants import asked_positively
from tests.retrieval.hostile import HANDMADE, random_queries
from tests.tables import cases


def reworded(question: str) -> str:
    return asked_positively(question, is_exception=asks_for_exception(question))


@pytest.mark.parametrize(("question", "wording"), cases(__file__, "rewording.tsv"))
def test_asked_positively(question: str, wording: str) -> None:
    assert reworded(question) == wording


@pytest.mark.parametrize("question", [*HANDMADE, *random_queries(60)])
def test_any_text_is_taken(question: str) -> None:
    asked_positively(question, is_exception=True)
    asked_positively(question, is_exception=False)


@pytest.mark.parametrize(
    "text", ["all is a b of ", "which not be given in ", "who can't take ", "is not a "]
)
def test_repeated_frames_end(text: str) -> None:
    started = time.process_time()
    asked_positively(text * 20_000, is_exception=True)
    assert time.process_time() - started < 10
