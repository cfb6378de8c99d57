"""A model that knows the answers says what it was told, and only where the passages hold it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench.answers.knowing_model import KnowingModel, Saying, served, stretches_of
from bench.answers.model_asking import Claims, ModelAsked, ModelOrder, half_of
from bench.answers.model_telling import model_lines
from chat.evidence.prompt_text import shown_passages
from chat.generation.language_model import PROMPT
from chat.verification.entailment.judge import prompt_for
from chat.verification.types import Evidence, Pair
from core.llm.client import Endpoint
from core.llm.failover import ask_first
from core.llm.request_variants import Question as Asked
from evaluation.datasets.types import DatasetError
from evaluation.question_sets.patterned import Question
from tests.chat.evidence.hits import made_up_hit

QUESTION = Question(
    "q1",
    "How much zelomycin?",
    is_answerable=True,
    decisive=(re.compile(r"200\s*mg"), re.compile("twice")),
    wrong=(re.compile("children"),),
    answer="200 mg twice a day",
)
TEXT = "In children 200 mg twice weekly. Adults take 200 mg; give it twice a day.\nStop on day 5."


def prompt(text: str = TEXT, question: str = QUESTION.text) -> str:
    passages = shown_passages({"k1": made_up_hit(text=text)}, "<00>")
    return PROMPT.filled(
        mark="<00>", count="8", question=question, options="(none)", passages=passages
    )


def test_it_quotes_the_shortest_stretches_that_answer_and_do_not_mislead() -> None:
    found = stretches_of(QUESTION, [("k1", "About zelomycin", TEXT)])
    assert found == [("k1", "Adults take 200 mg; give it twice a day.")]


def test_it_says_its_stretches_or_what_it_was_told() -> None:
    model = KnowingModel()
    model.ask(QUESTION)
    (claim,) = model.reply(prompt())["claims"]
    assert claim["text"] == claim["citations"][0]["quote"]
    model.ask(QUESTION, "Two hundred milligrams, two times daily.")
    (claim,) = model.reply(prompt())["claims"]
    assert claim["text"] == "Two hundred milligrams, two times daily."
    assert claim["citations"][0]["passage"] == "k1"


@pytest.mark.parametrize(
    ("text", "question"), [("Adults take 5 mg.", QUESTION.text), (TEXT, "Another question?")]
)
def test_it_claims_nothing_that_the_passages_do_not_hold(text: str, question: str) -> None:
    model = KnowingModel()
    model.ask(QUESTION)
    assert model.reply(prompt(text, question)) == {"claims": [], "option": "none"}
    assert model.calls == 1


@pytest.mark.parametrize(("is_truthful", "label"), [(True, "supported"), (False, "not_found")])
def test_the_judge_beside_it_knows_whether_it_lies(is_truthful: bool, label: str) -> None:
    model = KnowingModel(is_truthful=is_truthful)
    model.ask(QUESTION, "Take 200 mg twice a day.")
    model.reply(prompt())
    pairs = [Pair(text, Evidence((TEXT,))) for text in ("Take  200 mg twice a day.", "Take 5 g.")]
    said = model.reply(prompt_for(pairs, ["00000001", "00000002"]))["judgements"]
    assert [each["label"] for each in said] == [label, "not_found"]


def test_it_speaks_the_protocol_on_loopback() -> None:
    model = KnowingModel()
    model.ask(QUESTION)
    with served(model) as address:
        asked = Asked(prompt(), {"type": "object"}, "answer", 100, 0)
        answer = ask_first([Endpoint(address, "m", "")], asked, use="generate", timeout_s=10)
    assert [claim["text"] for claim in answer.value["claims"]] == [claim["text"] for claim in model.claims]  # noqa: E501  # fmt: skip


def test_claims_are_read_by_question(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    lies = [{"kind": "unit", "text": "200 g."}, {"kind": "negation", "text": "Give none."}]
    path.write_text(json.dumps({"q1": {"free": "Two hundred.", "lies": lies}}))
    claims = Claims(str(path))
    assert claims.sayings(QUESTION, Saying.QUOTE) == [("", "")]
    assert claims.sayings(QUESTION, Saying.ANSWER) == [("", "200 mg twice a day")]
    assert claims.sayings(QUESTION, Saying.FREE) == [("", "Two hundred.")]
    assert claims.sayings(QUESTION, Saying.LIE) == [("unit", "200 g."), ("negation", "Give none.")]
    with pytest.raises(DatasetError):
        Claims(str(tmp_path / "none.json")).sayings(QUESTION, Saying.FREE)


def test_the_report_counts_what_is_shown_and_names_nothing_of_the_counted_half() -> None:
    names = {half_of(name): name for name in ("a", "b", "c", "d", "e")}
    seen, unseen = half_of(names["looked at"]), half_of(names["counted"])
    why, reason = ("numbers: no",), "UNSUPPORTED_CLAIMS"
    asked = [
        ModelAsked("q1", seen, "", True, 1, 1, 1, (), "", 5, "seen", 0.9),
        ModelAsked("q2", unseen, "", True, 1, 1, 0, why, reason, 5, "unseen", 0.1),
        ModelAsked("q3", unseen, "", True, 0, 0, 0, (), "WEAK_EVIDENCE", 5, "", 0.1),
    ]
    text = "\n".join(model_lines(asked, ModelOrder("free")))
    assert "| shown, of those whose answer was there | 1 of 1, 100.0%" in text
    assert "0 of 1, 0.0%" in text
    assert "| numbers | 0 | 1 |" in text
    assert "| no claim (WEAK_EVIDENCE) | 0 | 1 |" in text
    assert "seen" in text
    assert "unseen" not in text
