"""Claim-level measures by hand, and the reasons where there is no value."""

from dataclasses import replace

import pytest
from django.conf import LazySettings

from chat.verification.entailment.judge import LanguageModelJudge
from core.llm.breaker import PAUSE_S
from evaluation.measures.claims import CLAIM_MEASURES, claim_scores
from evaluation.measures.configured import entailment_judge, judge_fault, judging_endpoint
from evaluation.measures.doses import states_dose
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.types import AnswerClaim, AnsweredItem, JudgedBy, Part
from evaluation.measures.verbatim import states
from evaluation.metrics.claims import (
    context_precision,
    critical_error_rate,
    guideline_adherence,
    hallucination_rate,
)
from tests.evaluation.measures.made_up import (
    CLAIMS,
    GOLD,
    KNOWN,
    PASSAGES,
    WORKED,
    BrokenVerifier,
    C,
    N,
    S,
    ToldVerifier,
    judge_told,
)
from tests.llm.judges import fair, judging
from tests.llm.server import endpoint, hangs, replies, status
from tests.llm.sites import judge_by
from tests.models import change_model, set_model, unset_models
from tests.tables import rows


def test_the_worked_example() -> None:
    """Passages 0, 1, 2, 3 and 6 of ten entail a gold claim; 3 of 5 claims are supported."""
    scores = claim_scores(WORKED, CLAIM_MEASURES, judge_told())
    values = {name: scored.value for name, scored in scores.items()}
    assert values == pytest.approx(
        {
            "claim_faithfulness": 3 / 5,
            "hallucination_rate": 2 / 5,
            "claim_recall": 3 / 5,
            "context_precision": 5 / 10,
            "context_utilisation": 3 / 5,
            "critical_error_rate": None,
            "guideline_adherence": 3 / 5 * (1.0 + 0.5) / 2,
        }
    )
    assert all(
        scored.judged_by == JudgedBy("told", "entailment-1:told-1") for scored in scores.values()
    )
    assert scores["critical_error_rate"].reason == "no claim states a dose"


def test_an_empty_answer_has_no_value_where_its_claims_are_counted() -> None:
    scores = claim_scores(replace(WORKED, answer_claims=()), CLAIM_MEASURES, judge_told())
    by_reason = {name: scored.reason for name, scored in scores.items() if scored.value is None}
    assert by_reason == dict.fromkeys(
        ("claim_faithfulness", "hallucination_rate", "critical_error_rate", "guideline_adherence"),
        "the answer claims nothing",
    )
    assert scores["claim_recall"].value == 0.0  # answered, but without any gold claim
    assert scores["context_utilisation"].value == 0.0
    assert scores["context_precision"].value == 5 / 10


def test_a_refusal_is_no_answer_whatever_claims_are_left_of_it() -> None:
    judge = judge_told()
    scores = claim_scores(replace(WORKED, is_refused=True), CLAIM_MEASURES, judge)
    assert scores["context_precision"].value == 5 / 10
    rest = [scored for name, scored in scores.items() if name != "context_precision"]
    assert {(scored.value, scored.reason) for scored in rest} == {
        (None, "the question was refused")
    }


def test_nobody_is_asked_where_no_measure_can_have_a_value() -> None:
    verifier = ToldVerifier({})
    scores = claim_scores(AnsweredItem("Why?"), CLAIM_MEASURES, EntailmentJudge(verifier))
    assert verifier.rounds == []
    assert scores["context_precision"].reason == "nothing was retrieved"
    assert scores["claim_recall"].reason == "the question has no gold claims"


def test_all_pairs_of_an_item_are_judged_at_once_and_each_but_once() -> None:
    verifier = ToldVerifier(KNOWN)
    twice = replace(WORKED, answer_claims=(*CLAIMS, CLAIMS[0]), contexts=(*PASSAGES, PASSAGES[0]))
    claim_scores(twice, CLAIM_MEASURES, EntailmentJudge(verifier))
    (asked,) = verifier.rounds
    assert len(asked) == len(set(asked)) == 5 * 10 + 5 + 5 + 5 * 10


def test_a_judge_that_fails_leaves_no_value_and_says_why() -> None:
    scores = claim_scores(WORKED, CLAIM_MEASURES, EntailmentJudge(BrokenVerifier()))
    assert {scored.value for scored in scores.values()} == {None}
    assert all(
        each.reason.startswith("failed: ") and "no time left" in each.reason
        for each in scores.values()
    )


def test_an_answer_without_passages_is_supported_by_nothing() -> None:
    scores = claim_scores(replace(WORKED, contexts=()), CLAIM_MEASURES, judge_told())
    assert scores["claim_faithfulness"].value == 0.0
    assert scores["hallucination_rate"].value == 0.0
    assert scores["context_utilisation"].reason == "nothing was retrieved"


def test_passages_that_hold_no_gold_claim_leave_nothing_to_use() -> None:
    scores = claim_scores(WORKED, CLAIM_MEASURES, judge_told({}))
    assert scores["context_precision"].value == 0.0
    assert scores["context_utilisation"].reason == "the passages entail no gold claim"


def test_what_a_passage_supports_is_no_hallucination_whatever_the_gold_answer_says() -> None:
    assert hallucination_rate([S, N, C, N], [C, C, S, N]) == 2 / 4
    assert hallucination_rate([S], [C]) == 0.0


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[True, False], [False, False]], 0.5),
        ([[True, True], [True, True]], 1.0),  # the same claims twice: both count
        ([], None),
        ([[], []], None),
    ],
)
def test_precision_of_passages(rows: list[list[bool]], value: float | None) -> None:
    assert context_precision(rows) == value


def test_critical_errors_are_what_the_passages_or_the_gold_answer_refute() -> None:
    critical, some = [True, True, True, False], [True, False]
    assert critical_error_rate(critical, [S, C, N, C], [N, N, C, N], some) == 2 / 3
    assert critical_error_rate(critical, [N] * 4, [N] * 4, some) == 0.0
    assert critical_error_rate([False], [C], [C], some) is None


def test_what_a_passage_says_beside_the_gold_answer_is_no_critical_error() -> None:
    """It is about something else, such as another patient."""
    assert critical_error_rate([True], [S], [C], [True]) == 0.0
    assert critical_error_rate([True], [S], [C], [True, False]) == 1.0  # instead of it
    assert critical_error_rate([True], [N], [C], [True]) == 1.0  # no passage says it
    assert critical_error_rate([True], [C], [N], [True]) == 1.0
    assert critical_error_rate([True], [C], [N], []) == 1.0


def test_a_verbatim_answer_that_goes_on_about_other_patients_has_no_critical_error() -> None:
    """As the bundled checker judges it."""
    right = "Give 30 mL of calcium gluconate 10% intravenously over 10 minutes."
    other = (
        "In a patient who takes digoxin, give calcium gluconate in 100 mL of glucose 5% over 30 "
        "minutes, because rapid calcium may cause arrhythmia."
    )
    item = AnsweredItem(
        "How much calcium gluconate is given in hyperkalaemia with ECG changes?",
        gold_claims=(right,),
        answer_claims=(AnswerClaim(right), AnswerClaim(other)),
        contexts=(f"{right} {other}",),
    )
    judge = entailment_judge()
    assert judge.verdicts(item).by_gold == (S, C)
    assert claim_scores(item, ["critical_error_rate"], judge)["critical_error_rate"].value == 0.0


def test_a_critical_error_names_the_claim_and_what_contradicts_it() -> None:
    dose, gold = "Give amoxicillin 500 mg three times a day.", "Give amoxicillin 1 g."
    item = AnsweredItem(
        "?", gold_claims=(gold,), answer_claims=(AnswerClaim(dose),), contexts=("One.", "Two.")
    )
    for known, reason in (
        ({(dose, "Two."): C}, "Passage 2: Two."),
        ({(dose, gold): C}, f"Gold answer: {gold}"),
    ):
        found = claim_scores(item, ["critical_error_rate"], judge_told(known))
        assert found["critical_error_rate"].parts == (Part(dose, "dose: contradicted", reason),)


def test_each_value_is_explained_by_what_was_judged() -> None:
    found = claim_scores(WORKED, CLAIM_MEASURES, judge_told())
    faithful = [(part.verdict, part.reason) for part in found["claim_faithfulness"].parts]
    assert faithful == [
        ("supported", "by passage 1"),
        ("supported", "by passage 2"),
        ("supported", "by passage 7"),
        ("contradicted", "by passage 5"),
        ("contradicted", "by passage 9"),
    ]
    told = [part.verdict for part in found["claim_recall"].parts]
    assert told == ["in the answer"] * 3 + ["not in the answer"] * 2
    (first, *_) = found["context_precision"].parts
    assert first == Part("Passage 1", "entails a gold claim", "gold 0")
    assert len(found["hallucination_rate"].parts) == 2
    assert len(found["context_utilisation"].parts) == len(GOLD)


def test_adherence_by_hand() -> None:
    assert guideline_adherence([S, S, N], [1.0, 0.5]) == pytest.approx(2 / 3 * 0.75)
    assert guideline_adherence([S], []) is None
    assert guideline_adherence([], [1.0]) is None
    assert guideline_adherence([C, N], [1.0]) == 0.0


def test_a_refuted_dose_is_found_by_its_words() -> None:
    dose = AnswerClaim("Give amoxicillin 500 mg three times a day.")
    item = replace(WORKED, answer_claims=(dose, AnswerClaim("Rest.")))
    judge = judge_told({(dose.text, "\n".join(GOLD)): C})
    scores = claim_scores(item, ["critical_error_rate", "hallucination_rate"], judge)
    assert scores["critical_error_rate"].value == 1.0
    assert scores["hallucination_rate"].value == 1 / 2  # no passage supports it


@pytest.mark.parametrize(("text", "is_dose"), rows(__file__, "doses.jsonl"))
def test_doses_are_amounts_of_medicines(text: str, is_dose: bool) -> None:
    assert states_dose(text) is is_dose


@pytest.mark.parametrize(("text", "claim", "is_said"), rows(__file__, "word_for_word.jsonl"))
def test_what_is_said_word_for_word(text: str, claim: str, is_said: bool) -> None:
    assert states(text, claim) is is_said


def test_a_claim_that_is_its_quotes_is_said_where_the_first_of_them_stands() -> None:
    lead, listed = "Offer to adults:", "Offer to adults:\n- amoxicillin\n- doxycycline"
    claim, quotes = "Offer to adults: doxycycline", ("doxycycline", lead)
    assert states(listed, claim, quotes)
    assert not states(listed, claim)
    assert not states("Rest in bed.", claim, quotes)
    assert not states(listed, "Offer to children: doxycycline", quotes)


def test_nobody_judges_what_is_said_word_for_word() -> None:
    verifier = ToldVerifier({})
    item = AnsweredItem(
        "?", answer_claims=(AnswerClaim("Rest in bed."),), contexts=("Rest in bed.",)
    )
    (scored,) = claim_scores(item, ["claim_faithfulness"], EntailmentJudge(verifier)).values()
    assert (scored.value, verifier.rounds) == (1.0, [])


def test_a_configured_judge_judges_alone(settings: LazySettings) -> None:
    set_model(settings, "judge", "http://one.test/v1", "http://two.test/v1", model="judge")
    judge = entailment_judge()
    assert isinstance(judge.verifier, LanguageModelJudge)
    assert [each.url for each in judge.verifier.endpoints] == ["http://one.test/v1"]
    assert judge.judged_by.fingerprint.endswith(":judge")


def words(text: str) -> AnsweredItem:
    return AnsweredItem(
        "?", answer_claims=(AnswerClaim(text),), contexts=("All patients rest in bed.",)
    )


def test_a_language_model_judges_by_its_endpoint(settings: LazySettings) -> None:
    with endpoint(replies(judging(fair))) as server:
        judge_by(settings, server.url)
        judge = entailment_judge()
        right, wrong = (
            claim_scores(words(text), ["claim_faithfulness"], judge)["claim_faithfulness"]
            for text in ("patients rest in bed.", "Walk.")
        )
    assert (right.value, wrong.value, len(server.asked)) == (1.0, 0.0, 2)


def test_a_judge_that_hangs_has_the_time_of_a_call(settings: LazySettings) -> None:
    """Else each of two tries would take the item's ten minutes."""
    with endpoint(hangs()) as server:
        judge_by(settings, server.url)
        judge = entailment_judge()
        assert isinstance(judge.verifier, LanguageModelJudge)
        assert judge.verifier.call_timeout_s < judge.timeout_s
        quick = replace(judge.verifier, call_timeout_s=0.5)
        judge = replace(judge, verifier=quick, waits_s=())
        (scored,) = claim_scores(words("Rest in bed."), ["claim_faithfulness"], judge).values()
    assert scored.reason.startswith("failed: the judge gave no answer")
    assert "took more than 0.5 seconds" in scored.reason


def test_a_judge_that_is_away_for_a_moment_is_asked_again(settings: LazySettings) -> None:
    with endpoint(replies(judging(fair))) as server:
        server.script = [status(500)] * 3
        judge_by(settings, server.url)
        judge = replace(entailment_judge(), waits_s=(0.01,))
        (scored,) = claim_scores(words("Rest in bed."), ["claim_faithfulness"], judge).values()
    assert scored.value == 1.0
    assert entailment_judge().waits_s[0] > PAUSE_S  # else the breaker would skip the judge


def test_no_model_scores_its_own_answers(settings: LazySettings) -> None:
    unset_models(settings, "judge")
    set_model(settings, "generate", "http://one.test/v1", model="writer")
    assert judging_endpoint() is None
    assert judge_fault() == ""
    set_model(settings, "judge", "http://one.test/v1/", model="judge")
    assert judge_fault() == ""
    change_model(settings, "judge", model="writer")
    assert "url and model in [judge] of MEDRAG_MODELS name the model that" in judge_fault()
