"""Where a sentence of clinical text ends."""

import random

import pytest

from corpus.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Give 0.5 mg.",
        "Give 2.5 to 5.0 mg of i.v. Furosemide now.",
        "Use e.g. Amoxicillin or i.e. Penicillin.",
        "See Fig. 2 and Tab. 3 for doses",
        "Seen by Dr. Smith at St. Thomas with Prof. Jones.",
        "Infection with E. Coli or S. Aureus is usual.",
        "Give approx. 5 mL vs. 10 mL.",
        "1. Give oxygen",
        "2.3. Give oxygen",
        "Repeat t.d.s. Orally",
        "Give it (see ref. 3) at once",
        "The rate is 1.5 mL/hour... continuing",
        "Is the patient well? if not, wait",
    ],
)
def test_is_one_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Give 5 mg. Do not repeat.", ["Give 5 mg.", "Do not repeat."]),
        ("Give 5 mg.\nDo not repeat.", ["Give 5 mg.", "Do not repeat."]),
        ("Is it safe? Yes! Give it.", ["Is it safe?", "Yes!", "Give it."]),
        ("It is 5. 10 is too much.", ["It is 5.", "10 is too much."]),
        ('He said "stop." Then stop.', ['He said "stop."', "Then stop."]),
        ("Stop (at once.) Then call.", ["Stop (at once.)", "Then call."]),
        ("Give it. • Measure it.", ["Give it.", "• Measure it."]),
        ("Take vitamin K. Then wait.", ["Take vitamin K. Then wait."]),  # K may be an initial
        ("  spaced.  Out.  ", ["spaced.", "Out."]),
    ],
)
def test_cuts(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_nothing_gives_nothing(text: str) -> None:
    assert sentence_spans(text) == []


def test_no_character_but_white_space_is_lost_and_the_order_is_kept() -> None:
    random.seed(5)
    pieces = [
        "Give",
        "0.5",
        "mg.",
        "e.g.",
        "Dr.",
        "?",
        "!",
        "\n",
        " ",
        "  ",
        "(",
        ")",
        "µg",
        "•",
        "1.",
    ]
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
