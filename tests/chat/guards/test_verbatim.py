"""What is quoted word by word passes each guard that reads numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat.verification.guards import durations, figures, frequencies
from chat.verification.types import Cited
from tests.chat.guards.real_texts import MEDQUAD, medquad_sentences, sample_units

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
