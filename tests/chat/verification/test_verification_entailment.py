"""Test what a verifier's judgement makes of a claim that passes the exact checks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Evidence, Judgement, Label, Pair
from chat.verification.entailment.cross_encoder import CrossEncoderVerifier
from chat.verification.verify import judged_pairs, verify
from core.llm.usage import Usage
from retrieval.types import Hit
from tests.chat.evidence.hits import claim_of, hits_for
from tests.chat.verification.verifiers import make_nli
from tests.corpora import publish

GIVE, CHECK = "Give enoxaparin 40 mg.", "Check the platelets."
FREE = "Enoxaparin 40 mg is what to give."
TEXT = f"# Enoxaparin\n## Dose\n{GIVE} {CHECK}"

YES = Judgement(Label.SUPPORTED, 0.9)
NO = Judgement(Label.CONTRADICTED, 0.1, 0.8, "it says otherwise")
UNKNOWN = Judgement(Label.NOT_FOUND, 0.3, 0.2, "it does not say so")


@dataclass
class Scripted:
    """A verifier that gives each statement its scripted judgement, else `YES`."""

    script: dict[str, Judgement] = field(default_factory=dict)
    usage = Usage()
    said = ()
    asked: list[list[Pair]] = field(default_factory=list)
    name = "scripted"
    fingerprint = "scripted-1"

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        self.asked.append(list(pairs))
        return [self.script.get(pair.claim, YES) for pair in pairs]


@pytest.fixture
def hit(db: None) -> Hit:
    publish(TEXT)
    return hits_for("enoxaparin dose")[0]


@pytest.mark.parametrize("judgement", [YES, NO, UNKNOWN])
def test_the_verifier_decides_what_no_exact_check_stops(hit: Hit, judgement: Judgement) -> None:
    verifier = Scripted({FREE: judgement})
    (verdict,) = verify([claim_of(hit, GIVE, text=FREE)], verifier=verifier)
    assert verdict.label is judgement.label
    assert verdict.supported is (judgement is YES)
    assert verdict.failed == ("" if verdict.supported else "entailment")
    assert (verdict.judgement, verdict.detail) == (judgement, judgement.detail)


def test_all_free_claims_are_one_batch_with_what_they_stand_under(hit: Hit) -> None:
    verifier = Scripted()
    other = "The platelets are to be checked."
    claims = [claim_of(hit, GIVE, text=FREE), claim_of(hit, GIVE), claim_of(hit, CHECK, text=other)]
    verdicts = verify(claims, question="How much?", verifier=verifier)
    assert all(verdict.supported for verdict in verdicts)
    (batch,) = verifier.asked
    assert [pair.claim for pair in batch] == [FREE, other]  # verbatim claims are not judged
    assert batch[0].evidence == Evidence((GIVE,), hit.context, "How much?")


def test_what_an_exact_check_stops_is_not_judged(hit: Hit) -> None:
    verifier = Scripted()
    (verdict,) = verify([claim_of(hit, GIVE, text="Give enoxaparin 400 mg.")], verifier=verifier)
    assert not verdict.supported
    assert verdict.judgement is None
    assert verifier.asked == []


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [YES, YES],
        [Judgement(Label.SUPPORTED, math.nan)],
        [Judgement(Label.SUPPORTED, 1.5)],
        [Judgement(Label.SUPPORTED, 0.9, -1.0)],
        [Judgement("yes", 0.9)],  # type: ignore[arg-type]
    ],
)
def test_judgements_that_can_not_be_used_are_none(answers: list[Judgement]) -> None:
    class Broken(Scripted):
        def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
            return answers

    with pytest.raises(VerifierUnavailable, match="can't be used"):
        judged_pairs(Broken(), [Pair(FREE, Evidence((GIVE,)))], timeout_s=1)


def test_a_verifier_that_fails_lets_nothing_through(hit: Hit) -> None:
    class Away(Scripted):
        def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
            raise VerifierUnavailable("The verifier is away.")

    with pytest.raises(VerifierUnavailable):
        verify([claim_of(hit, GIVE, text=FREE)], verifier=Away())


def test_a_model_from_a_folder_decides(db: None, tmp_path: Path) -> None:
    publish("# Trial\n## Dose\nThe dose confirms 5 mg. The dose denies 5 mg. The dose is 5 mg.")
    (hit, *_) = hits_for("trial dose")
    model = CrossEncoderVerifier(make_nli(tmp_path / "nli"), bar=0.5)
    quotes = ("The dose confirms 5 mg.", "The dose denies 5 mg.", "The dose is 5 mg.")
    claims = [claim_of(hit, words, text="Give the dose of 5 mg.") for words in quotes]
    verdicts = verify(claims, verifier=model)
    assert [verdict.label for verdict in verdicts] == [
        Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_FOUND
    ]  # fmt: skip
    assert [verdict.failed for verdict in verdicts] == ["", "entailment", "entailment"]
