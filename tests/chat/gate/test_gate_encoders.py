"""Test the gate with other encoders than the bundled one."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connections, transaction

from chat.errors import GateUnavailable
from chat.gate.records import BUILT_IN, OTHER_SEARCH, gate_in_use
from chat.models import CalibrationRecord, Reason, TurnStatus
from corpus.encoders import vectors
from corpus.encoders.registry import embedder_of, encoder_facts, searched_rows
from corpus.services.encoders import encoders_sync
from medrag_site import doctor
from tests.chat.gate.calibrations import kept
from tests.chat.guidelines import ask
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


def test_whatever_is_searched_the_gate_is_of_the_encoder_that_the_reader_reads_with(
    two: None, settings: LazySettings
) -> None:
    assert ask(question=QUESTION).trace["gate"]["scale"] == BUILT_IN.as_dict()
    kept(encoder=encoder_facts().fingerprint)
    settings.RETRIEVAL = "encoders=tiny"
    turn = ask(question=QUESTION)
    assert turn.trace["searches"][0]["encoder"] != encoder_facts().fingerprint
    assert turn.trace["gate"]["scale"]["version"] == "site-1"
    assert OTHER_SEARCH in turn.trace["notes"]


@pytest.mark.django_db
def test_an_encoder_that_tells_nothing_apart_opens_no_gate(
    settings: LazySettings, tmp_path: Path
) -> None:
    publish(ANSWER)
    settings.EMBEDDER = str(tiny_models.with_modules(tmp_path / "tiny"))
    with pytest.raises(GateUnavailable, match="doesn't tell a statement that answers"):
        gate_in_use()
    turn = ask(question=QUESTION)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.GATE_UNAVAILABLE)
    assert turn.trace["searches"] == [] and not turn.claims.exists()
    (finding,) = [finding for finding in doctor.examine() if finding.name == "gate"]
    assert not finding.ok and "doesn't tell a statement" in finding.detail


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
