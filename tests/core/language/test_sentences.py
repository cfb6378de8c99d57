"""The ends of sentences in clinical text."""

import random

import pytest

from core.language.en.sentences import line_sentence_spans, sentence_spans
from tests.tables import cases


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize("row", cases(__file__, "sentences.tsv"), ids=lambda row: row[0])
def test_cuts_at_the_ends_of_sentences_alone(row: list[str]) -> None:
    text, *expected = row
    assert sentences(text) == (expected or [text])


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_nothing_gives_nothing(text: str) -> None:
    assert sentence_spans(text) == []


def test_no_character_but_white_space_is_lost_and_the_order_is_kept() -> None:
    random.seed(5)
    pieces = [*"Give 0.5 mg. e.g. Dr. ? ! ( ) µg • 1.".split(), "\n", " ", "  "]
    for _ in range(500):
        text = " ".join(random.choices(pieces, k=random.randrange(30)))
        spans = sentence_spans(text)
        joined = "".join(text[start:end] for start, end in spans)
        assert "".join(joined.split()) == "".join(text.split())
        flat = [place for span in spans for place in span]
        assert flat == sorted(flat)
        for start, end in spans:
            assert text[start:end] == text[start:end].strip() != ""


def test_a_decimal_number_is_never_cut() -> None:
    for tenths in range(1, 200):
        text = f"Give {tenths / 10} mg now. Then {tenths / 10} mg later."
        assert len(sentences(text)) == 2


def test_long_text_without_an_end_is_one_sentence() -> None:
    assert len(sentence_spans("word " * 20_000)) == 1
    assert len(sentence_spans("." * 20_000)) == 1


def test_sentences_stay_in_their_lines() -> None:
    text = "One. Two\nthree four.\n\n| a | b |"
    assert [text[a:b] for a, b in line_sentence_spans(text)] == [
        "One.",
        "Two",
        "three four.",
        "| a | b |",
    ]
