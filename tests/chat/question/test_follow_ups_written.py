"""Test follow-ups worded by a language model: accepted only if they keep to what was asked."""

import json
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from chat.question.follow_ups import PROMPT, Asked, Standalone, accepted, standalone
from core.llm import client as language_model
from tests.chat.question.follow_up_questions import CHILD, CHOICE, CYSTITIS, STROKE, golden
from tests.llm.server import Answer, Endpoint, endpoint, says
from tests.models import set_model, unset_models


@pytest.fixture
def model(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr(language_model, "FIRST_WAIT_S", 0.01)
    with endpoint(wording("How often is cefalexin given to a child with pyelonephritis?")) as state:
        set_model(settings, "rewrite", state.url, model="small", key="key-canary")
        yield state


def wording(text: str) -> Answer:
    return says(json.dumps({"question": text}))


def by_model(question: str, *before: str, timeout_s: float = 60) -> Standalone:
    turns = [Asked(text, text, True) for text in before]
    return standalone(question, turns, by="llm", timeout_s=timeout_s)


def test_a_model_words_a_follow_up(model: Endpoint) -> None:
    made = by_model("how often?", CHILD)
    assert made == Standalone(
        "How often is cefalexin given to a child with pyelonephritis?", True, "llm:small"
    )
    (prompt,) = model.prompts
    assert CHILD in prompt
    assert "how often?" in prompt


def test_a_model_sees_the_last_four_turns_and_no_more(model: Endpoint) -> None:
    by_model("how often?", "Oldest of all, about gout?", CHOICE, CYSTITIS, STROKE, CHILD)
    assert "gout" not in model.prompts[0]
    assert CHOICE in model.prompts[0]


def test_a_model_is_not_asked_about_what_stands_by_itself(model: Endpoint) -> None:
    for question in golden()[:40]:
        made = by_model(question, CHILD)
        assert (made.text, made.is_follow_up) == (question, False)
    assert by_model("how often?").text == "how often?"  # no question before
    assert model.asked == []


@pytest.mark.parametrize(
    ("answer", "is_used"),
    [
        ("How often is cefalexin given to a child?", True),
        ("'How often is cefalexin given to a child?'", True),
        ("How often is cefalexin 500 mg given to a child?", False),  # a number of its own
        ("How often is amoxicillin given to a child?", False),  # another medicine
        ("How often is cefalexin given in pregnancy?", False),  # another group
        ("How often is cefalexin not given to a child?", False),  # negated
        ("How often\nis cefalexin given to a child?", False),
        ("x", False),
        ("How often is cefalexin given " + "to a child " * 80, False),
    ],
)
def test_what_a_model_makes_up_is_not_used(model: Endpoint, answer: str, is_used: bool) -> None:
    model.default = wording(answer)
    made = by_model("how often?", CHILD)
    assert (made.by == "llm:small") is is_used
    if not is_used:
        assert made.text == "How often: cefalexin for a child with pyelonephritis?"
        assert made.by == "rules"
        assert made.notes == ("follow_up: the language model's wording was not fit for use.",)


def test_what_the_question_names_must_stay() -> None:
    before = [Asked(CHILD, CHILD, True)]
    assert accepted("and with warfarin?", before, "Cefalexin with warfarin for a child?")
    assert not accepted("and with warfarin?", before, "Cefalexin dose for a child?")
    assert not accepted("and at 20 kg?", before, "Cefalexin dose for a child?")
    assert not accepted("and if not septic?", before, "Cefalexin for a septic child?")
    assert accepted("and if not septic?", before, "Cefalexin for a child if not septic?")


def test_a_wording_keeps_how_severe_it_is() -> None:
    before = [Asked("treatment of mild pneumonia", "", True)]
    asked = "and if penicillin allergic?"
    assert accepted(asked, before, "Treatment of mild pneumonia, penicillin allergic")
    assert not accepted(asked, before, "Treatment of pneumonia, penicillin allergic")
    assert not accepted(asked, before, "Treatment of severe pneumonia, penicillin allergic")
    assert accepted("and if severe?", before, "Treatment of severe pneumonia")
    assert accepted("and of asthma?", before, "Treatment of asthma")
    assert not accepted("and of asthma?", before, "Treatment of severe asthma")


def test_without_an_endpoint_or_time_the_rules_count(settings: Settings, model: Endpoint) -> None:
    assert by_model("how often?", CHILD, timeout_s=0.1).by == "rules"
    unset_models(settings, "rewrite")
    assert by_model("how often?", CHILD).notes == ("follow_up: MEDRAG_MODELS names no [rewrite].",)
    assert model.asked == []


def test_the_prompt_can_be_filled() -> None:
    assert PROMPT.fault() == ""
