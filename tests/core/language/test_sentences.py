"""The ends of sentences in clinical text."""

import random

import pytest

from core.language.en.sentences import line_sentence_spans, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Give 0.5 mg.",
        "Nitrofurantoin ist ab der 36. SSW kontraindiziert.",
        "Am 3. Tag wird umgestellt.",
        "Vor der i. v. Gabe z. B. Ceftriaxon, d. h. Cephalosporine, ggf. Amoxicillin",
        "Nach mind. 24 Stunden",
        "Give 2.5 to 5.0 mg of i.v. Furosemide now.",
        "Give .5 mg or 5.mg Never write either",
        "Infuse 1.25 g over 30 min. after the load",
        "Use e.g. Amoxicillin or i.e. Penicillin.",
        "Antibiotics (e.g. Gentamicin) are given, i.e. Not withheld",
        "Give penicillin etc. Every 6 hours",
        "Give it i.v. Over 10 minutes",
        "Give it i.m. Into the thigh",
        "Insulin s.c. Before meals",
        "Give it p.o. With food",
        "Metronidazole p.r. Is an option",
        "Spray s.l. When pain begins",
        "Repeat t.d.s. Orally",
        "Take one b.d. With food",
        "Apply q.d.s. Until healed",
        "Morphine p.r.n. For pain",
        "Take o.d. Before breakfast",
        "Take o.n. For sleep",
        "Give b.i.d. Or t.i.d. By weight",
        "Take it a.c. Not p.c. With this one",
        "Check at 8 a.m. Daily",
        "Seen by Dr. Smith at St. Thomas with Prof. Jones.",
        "Ask Mr. Patel or Mrs. Okafor",
        "Written by J. R. Smith and A. Jones",
        "Anna Weber, Ph.D. Pharmacology",
        "Published by Smith et al. In 2019",
        "Compare warfarin vs. Apixaban",
        "Give approx. 5 mL vs. 10 mL.",
        "See Fig. 2 and Tab. 3 for doses",
        "Give it (see ref. 3) at once",
        "See sec. 4.2 and p. 12",
        "Use bag No. 4 of the rack",
        "Give max. 40 mg and min. 5 mg",
        "Give max. <40 mg",
        "Warm it to temp. 37 degrees",
        "Revised Jan. 2024 by the committee",
        "Call ext. 4417 or tel. 22 31",
        "Use version 2.1 of the chart",
        "Use chart v. 3 of 2024",
        "Infection with E. Coli or S. Aureus is usual.",
        "Candida spp. Are common",
        "1. Give oxygen",
        "2.3. Give oxygen",
        "b. Give oxygen",
        "iv. Give oxygen",
        "Step 2. Give oxygen",
        "Table 4. Doses by weight",
        "• 3. Give oxygen",
        "The rate is 1.5 mL/hour... continuing",
        "Wait... Then look again",
        "Wait…. Then look again",
        "Is the patient well? if not, wait",
        "Read https://example.org/a.b?c=1.2 before",
        "Read www.example.org/Doses.v2.pdf today",
        "Ca. 5 mL is enough",
        "N.B. Never give it by the spine",
        "Cf. Section 4",
        "Take vitamin K. Then wait.",  # K may be an initial
    ],
)
def test_is_one_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Give 5 mg. Do not repeat.", ["Give 5 mg.", "Do not repeat."]),
        ("Give 0.5 mg. Give 1.5 mg.", ["Give 0.5 mg.", "Give 1.5 mg."]),
        ("Give 5mg. Then 10mL.", ["Give 5mg.", "Then 10mL."]),
        ("Give 5 mg.\nDo not repeat.", ["Give 5 mg.", "Do not repeat."]),
        ("Infuse over 30 min. Then stop.", ["Infuse over 30 min.", "Then stop."]),
        ("Infuse over 30 min. 5 mL is lost.", ["Infuse over 30 min.", "5 mL is lost."]),
        ("That is the max. Stop then.", ["That is the max.", "Stop then."]),
        ("Is it safe? The answer is no. Stop.", ["Is it safe?", "The answer is no.", "Stop."]),
        ("Is it safe? Yes! Give it.", ["Is it safe?", "Yes!", "Give it."]),
        ("It is 5. 10 is too much.", ["It is 5.", "10 is too much."]),
        ("Stop at stage 2. Give fluids.", ["Stop at stage 2.", "Give fluids."]),
        ("Do this: 1. Give oxygen. 2. Call.", ["Do this: 1. Give oxygen.", "2. Call."]),
        ("1. Give oxygen.\n2. Call for help.", ["1. Give oxygen.", "2. Call for help."]),
        ("a. Give oxygen.\nb. Call.", ["a. Give oxygen.", "b. Call."]),
        ('He said "stop." Then stop.', ['He said "stop."', "Then stop."]),
        ("Stop (at once.) Then call.", ["Stop (at once.)", "Then call."]),
        ("Give it. • Measure it.", ["Give it.", "• Measure it."]),
        ("Halve it. ≥ 65 years: stop.", ["Halve it.", "≥ 65 years: stop."]),
        ("Check IL-6. Then wait.", ["Check IL-6.", "Then wait."]),
        ("See www.example.org. Then call.", ["See www.example.org.", "Then call."]),
        ("Keep at 37 °C. Écoutez.", ["Keep at 37 °C.", "Écoutez."]),
        ("Give 2 L. Then 5 U. Stop.", ["Give 2 L.", "Then 5 U.", "Stop."]),
        ("Gib es. Überwache es.", ["Gib es.", "Überwache es."]),
        ("It rose by 10 %. Stop it.", ["It rose by 10 %.", "Stop it."]),
        ("Give 10². Then 20³.", ["Give 10².", "Then 20³."]),
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


def test_sentences_stay_in_their_lines() -> None:
    text = "One. Two\nthree four.\n\n| a | b |"
    assert [text[a:b] for a, b in line_sentence_spans(text)] == [
        "One.",
        "Two",
        "three four.",
        "| a | b |",
    ]
