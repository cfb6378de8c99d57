"""Rates over real texts: altered sentences that pass, faithful ones that don't.

`pytest -s tests/chat/guards/test_altered.py` prints them by kind.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from chat.verification.guards import durations, figures, frequencies
from chat.verification.types import Cited
from tests.chat.guards.altered import ALTERATIONS, FAITHFUL, Change, changed
from tests.chat.guards.real_texts import MEDQUAD, medquad_sentences, sample_units

GUARDS = (figures.check, frequencies.check, durations.check)
MOST_MISSED, MOST_FALSE = 0.01, 0.05


@pytest.mark.django_db
def test_rates_on_the_sample_guidelines(tmp_path: Path) -> None:
    texts = sorted({unit.quotes[0].text for unit in sample_units(tmp_path)})
    assert missed(texts, at_least=5000) <= MOST_MISSED
    assert false_alarms(texts, at_least=1500) <= MOST_FALSE


@pytest.mark.skipif(not MEDQUAD.is_file(), reason=f"no {MEDQUAD}; set MEDRAG_SHARED_DATA")
def test_rates_on_medquad() -> None:
    texts = medquad_sentences(1000)
    assert missed(texts, at_least=4000) <= MOST_MISSED
    assert false_alarms(texts, at_least=600) <= MOST_FALSE


def missed(texts: list[str], *, at_least: int) -> float:
    """Share of altered sentences that no guard finds."""
    return share("missed", texts, ALTERATIONS, at_least=at_least, is_wrong=False)


def false_alarms(texts: list[str], *, at_least: int) -> float:
    """Share of faithful sentences that a guard has something against."""
    return share("false alarms", texts, FAITHFUL, at_least=at_least, is_wrong=True)


def share(
    name: str, texts: list[str], changes: dict[str, Change], *, at_least: int, is_wrong: bool
) -> float:
    made, counted = Counter[str](), Counter[str]()
    for kind, text, altered in changed(texts, changes):
        made[kind] += 1
        found = any(check(altered, Cited((text,))) for check in GUARDS)
        counted[kind] += found is is_wrong
    print(f"\n{name}:", ", ".join(f"{kind} {counted[kind]}/{made[kind]}" for kind in made))
    assert made.total() >= at_least
    return counted.total() / made.total()
