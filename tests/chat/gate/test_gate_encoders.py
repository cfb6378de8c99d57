"""Test that the gate judges only the cosines of the encoder that it was calibrated for."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connections, transaction

from chat.ask import turn_ask
from chat.gate.decision import Gate
from chat.gate.records import BUILT_IN, encoder_in_use, gate_in_use
from chat.gate.scorers import Calibration
from chat.models import CalibrationRecord, Channel, Reason, Turn, TurnStatus
from chat.types import AskedQuestion
from corpus.encoders import vectors
from corpus.encoders.registry import active_encoders, embedder_of, searched_rows
from corpus.services.encoders import encoders_sync
from retrieval.config import RetrievalConfig
from tests.chat.gate.calibrations import kept
from tests.corpora import publish
from tests.corpus.encoders import tiny_models

QUESTION = "What dose of demonstracillin treats pneumonia in adults?"
ANSWER = (
    "# Pneumonia in adults\nGive demonstracillin 500 mg by mouth every 8 hours to adults with "
    "pneumonia."
)


@pytest.fixture
def two(own_database: str, settings: LazySettings, tmp_path: Path) -> None:
    """Configure the bundled encoder as the primary one, and `tiny` beside it."""
    model = tiny_models.transformer(tmp_path / "tiny", width=32)
    path = tmp_path / "encoders.toml"
    path.write_text(f'[minilm]\nmodel = "bundled"\n[tiny]\nmodel = "{model}"\npooling = "mean"\n')
    settings.ENCODERS = str(path)
    encoders_sync()
    chunks = list(publish(ANSWER).chunks.all())
    for row in searched_rows()[1:]:
        made = embedder_of(row).encode([chunk.text for chunk in chunks])
        vectors.write(row, [chunk.pk for chunk in chunks], made)


def ask() -> Turn:
    return turn_ask(AskedQuestion(QUESTION, user=None, channel=Channel.COMMAND))


def test_a_search_by_another_encoder_is_not_judged_by_the_first_ones_gate(
    two: None, settings: LazySettings
) -> None:
    assert ask().status == TurnStatus.ANSWERED
    kept(intercept=9.0, cosine=0.0, coverage=0.0)
    settings.RETRIEVAL = "encoders=tiny"
    turn = ask()
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.GATE_UNAVAILABLE)
    assert turn.trace["failure"] == "GateUnavailable" and not turn.nearest


def test_the_gate_is_that_of_the_encoder_which_the_site_searches_first(
    two: None, settings: LazySettings
) -> None:
    tiny = encoder_in_use(RetrievalConfig(encoders=("tiny",)))
    (searched,) = active_encoders(("tiny",))
    assert tiny == searched.embedder.fingerprint != encoder_in_use()
    settings.RETRIEVAL = "encoders=tiny,minilm"
    kept(encoder=tiny, intercept=9.0, cosine=0.0, coverage=0.0)
    turn = ask()
    assert gate_in_use().scale.version == turn.trace["gate"]["scale"]["version"] == "site-1"
    assert turn.trace["searches"][0]["encoder"] == tiny
    settings.RETRIEVAL = "encoders=minilm,tiny"
    assert gate_in_use().scale == BUILT_IN


@pytest.mark.django_db
def test_an_encoder_that_came_between_gate_and_search_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(ANSWER)
    before = Gate(Calibration(0.0, 1.0, 1.0, encoder="before:0123456789abcdef:torch-f32"), 0.0)
    monkeypatch.setattr("chat.ask.gate_in_use", lambda config: before)
    turn = ask()
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.GATE_UNAVAILABLE)
    assert turn.trace["searches"] == [] and not turn.claims.exists()
    after = Gate(Calibration(0.0, 1.0, 1.0, encoder=encoder_in_use()), 0.0)
    monkeypatch.setattr("chat.ask.gate_in_use", lambda config: after)
    assert ask().status == TurnStatus.ANSWERED


def test_two_that_are_kept_at_once_have_numbers_of_their_own(own_database: str) -> None:
    started = threading.Event()

    def second() -> str:
        started.set()
        try:
            return kept().version
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = kept().version
            other = pool.submit(second)
            started.wait()
            with pytest.raises(TimeoutError):  # the second waits for the first's commit
                other.result(timeout=1.5)
        assert (first, other.result(timeout=60)) == ("site-1", "site-2")
    assert [r.version for r in CalibrationRecord.objects.filter(is_active=True)] == ["site-2"]
