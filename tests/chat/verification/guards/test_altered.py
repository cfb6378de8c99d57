"""Rates over real texts: altered sentences that pass, faithful ones that don't.

`pytest -s tests/chat/verification/guards/test_altered.py` prints them by kind.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest

from chat.verification.guards import durations, figures, frequencies
from chat.verification.types import Cited
from tests.chat.verification.guards.altered import ALTERATIONS, FAITHFUL, Change, changed
from tests.chat.verification.guards.real_texts import MEDQUAD, medquad_sentences, sample_units

GUARDS = (figures.check, frequencies.check, durations.check)
# The whole, some 15,000 sentences, with MEDRAG_DRAWN=1000000.
DRAWN = int(os.environ.get("MEDRAG_DRAWN", "1500"))
MOST_MISSED, MOST_FALSE = 0.01, 0.05


@pytest.mark.django_db
def test_rates_on_the_sample_guidelines(tmp_path: Path) -> None:
    texts = sorted({unit.quotes[0].text for unit in sample_units(tmp_path)})
    assert missed(texts) <= MOST_MISSED
    assert false_alarms(texts) <= MOST_FALSE


@pytest.mark.skipif(not MEDQUAD.is_file(), reason=f"no {MEDQUAD}; set MEDRAG_SHARED_DATA")
def test_rates_on_medquad() -> None:
    texts = medquad_sentences(1000)
    assert missed(texts) <= MOST_MISSED
    assert false_alarms(texts) <= MOST_FALSE


def missed(texts: list[str]) -> float:
    """Share of altered sentences that no guard finds."""
    return share("missed", texts, ALTERATIONS, is_wrong=False)


def false_alarms(texts: list[str]) -> float:
    """Share of faithful sentences that a guard has something against."""
    return share("false alarms", texts, FAITHFUL, is_wrong=True)


def share(name: str, texts: list[str], changes: dict[str, Change], *, is_wrong: bool) -> float:
    drawn = list(changed(texts, changes))
    random.Random(3).shuffle(drawn)
    drawn = drawn[:DRAWN]
    assert len(drawn) >= 800
    made = Counter(kind for kind, _, _ in drawn)
    wrong = [
        (kind, text, altered)
        for kind, text, altered in drawn
        if any(check(altered, Cited((text,))) for check in GUARDS) is is_wrong
    ]
    counted = Counter(kind for kind, _, _ in wrong)
    print(f"\n{name}:", ", ".join(f"{kind} {counted[kind]}/{made[kind]}" for kind in sorted(made)))
    return len(wrong) / len(drawn)
