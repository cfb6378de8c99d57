# ruff: noqa: E501  # a list of words is read best on few lines
"""What is quoted word by word passes each guard that reads numbers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from chat.verification.guards import durations, figures, frequencies
from chat.verification.types import Cited
from tests.chat.verification.guards.real_texts import MEDQUAD, medquad_sentences, sample_units

GUARDS = (figures.check, frequencies.check, durations.check)


def against(claim: str, cited: Cited) -> list[str]:
    found = [check(claim, cited) for check in GUARDS]
    return [f"{one.guard}: {one.detail}: {claim} | {cited.text}" for one in found if one]


@pytest.mark.django_db
def test_each_unit_of_the_samples_passes_as_it_is_shown(tmp_path: Path) -> None:
    units = sample_units(tmp_path)
    assert len(units) > 500
    assert sum("; " in unit.text and len(unit.quotes) > 1 for unit in units) > 60  # rows
    wrong = [
        line
        for unit in units
        for line in against(unit.text, Cited(tuple(quote.text for quote in unit.quotes)))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not MEDQUAD.is_file(), reason=f"no {MEDQUAD}; set MEDRAG_SHARED_DATA")
def test_each_sentence_of_medquad_passes() -> None:
    sentences = medquad_sentences(5000)
    assert len(sentences) > 1500
    wrong = [line for text in sentences for line in against(text, Cited((text,)))]
    assert not wrong, "\n".join(wrong)


PIECES = (
    "5 10 0 0.5 .5 1,000 1,5 1/2 ½ ⅓ ² 10⁹ × x 10^9 10^9^ /L mg g µg/kg/h mL % °C °F - – − + ± > < ≥ "
    "≤ = to and or between from up at least most more than less twice once daily BD q8h every other "
    "day week months years old aged for over within one two hundred million half a third second 2nd "
    "type II IL-6 B12 1: : | ; . , ( ) [12] 12:30 8 pm May 2024 2024-13-45 31/12/2024 1 in 10,000 per "
    "minus e9 5e9 0/0 0 in 0 every 0 hours ١٢ ㎎ 140/90 stat prn first age 99999999999999999999999"
).split()


def test_nothing_made_of_their_words_is_against_itself_or_breaks_them() -> None:
    rng = random.Random(4)
    for _ in range(2000):
        parts = [rng.choice(PIECES) + rng.choice([" ", " ", "", "-", "\n"]) for _ in range(12)]
        text = "".join(parts[: rng.randint(1, 12)])
        assert against(text, Cited((text,))) == []
