"""The model that knows the answers: its claims, and only where the passages contain them."""

import re

import pytest

from bench.answers.knowing_model import KnowingModel, served
from chat.evidence.judgements import Evidence, Pair
from chat.evidence.prompt_text import shown_passages
from chat.generation.language_model import PROMPT
from chat.verification.entailment.judge import prompt_for
from core.llm.client import Endpoint
from core.llm.failover import ask_first
from core.llm.request_variants import Question as Asked
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
