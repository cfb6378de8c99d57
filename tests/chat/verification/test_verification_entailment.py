"""What a verifier's word makes of a claim that no guard has anything against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from chat.errors import VerifierUnavailable
from chat.verification.entailment.cross_encoder import CrossEncoderVerifier
from chat.verification.entailment.guards_alone import GuardsAlone
from chat.verification.statements import judged_pairs
from chat.verification.types import Cited, Judgement, Label, Pair
from chat.verification.verify import PASSAGE_CHARS, verify
from core.llm.usage import Usage
from retrieval.types import Hit
from tests.chat.evidence.hits import claim_of, hits_for
from tests.chat.verification.verifiers import make_nli
from tests.corpora import publish

FIRST, SECOND = "Give enoxaparin 40 mg.", "Check the platelets."
BOTH = "Give enoxaparin 40 mg and check the platelets."
TEXT = f"# Enoxaparin\n## Dose\n{BOTH} {FIRST} {SECOND}"

YES = Judgement(Label.SUPPORTED, 0.9)
NO = Judgement(Label.CONTRADICTED, 0.1, 0.8, "it says otherwise")
UNKNOWN = Judgement(Label.NOT_FOUND, 0.3, 0.2, "it does not say so")


Script = dict[str | tuple[str, str], Judgement]


@dataclass
class Scripted:
    """Says what it was told of a statement, or of a statement beside a text; else `YES`."""

    script: Script = field(default_factory=dict)
    wants_atoms: bool = True
    usage = Usage()
    said = ()
    asked: list[list[Pair]] = field(default_factory=list)
    name = "scripted"
    fingerprint = "scripted-1"

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        self.asked.append(list(pairs))
        return [
            self.script.get((pair.claim, pair.cited.text), self.script.get(pair.claim, YES))
            for pair in pairs
        ]


@pytest.fixture
def hit(db: None) -> Hit:
    publish(TEXT)
    return hits_for("enoxaparin dose")[0]


def other(hit: Hit, key: str, text: str) -> Hit:
    return replace(hit, key=key, text=text)


def test_each_statement_is_judged_and_the_worst_decides(hit: Hit) -> None:
    cases: list[tuple[Script, Label, float, float]] = [
        ({}, Label.SUPPORTED, 0.9, 0.0),
        ({SECOND: UNKNOWN}, Label.NOT_FOUND, 0.3, 0.2),
        ({FIRST: UNKNOWN, SECOND: NO}, Label.CONTRADICTED, 0.1, 0.8),
        ({FIRST: NO, SECOND: UNKNOWN}, Label.CONTRADICTED, 0.1, 0.8),
    ]
    for script, label, score, contradiction in cases:
        verifier = Scripted(script)
        (verdict,) = verify([claim_of(hit, BOTH)], verifier=verifier)
        assert verdict.label is label
        assert verdict.supported is (label is Label.SUPPORTED)
        assert verdict.failed == ("" if verdict.supported else "entailment")
        assert verdict.judgement is not None
        assert (verdict.judgement.score, verdict.judgement.contradiction) == (score, contradiction)
        assert {pair.claim for pair in verifier.asked[0]} == {FIRST, SECOND}


def test_the_trace_says_which_statement_fell_and_why(hit: Hit) -> None:
    (verdict,) = verify([claim_of(hit, BOTH)], verifier=Scripted({SECOND: UNKNOWN}))
    assert verdict.detail == "Check the platelets. it does not say so"
    (verdict,) = verify([claim_of(hit, FIRST)], verifier=Scripted({FIRST: UNKNOWN}))
    assert verdict.detail == "it does not say so"


def test_a_verifier_that_wants_the_whole_gets_it(hit: Hit) -> None:
    verifier = Scripted(wants_atoms=False)
    verify([claim_of(hit, BOTH)], verifier=verifier)
    assert {pair.claim for pair in verifier.asked[0]} == {BOTH}
    assert GuardsAlone().wants_atoms is False


def test_all_pairs_of_all_claims_are_one_batch_and_are_kept(hit: Hit) -> None:
    far = other(hit, "far", "Ask a haematologist.")
    verifier = Scripted({(FIRST, far.text): UNKNOWN})
    claims = [claim_of(hit, BOTH), claim_of(hit, FIRST)]
    both, first = verify(claims, passages=[hit, far], verifier=verifier)
    assert len(verifier.asked) == 1
    for verdict in (both, first):
        assert [(p.chunk, p.is_cited) for p in verdict.pairs] == [(hit.key, True), ("far", False)]
        assert [p.judgement.label for p in verdict.pairs] == [Label.SUPPORTED, Label.NOT_FOUND]
    assert both.pairs[1].judgement.score == 0.3


def test_a_claim_that_another_passage_contradicts_stands_and_says_so(hit: Hit) -> None:
    against = other(hit, "against", "Do not check the platelets.")
    verifier = Scripted({(SECOND, against.text): NO})
    (verdict,) = verify([claim_of(hit, BOTH)], passages=[hit, against], verifier=verifier)
    assert verdict.supported
    assert verdict.contradicted_by == ("against",)


def test_of_a_long_passage_the_nearest_sentences_are_judged(hit: Hit) -> None:
    far = other(hit, "far", "Keep a list. " * 300 + "Never give enoxaparin. " + "Ask. " * 300)
    verifier = Scripted()
    (verdict,) = verify([claim_of(hit, FIRST)], passages=[hit, far], verifier=verifier)
    shown = verifier.asked[0][-1].cited
    assert "Never give enoxaparin." in shown.text
    assert len(shown.text) <= PASSAGE_CHARS
    assert shown.context == far.context
    assert verdict.pairs[-1].chunk == "far"


def test_what_guards_hold_against_another_passage_is_no_conflict(hit: Hit) -> None:
    against = other(hit, "against", "Give enoxaparin 60 mg.")
    (verdict,) = verify([claim_of(hit, FIRST)], passages=[hit, against])
    assert verdict.supported
    assert verdict.contradicted_by == ()
    assert verdict.pairs[1].judgement.label is not Label.SUPPORTED


def test_what_a_guard_stops_is_not_judged(hit: Hit) -> None:
    verifier = Scripted()
    (verdict,) = verify([claim_of(hit, FIRST, text="Give enoxaparin 400 mg.")], verifier=verifier)
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
        judged_pairs(Broken(), [Pair(FIRST, Cited((FIRST,)))], timeout_s=1)


def test_a_verifier_that_fails_lets_nothing_through(hit: Hit) -> None:
    class Away(Scripted):
        def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
            raise VerifierUnavailable("The verifier is away.")

    with pytest.raises(VerifierUnavailable):
        verify([claim_of(hit, FIRST)], verifier=Away())


def test_a_model_from_a_folder_decides(db: None, tmp_path: Path) -> None:
    publish("# Trial\n## Dose\nThe dose confirms 5 mg. The dose denies 5 mg. The dose is 5 mg.")
    (hit, *_) = hits_for("trial dose")
    model = CrossEncoderVerifier(make_nli(tmp_path / "nli"), bar=0.5)
    quotes = ("The dose confirms 5 mg.", "The dose denies 5 mg.", "The dose is 5 mg.")
    verdicts = verify([claim_of(hit, words) for words in quotes], passages=[hit], verifier=model)
    assert [verdict.label for verdict in verdicts] == [
        Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_FOUND
    ]  # fmt: skip
    assert [verdict.failed for verdict in verdicts] == ["", "entailment", "entailment"]
