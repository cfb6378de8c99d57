"""Test that every question to a model that writes random text ends in a refusal."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from chat.models import AuditEvent, Claim, Mode, Reason, Turn, TurnStatus
from core.llm import client as language_model
from core.llm.breaker import forget_failures
from tests.llm.contents import babble
from tests.llm.lies import QUESTION
from tests.llm.prompts import shown_in
from tests.llm.server import Endpoint, endpoint, replies
from tests.llm.sites import ask, generate_by

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guideline", "quick")]

SEED = 20260501
FEW, MANY = 24, 100  # questions: in every run, and in `make exhaustive`
ASKED = (
    QUESTION,
    "Who must not have demonstracillin?",
    "What is given intravenously to adults with severe pneumonia?",
    "How long is demonstracillin given for in pneumonia?",
)


@pytest.fixture
def server(db: None, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr(language_model, "FIRST_WAIT_S", 0.01)
    generator = random.Random(SEED)
    with endpoint(lambda handler: replies(babble(generator))(handler)) as state:
        generate_by(settings, state.url)
        settings.GATE_THRESHOLD = 0.0  # each question reaches the model
        settings.MODE = Mode.FAITHFUL.value  # only verification can stop a claim
        yield state


@pytest.mark.parametrize("questions", [FEW, pytest.param(MANY, marks=pytest.mark.exhaustive)])
def test_all_questions_are_refusals(server: Endpoint, questions: int) -> None:
    for number in range(questions):
        forget_failures()  # else the breaker would refuse most of them
        ask(ASKED[number % len(ASKED)])
    reasons = Counter(Turn.objects.values_list("reason", flat=True))
    assert Turn.objects.filter(status=TurnStatus.ABSTAINED).count() == questions
    assert not Claim.objects.exists()
    assert set(reasons) <= {Reason.GENERATOR_UNAVAILABLE, Reason.UNSUPPORTED_CLAIMS}
    assert min(reasons.values()) >= questions // 5, f"both kinds of random text came: {reasons}"
    assert AuditEvent.objects.filter(action="turn.abstained").count() == questions


def test_each_of_them_was_asked_of_the_model(server: Endpoint) -> None:
    for question in ASKED:
        ask(question)
    assert {shown_in(request).question for request in server.asked} == set(ASKED)
