"""Questions of a site whose answers a language model writes: an answer, or a refusal."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.models import Reason, Turn, TurnStatus
from tests.chat.generation.writing_model import claim, says_verbatim, writes
from tests.chat.guidelines import DOSE, ask, publish_guideline
from tests.llm import server as llm_server
from tests.llm.server import endpoint, says, status
from tests.models import set_model

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: Settings) -> Iterator[llm_server.Endpoint]:
    publish_guideline(picture=False)
    with endpoint(writes(says_verbatim(DOSE))) as state:
        settings.GENERATOR = "llm"
        set_model(settings, "generate", state.url, model="writer", key="key-canary")
        yield state


def refused(turn: Turn) -> Reason:
    assert turn.status == TurnStatus.ABSTAINED
    assert not turn.claims.exists()
    return Reason(turn.reason)


def test_a_sentence_of_a_guideline_is_an_answer(server: llm_server.Endpoint, alice: User) -> None:
    turn = ask(alice)
    (shown,) = turn.claims.all()
    (citation,) = shown.citations.all()
    assert (shown.text, citation.quote) == (DOSE, DOSE)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "lie",
    [
        DOSE.replace("500", "5000"),
        DOSE.replace("500", "50"),
        DOSE.replace("mg", "g"),
        DOSE.replace("Give", "Do not give"),
        f"{DOSE} <script>alert(1)</script>",
        f"{DOSE} https://evil.example",
    ],
)
def test_a_lie_about_a_true_quote_is_a_refusal(
    server: llm_server.Endpoint, alice: User, lie: str
) -> None:
    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        key = next(key for key, text in shown.items() if DOSE in text)
        return {"claims": [claim(lie, (key, DOSE))], "option": "none"}

    server.default = writes(write)
    assert refused(ask(alice)) is Reason.UNSUPPORTED_CLAIMS


@pytest.mark.parametrize("answer", [status(401), status(404), says("no JSON"), says("")])
def test_a_model_that_fails_is_a_refusal(
    server: llm_server.Endpoint, alice: User, answer: llm_server.Answer
) -> None:
    server.default = answer
    assert refused(ask(alice)) is Reason.GENERATOR_UNAVAILABLE


def test_a_model_that_writes_at_random_gives_refusals_alone(
    server: llm_server.Endpoint, alice: User
) -> None:
    drawn = random.Random(5)

    def noise() -> str:
        words = [*re.findall(r"\w+", DOSE), "not", "50", "mg", "children"]
        if drawn.random() < 0.5:
            return " ".join(drawn.choices(words, k=drawn.randrange(1, 15)))
        return "".join(drawn.choices(string.printable, k=drawn.randrange(1, 80)))

    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        keys = [*shown, noise()]
        claims = [
            claim(noise(), *[(drawn.choice(keys), noise()) for _ in range(drawn.randrange(3))])
            for _ in range(drawn.randrange(1, 8))
        ]
        return {"claims": claims, "option": "none"}

    for turn in range(20):
        server.default = writes(write) if turn % 2 else says(noise())
        reasons = (Reason.UNSUPPORTED_CLAIMS, Reason.GENERATOR_UNAVAILABLE)
        assert refused(ask(alice)) in reasons
