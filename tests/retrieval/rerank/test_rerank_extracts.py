"""The extract of a long passage that a reranker gets."""

from collections.abc import Sequence

import pytest

from retrieval.rerank.extracts import best_run, extract
from retrieval.rerank.types import Passage

FILLER = "The ward keeps the list of the staff in the office. "


def characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def shown(text: str, query: str, limit: int = 200, context: str = "Sepsis > Fluids") -> str:
    return extract(Passage("k", context, text), query, limit=limit, measure=characters)


def test_what_fits_is_shown_whole() -> None:
    assert shown("Give 500 mL.", "fluids") == "Sepsis > Fluids\nGive 500 mL."
    assert shown("Give 500 mL.", "fluids", context="") == "Give 500 mL."


@pytest.mark.parametrize("place", [0, 7, 19])
def test_the_part_that_answers_is_shown_wherever_it_stands(place: int) -> None:
    sentences = [FILLER] * 20
    sentences[place] = "Infuse crystalloid at 30 mL/kg in the first three hours. "
    found = shown("".join(sentences), "how much crystalloid is infused in the first hours")
    assert "Infuse crystalloid at 30 mL/kg in the first three hours." in found
    assert found.startswith("Sepsis > Fluids\n")
    assert len(found) <= 200


def test_inflected_words_are_the_same() -> None:
    text = FILLER * 10 + "Monitoring of potassium is daily. " + FILLER * 10
    assert "Monitoring of potassium" in shown(text, "How do I monitor it?")


def test_without_a_shared_word_it_is_the_beginning() -> None:
    assert shown("First of all. " + FILLER * 10, "xyz").startswith("Sepsis > Fluids\nFirst of all.")


def test_rows_and_items_are_taken_whole() -> None:
    text = "\n".join(f"drug{n} | {n} mg" for n in range(60))
    found = shown(text, "drug41", limit=80).splitlines()[1:]
    assert "drug41 | 41 mg" in found
    assert set(found) <= set(text.splitlines())


def test_a_long_context_gives_way_from_its_front() -> None:
    found = shown(FILLER * 10, "list", context="Guideline " * 30 + "Near section")
    context = found.splitlines()[0]
    assert context.endswith("Near section")
    assert len(context) <= 200 // 3


def test_a_text_without_a_sentence_is_itself() -> None:
    assert shown(" \n" * 300, "dose").strip() == "Sepsis > Fluids"


def test_the_first_of_equals_is_chosen_and_a_run_has_one_sentence_at_least() -> None:
    same = [frozenset({"a"}), frozenset({"b"}), frozenset({"a"})]
    assert best_run(same, frozenset({"a"}), [10, 10, 10], 10) == (0, 1)
    assert best_run(same, frozenset({"a"}), [99, 99, 99], 10) == (0, 1)
    assert best_run(same, frozenset({"a", "b"}), [10, 10, 10], 21) == (0, 2)


def test_words_of_every_sentence_count_less_than_rare_ones() -> None:
    common = frozenset({"the", "of"})
    sentences = [common, common, common | {"crystalloid"}, frozenset({"the"})]
    asked = frozenset({"the", "of", "crystalloid"})
    assert best_run(sentences, asked, [10] * 4, 10) == (2, 3)
