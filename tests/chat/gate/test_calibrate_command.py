"""Test `manage.py calibrate`, from a file of questions to the next answer."""

import datetime
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from chat.gate.calibration import CalibrationError
from chat.gate.records import BUILT_IN, gate_in_use
from chat.models import AuditEvent, CalibrationRecord, Turn, TurnStatus
from chat.pipeline.calibration_questions import (
    Labelled,
    labelled_questions,
    observed,
    parsed_questions,
    questions_digest,
)
from corpus.encoders.registry import encoder_facts
from retrieval.config import RetrievalConfig
from tests.chat.gate.calibrations import kept
from tests.chat.guidelines import ask
from tests.corpora import publish
from tests.models import set_model
from tests.people import narrow

pytestmark = pytest.mark.django_db

DRUGS = "amoxil bisopro cefaxon digoxa enoxil flucona gentara heparil insula ketoral".split()
ILLS = "pneumonia asthma sepsis gout migraine eczema anaemia angina colitis cystitis".split()
OTHERS = "tungsten violins glaciers volcanoes passports".split()
KINDS = "price colour history weight".split()


def question(text: str, *, answerable: bool, **fields: Any) -> dict[str, Any]:
    return {"question": text, "answerable": answerable, "reason": None} | fields


def questions() -> list[dict[str, Any]]:
    """Return 10 questions with an answer and 20 without."""
    asked = [
        question(f"What is the dose of {drug} in {ill}?", answerable=True)
        for drug, ill in zip(DRUGS, ILLS, strict=True)
    ]
    others = [
        question(f"What is the {kind} of {thing}?", answerable=False, reason="WEAK_EVIDENCE")
        for thing in OTHERS
        for kind in KINDS
    ]
    return asked + others


@pytest.fixture
def guidelines(db: None) -> None:
    for number, (drug, ill) in enumerate(zip(DRUGS, ILLS, strict=True), start=1):
        text = f"# {ill.title()}\nGive {drug} {number}0 mg by mouth daily to adults with {ill}."
        publish(text, filename=f"{ill}.md")


@pytest.fixture
def testset(tmp_path: Path) -> Path:
    path = tmp_path / "ward.json"
    path.write_text(json.dumps(questions()))
    return path


@pytest.fixture
def quick(settings: LazySettings) -> None:
    settings.RETRIEVAL = "k=3"


def calibrate(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("calibrate", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_fits_keeps_and_uses_it(
    guidelines: None, quick: None, testset: Path, tmp_path: Path, alice: User
) -> None:
    plot = tmp_path / "gate.png"
    out, err = calibrate("--testset", str(testset), "--user", "alice", "--plot", str(plot))
    record = CalibrationRecord.objects.get()
    assert "30 questions, 10 of them answerable." in out
    assert "At most 5.0% of unanswerable questions pass the gate" in out
    assert "used from the next question on: site-1" in out
    assert not err
    assert record.is_active and record.created_by == alice
    assert (record.method, record.guarantee, record.testset) == ("platt", "conformal", "ward.json")
    assert record.encoder == encoder_facts().fingerprint
    assert record.testset_digest == questions_digest(labelled_questions(str(testset)))
    assert plot.read_bytes().startswith(b"\x89PNG") and bytes(record.plot).startswith(b"\x89PNG")
    assert AuditEvent.objects.get().subject == "calibration:site-1"
    turn = ask(question="What is the dose of gentara in anaemia?")
    assert turn.status == TurnStatus.ANSWERED
    assert turn.trace["gate"]["scale"]["version"] == "site-1"
    assert turn.trace["notes"] == []  # calibrated with the search in use


def test_what_it_needs_is_looked_at_before_anything_is_searched(
    db: None, testset: Path, tmp_path: Path, settings: LazySettings, monkeypatch: Any
) -> None:
    def searched(*args: Any) -> None:
        raise AssertionError("a question was searched for")

    monkeypatch.setattr("chat.pipeline.calibration_questions.retrieve", searched)
    with pytest.raises(CommandError, match="is a folder"):
        calibrate("--testset", str(testset), "--plot", str(tmp_path))
    with pytest.raises(CommandError, match="can't be written"):
        calibrate("--testset", str(testset), "--plot", str(tmp_path / "nowhere" / "gate.png"))
    settings.RETRIEVAL = "reranker=http"
    set_model(settings, "rerank", "http://127.0.0.1:9/v1/rerank", model="m")
    with pytest.raises(CommandError, match=r"reranker did not answer"):
        calibrate("--testset", str(testset))
    settings.RETRIEVAL = ""
    with pytest.raises(CommandError, match="Nothing is indexed yet"):
        calibrate("--testset", str(testset))
    testset.write_text(json.dumps(questions()[:9] + questions()[10:]))
    with pytest.raises(CommandError, match="9 answerable questions are too few"):
        calibrate("--testset", str(testset))


def test_a_dry_run_shows_it_and_keeps_nothing(guidelines: None, quick: None, testset: Path) -> None:
    out, _ = calibrate("--testset", str(testset), "--dry-run")
    assert "auroc" in out and "Nothing was stored." in out
    assert not CalibrationRecord.objects.exists() and not AuditEvent.objects.exists()
    assert not Turn.objects.exists()


def test_too_few_questions_for_the_risk_change_nothing(
    guidelines: None, quick: None, testset: Path
) -> None:
    with pytest.raises(CommandError, match="that needs 49") as refused:
        calibrate("--testset", str(testset), "--risk", "0.02")
    assert "Nothing was changed" in str(refused.value)
    assert not CalibrationRecord.objects.exists()


def test_an_earlier_version_and_the_built_in_one_can_be_used_again(db: None) -> None:
    kept()
    kept()
    assert "site-1" in calibrate("--use", "site-1")[0]
    assert gate_in_use().scale.version == "site-1"
    calibrate("--use", BUILT_IN.version)
    assert gate_in_use().scale.version == BUILT_IN.version
    with pytest.raises(CommandError, match=f"Calibrations: site-2, site-1, {BUILT_IN.version}"):
        calibrate("--use", "site-7")


def test_what_overrides_a_calibration_is_said(settings: LazySettings) -> None:
    kept()
    settings.GATE_THRESHOLD = 0.7
    assert "`gate` of MEDRAG_THRESHOLDS" in calibrate("--use", "site-1")[1]


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("--risk", "0"), "--risk must be"),
        (("--risk", "0.6"), "--risk must be"),
        (("--risk", "nan"), "--risk must be"),
        (("--user", "nobody"), "no active user"),
    ],
)
def test_arguments_that_can_not_be_are_refused(
    db: None, testset: Path, arguments: tuple[str, ...], wrong: str
) -> None:
    with pytest.raises(CommandError, match=wrong):
        calibrate("--testset", str(testset), *arguments)


def test_labels_follow_what_the_search_finds(guidelines: None) -> None:
    """A question whose answer is not among the passages counts as unanswerable."""
    text = "What is the dose of digoxa in gout?"
    config = RetrievalConfig(k=2)
    on = timezone.localdate()
    right, elsewhere, unnamed = (
        observed([Labelled(text, answerable=True, documents=names)], config, on=on)
        for names in (("gout.md",), ("nowhere.md",), ())
    )
    assert [right.examples[0].answerable, right.not_found] == [True, 0]
    assert [elsewhere.examples[0].answerable, elsewhere.not_found] == [False, 1]
    assert [unnamed.examples[0].answerable, unnamed.not_found] == [True, 0]
    assert right.examples[0].odds == elsewhere.examples[0].odds is not None


def test_a_document_that_says_the_same_as_what_is_found_is_found(guidelines: None) -> None:
    text = "# Scurvy\nGive ascorbil 250 mg by mouth daily to adults with scurvy."
    later, earlier = datetime.date(2025, 2, 1), datetime.date(2025, 1, 1)
    publish(text, sha256="b" * 64, filename="new.md", effective_from=later)
    publish(text, sha256="c" * 64, filename="old.md", effective_from=earlier)
    question = "What is the dose of ascorbil in scurvy?"
    not_found = {
        name: observed(
            [Labelled(question, True, documents=(name,))],
            RetrievalConfig(k=1),
            on=timezone.localdate(),
        ).not_found
        for name in ("new.md", "old.md", "c" * 64, "other.md")
    }
    assert not_found == {"new.md": 0, "old.md": 0, "c" * 64: 0, "other.md": 1}


def test_a_question_for_which_nothing_is_found_has_no_log_odds(db: None) -> None:
    seen = observed([Labelled("Dose?", False)], RetrievalConfig(), on=timezone.localdate())
    assert [example.odds for example in seen.examples] == [None]


def test_what_is_narrowed_to_groups_counts_too(guidelines: None) -> None:
    """A calibration is for the whole site: all that anybody may search counts."""
    secret = publish("# Scurvy\nGive ascorbil 250 mg to adults with scurvy.", collection="closed")
    narrow(secret.collection, "searchers", "Some group")
    asked = Labelled("What is the dose of ascorbil in scurvy?", True, documents=(secret.sha256,))
    seen = observed([asked], RetrievalConfig(), on=timezone.localdate())
    assert seen.not_found == 0


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ({}, "a JSON list"),
        ([], "a JSON list"),
        ([1], "Question 1 is not an object"),
        ([{"question": 1, "answerable": True}], "Question 1 is not an object"),
        ([{"question": "Dose?", "answerable": "yes"}], "answerable must be true or false"),
        ([{"question": " \x00", "answerable": True}], "Question 1: The question is empty"),
        ([{"question": "Dose?", "answerable": True, "documents": "a.md"}], "a list of names"),
        ([{"question": q, "answerable": True} for q in ("Dose?", " Dose? ")],
         "Question 2 occurs twice"),
    ],
)  # fmt: skip
def test_a_test_set_is_read_strictly(content: Any, wrong: str) -> None:
    with pytest.raises(CalibrationError, match=wrong):
        parsed_questions(content)


def test_the_golden_questions_are_in_form() -> None:
    golden = Path(__file__).resolve().parents[2] / "golden" / "development.json"
    found = labelled_questions(str(golden))
    assert len(found) == 60
    assert sum(q.answerable for q in found) == 39
    assert questions_digest(found) == questions_digest(found[::-1])
    assert questions_digest(found) != questions_digest(found[1:])


def test_what_is_no_file_and_no_json_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"\xff{")
    with pytest.raises(CalibrationError, match="can't be read as JSON"):
        labelled_questions(str(broken))
    with pytest.raises(CalibrationError, match="night shift is not a file"):
        labelled_questions("night shift")
