"""Test the bundled checker: plain cases, the same result every time, and its failures."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Evidence, Label, Pair
from chat.verification.entailment import checker
from chat.verification.entailment.checker import TrainedChecker
from chat.verification.entailment.configured import verifier_fault, verifier_named

EVIDENCE = Evidence(
    ("1.2.5 Do not offer antimotility medicines such as loperamide to people with C. difficile.",),
    "Clostridioides difficile infection | Treatment",
    "can I give loperamide for the diarrhoea?",
)
TRUE = "No, loperamide should not be given to somebody who has C. difficile infection."
FALSE = "Yes, loperamide can be given to people with C. difficile infection."
ELSEWHERE = "Wash the hands of all staff with soap before they leave the ward."


@pytest.fixture(scope="module")
def bundled() -> TrainedChecker:
    return TrainedChecker(threads=1)


def test_it_tells_true_from_false(bundled: TrainedChecker) -> None:
    pairs = [Pair(claim, EVIDENCE) for claim in (TRUE, FALSE, ELSEWHERE)]
    true, false, elsewhere = bundled.judge(pairs, timeout_s=30)
    assert true.label is Label.SUPPORTED
    assert true.score >= bundled.bar
    assert false.label is not Label.SUPPORTED
    assert elsewhere.label is not Label.SUPPORTED
    assert false.detail
    assert true.score > max(false.score, elsewhere.score)


@pytest.mark.usefixtures("computed_anew")
def test_the_same_pair_is_judged_the_same_in_any_company(bundled: TrainedChecker) -> None:
    pair = Pair(TRUE, EVIDENCE)
    (alone,) = bundled.judge([pair], timeout_s=30)
    among = bundled.judge([Pair(FALSE, EVIDENCE), pair, pair], timeout_s=30)
    assert among[1] == among[2] == alone
    assert bundled.judge([], timeout_s=30) == []


def test_evidence_of_any_length_is_read_in_windows(bundled: TrainedChecker) -> None:
    filler = "The ward keeps a list of its linen and counts it. " * 60
    long = Evidence((filler + EVIDENCE.quotes[0] + " " + filler,), EVIDENCE.context)
    (found,) = bundled.judge([Pair(TRUE, long)], timeout_s=60)
    assert 0 <= found.score <= 1


def test_a_claim_that_is_too_long_to_be_read_whole_is_not_found(bundled: TrainedChecker) -> None:
    (found,) = bundled.judge([Pair("Give it daily. " * 60, EVIDENCE)], timeout_s=30)
    assert (found.label, found.score) == (Label.NOT_FOUND, 0.0)


def test_no_time_is_no_judgement(bundled: TrainedChecker) -> None:
    with pytest.raises(VerifierUnavailable):
        bundled.judge([Pair(TRUE, EVIDENCE)], timeout_s=-1)


def test_a_bar_that_is_set_takes_the_place_of_the_calibrated_one() -> None:
    strict = TrainedChecker(threads=1, bar=1.0)
    (found,) = strict.judge([Pair(TRUE, EVIDENCE)], timeout_s=30)
    assert found.label is not Label.SUPPORTED
    assert strict.fingerprint != TrainedChecker(threads=1).fingerprint


def test_a_folder_without_its_model_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Settings
) -> None:
    assert verifier_fault("checker") == ""
    monkeypatch.setattr(checker, "FOLDER", tmp_path)
    assert "model.xml" in verifier_fault("checker")
    with pytest.raises(ImproperlyConfigured, match="MEDRAG_VERIFIER"):
        verifier_named("checker")
