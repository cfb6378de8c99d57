"""The RAGAS library with judges on loopback, sound and faulty."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.llm.client import Endpoint
from corpus.encoders.registry import get_embedder
from evaluation.measures.ragas_judge import RAGAS_MEASURES, RagasConfig, RagasJudge
from evaluation.measures.types import AnswerClaim, AnsweredItem, Scored
from tests.llm.__main__ import judge
from tests.llm.scoring import Given, schema_of, scores
from tests.llm.server import Answer, endpoint, says, slowly, status

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

FIRST, SECOND, OTHER = "Give zanamol at once.", "Stop it after a week.", "Rest in bed."
ITEM = AnsweredItem(
    "How is canary fever treated?",
    gold_answer=f"{FIRST} {OTHER}",
    answer_claims=(AnswerClaim(FIRST), AnswerClaim(SECOND)),
    contexts=("Nothing of use.", f"{FIRST} It helps.", "Nothing more."),
)
QUICK = RagasConfig(call_timeout_s=20.0, retries=0)


def scored(
    answer: Answer, *, item: AnsweredItem = ITEM, config: RagasConfig = QUICK, **script: Any
) -> dict[str, Scored]:
    with endpoint(answer) as server:
        server.script = list(script.get("first", ()))
        judge = RagasJudge(Endpoint(server.url, "judge-1"), get_embedder(), config)
        return judge.scores(item, script.get("wanted", RAGAS_MEASURES))


def have_failed(found: dict[str, Scored]) -> bool:
    return all(each.value is None and each.reason.startswith("failed: ") for each in found.values())


def similar(one: str, other: str) -> float:
    first, second = get_embedder().encode([one]), get_embedder().encode([other])
    return float((first @ second.T)[0, 0])


@pytest.mark.parametrize("answer", [scores(), judge], ids=["alone", "as served"])
def test_each_measure_by_hand(answer: Answer) -> None:
    found = scored(answer)
    assert list(found) == list(RAGAS_MEASURES)
    values = {name: each.value for name, each in found.items()}
    asked = f"What about this: {ITEM.answer}"
    assert values == pytest.approx(
        {
            "ragas_faithfulness": 1 / 2,  # the first of two statements
            "ragas_answer_relevancy": similar(ITEM.question, asked),
            "ragas_context_precision": 1 / 2,  # the only useful passage is the second
            "ragas_context_recall": 1 / 2,
            # one right, one too many, one missing: F1 1/2; then the likeness of both texts
            "ragas_answer_correctness": 0.75 * (1 / 2)
            + 0.25 * similar(ITEM.answer, ITEM.reference),
        },
        abs=1e-6,
    )
    (by,) = {each.judged_by for each in found.values()}
    assert by is not None
    assert by.name == "ragas"
    assert by.fingerprint.startswith("ragas-0.4.3:judge-1:")
    assert get_embedder().fingerprint in by.fingerprint


def test_each_value_is_explained_by_what_was_judged() -> None:
    found = scored(scores())
    parts = {
        name.removeprefix("ragas_"): [(part.text, part.verdict) for part in each.parts]
        for name, each in found.items()
    }
    follows, does_not = "follows from the passages", "does not follow"
    assert parts["faithfulness"] == [(FIRST, follows), (SECOND, does_not)]
    assert parts["context_recall"] == [(FIRST, follows), (OTHER, does_not)]
    assert parts["context_precision"] == [
        ("Passage 1", "not useful"),
        ("Passage 2", "useful, precision here 1/2"),
        ("Passage 3", "not useful"),
    ]
    asked = f"What about this: {ITEM.answer}"
    assert parts["answer_relevancy"] == [(asked, f"cosine {similar(ITEM.question, asked):.2f}")] * 3
    assert parts["answer_correctness"] == [
        (FIRST, "in the answer and the gold answer"),
        (SECOND, "only in the answer"),
        (OTHER, "only in the gold answer"),
        (
            "The whole answer and the gold answer",
            f"cosine {similar(ITEM.answer, ITEM.reference):.2f}",
        ),
    ]
    assert {part.reason for part in found["ragas_faithfulness"].parts} == {"read"}


def test_what_was_judged_before_a_failure_is_kept() -> None:
    empty = scores(NLIStatementOutput=lambda given: {"statements": []})
    found = scored(empty, wanted=["ragas_faithfulness", "ragas_context_precision"])
    assert found["ragas_faithfulness"].parts == ()
    assert len(found["ragas_context_precision"].parts) == 3


def test_what_the_judge_is_asked() -> None:
    """By schema, at temperature 0, by the configured model and key, in a known number of calls."""
    with endpoint(scores()) as server:
        where = Endpoint(server.url, "judge-1", "sk-1")
        RagasJudge(where, get_embedder(), QUICK).scores(ITEM, RAGAS_MEASURES)
    assert sorted({schema_of(request) for request in server.asked}) == [
        "AnswerRelevanceOutput",
        "ClassificationWithReason",
        "ContextPrecisionOutput",
        "ContextRecallOutput",
        "NLIStatementOutput",
        "StatementGeneratorOutput",
    ]
    assert len(server.asked) == 2 + QUICK.strictness + len(ITEM.contexts) + 1 + 3
    assert {(one["model"], one["temperature"]) for one in server.asked} == {("judge-1", 0)}
    assert {one["max_tokens"] for one in server.asked} == {QUICK.max_tokens}
    assert set(server.keys) == {"Bearer sk-1"}


GERMAN = AnsweredItem(
    "Wie wird das Fieber bei Erwachsenen behandelt?",
    gold_answer="Geben Sie sofort Zanamol. Nach einer Woche wird es abgesetzt.",
    answer_claims=(AnswerClaim("Geben Sie sofort Zanamol. Nach einer Woche wird es abgesetzt."),),
    contexts=("Geben Sie sofort Zanamol. Nach einer Woche wird es abgesetzt.",),
)
IN_ENGLISH = {"statements": ["Give zanamol at once to the patient.", "It is stopped after a week."]}


def test_a_german_item_is_judged_in_german() -> None:
    with endpoint(scores()) as server:
        judge = RagasJudge(Endpoint(server.url, "judge-1"), get_embedder(), QUICK)
        german = judge.scores(GERMAN, RAGAS_MEASURES)
        asked = server.prompts
        english = judge.scores(ITEM, ["ragas_faithfulness"])
    assert german["ragas_faithfulness"].value == german["ragas_context_recall"].value == 1
    for prompt in asked:
        assert "Deutsch" in prompt
        assert "Einstein" not in prompt
    (by,) = {each.judged_by for each in german.values()}
    assert by != english["ragas_faithfulness"].judged_by


def test_an_item_is_not_judged_in_another_language() -> None:
    """The share of English statements that German passages hold is no faithfulness."""
    found = scored(scores(StatementGeneratorOutput=lambda given: IN_ENGLISH), item=GERMAN)
    assert found["ragas_faithfulness"].reason == (
        "failed: the judge wrote statements in another language"
    )
    french = AnsweredItem(
        "Quelle est la dose pour les adultes avec une fièvre ?",
        answer_claims=(AnswerClaim("Donnez le zanamol une fois par jour aux adultes."),),
        contexts=("Donnez le zanamol une fois par jour aux adultes.",),
    )
    (why,) = scored(scores(), item=french, wanted=["ragas_faithfulness"]).values()
    assert why.reason == "not run: RAGAS has no prompts in the item's language (fr)"


def test_what_an_item_lacks_is_not_asked_about() -> None:
    with endpoint(scores()) as server:
        judge = RagasJudge(Endpoint(server.url, "judge-1"), get_embedder(), QUICK)
        refused = judge.scores(replace(ITEM, is_refused=True, gold_answer=""), RAGAS_MEASURES)
        empty = judge.scores(replace(ITEM, answer_claims=(), contexts=()), RAGAS_MEASURES)
    assert server.asked == []
    assert {each.value for each in (*refused.values(), *empty.values())} == {None}
    assert refused["ragas_faithfulness"].reason == "the question was refused"
    assert refused["ragas_context_recall"].reason == "the question has no gold answer"
    assert empty["ragas_faithfulness"].reason == "the answer is empty"
    assert empty["ragas_context_precision"].reason == "nothing was retrieved"


def test_gold_claims_stand_for_a_gold_answer() -> None:
    item = replace(ITEM, gold_answer="", gold_claims=(FIRST, OTHER))
    assert scored(scores(), item=item, wanted=["ragas_context_recall"])[
        "ragas_context_recall"
    ].value == pytest.approx(1 / 2)


@pytest.mark.parametrize("code", [401, 429, 500])
def test_a_judge_that_refuses(code: int) -> None:
    found = scored(status(code))
    assert {(each.value, each.reason) for each in found.values()} == {
        (None, f"failed: the judge answered with status {code}")
    }


def test_a_refusal_that_passes_is_tried_again() -> None:
    config = replace(QUICK, retries=1)
    found = scored(scores(), config=config, first=[status(429)], wanted=["ragas_context_recall"])
    assert found["ragas_context_recall"].value == 1 / 2


def test_a_judge_that_is_slow() -> None:
    found = scored(slowly(0.2, 600), config=replace(QUICK, call_timeout_s=1.0))
    assert have_failed(found)
    assert all("took more than 1 seconds" in each.reason for each in found.values())


def test_a_measure_of_many_slow_calls_ends() -> None:
    config = replace(QUICK, call_timeout_s=3.0, measure_timeout_s=0.5)
    found = scored(slowly(0.2, 600), config=config, wanted=["ragas_context_precision"])
    assert (
        found["ragas_context_precision"].reason == "failed: the measure took more than 0.5 seconds"
    )


@pytest.mark.parametrize("text", ["", "CANARY", '{"statements": "CANARY"}', '{"a": [NaN]}'])
def test_a_judge_that_says_something_else(text: str) -> None:
    found = scored(says(text))
    assert have_failed(found)
    assert all(
        each.reason.startswith("failed: the judge gave an answer") for each in found.values()
    )
    assert all("CANARY" not in each.reason for each in found.values())


def test_a_verdict_is_zero_or_one() -> None:
    def sure(given: Given) -> Given:
        return {"reason": "read", "verdict": 5}

    found = scored(scores(ContextPrecisionOutput=sure), wanted=["ragas_context_precision"])
    assert "gave an answer of another form" in found["ragas_context_precision"].reason


@pytest.mark.parametrize(
    ("schema", "said", "measure"),
    [
        ("StatementGeneratorOutput", {"statements": []}, "ragas_faithfulness"),  # NaN in RAGAS
        ("NLIStatementOutput", {"statements": []}, "ragas_faithfulness"),  # NaN
        ("ContextRecallOutput", {"classifications": []}, "ragas_context_recall"),  # NaN
        ("StatementGeneratorOutput", {"statements": []}, "ragas_answer_correctness"),  # a full mark
        ("ClassificationWithReason", {"TP": [], "FP": [], "FN": []}, "ragas_answer_correctness"),
        ("AnswerRelevanceOutput", {"question": "", "noncommittal": 0}, "ragas_answer_relevancy"),
    ],
)
def test_an_empty_judgement_is_no_score(schema: str, said: Given, measure: str) -> None:
    found = scored(scores(**{schema: lambda given: said}), wanted=[measure])
    assert have_failed(found)
    assert "found nothing to judge" in found[measure].reason


def test_one_measure_may_fail_alone() -> None:
    found = scored(scores(ContextRecallOutput=lambda given: "CANARY"))
    failed = [name for name, each in found.items() if each.value is None]
    assert failed == ["ragas_context_recall"]


def test_nothing_of_an_item_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        scored(scores())
        scored(says("CANARY"))
    for words in ("canary fever", "zanamol", "CANARY"):
        assert words not in caplog.text
    assert "zanamol" not in repr(ITEM)


def test_it_tells_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import ragas._analytics as analytics

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    scored(scores(), wanted=["ragas_faithfulness"])
    assert analytics.do_not_track()
    assert list(home.iterdir()) == []  # tracking would store a user id there
