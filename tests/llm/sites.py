"""A site whose answers a language model writes, and every form in which it shows them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.api.answers import turn_payload
from chat.ask import turn_ask
from chat.models import AuditEvent, Channel, ClaimKind, Mode, Turn, TurnStatus
from chat.terminal import as_text
from chat.types import AskedQuestion
from tests.llm.lies import QUESTION
from tests.llm.prompts import one_line
from tests.models import set_model

KEY = "sk-canary-0f5e1c7a9b3d"
PATIENT_S = 60.0  # for a question, so that a busy machine changes no outcome
HURRIED_S = 2.0  # for a question whose model is late
SLACK_S = 10.0  # for a busy machine; far below any time-out that the code could ignore


def generate_by(settings: LazySettings, *urls: str, timeout_s: float = PATIENT_S) -> None:
    """Let the models at these addresses write answers, tried in this order."""
    settings.GENERATOR = "llm"
    set_model(settings, "generate", *urls, model="writer", key=KEY)
    settings.ANSWER_TIMEOUT_S = timeout_s


def judge_by(settings: LazySettings, *urls: str, timeout_s: float = PATIENT_S) -> None:
    """Let the models at these addresses judge claims, after the exact checks."""
    settings.VERIFIER = "llm"
    set_model(settings, "judge", *urls, model="judge", key=KEY)
    settings.ANSWER_TIMEOUT_S = timeout_s


def ask(question: str = QUESTION, *, user: User | None = None) -> Turn:
    channel = Channel.PAGE if user else Channel.COMMAND
    return turn_ask(AskedQuestion(question, user=user, channel=channel))


def answers_of(turn: Turn) -> list[str]:
    """Return the claims that answer, without cautions, which no model writes."""
    return [claim.text for claim in turn.claims.filter(kind=ClaimKind.ANSWER)]


@dataclass(frozen=True)
class Shown:
    """A stored turn as the page, the API and the terminal show it."""

    page: str
    payload: str
    terminal: str

    def __contains__(self, words: str) -> bool:
        return any(words in one_line(text) for text in (self.page, self.payload, self.terminal))


def shown(turn: Turn, client: Client) -> Shown:
    stored = Turn.objects.get(pk=turn.pk)
    page = ""
    if stored.user and stored.conversation_id:
        client.force_login(stored.user)
        address = reverse("chat:conversation", args=[stored.conversation_id])
        response = client.get(address)
        assert response.status_code == 200
        page = response.content.decode()
    payload = json.dumps(turn_payload(stored), ensure_ascii=False)
    return Shown(page, payload, as_text(stored))


def assert_nothing_leaked(
    turn: Turn, client: Client, caplog: pytest.LogCaptureFixture, *, prompts: Sequence[str] = ()
) -> None:
    """Check that no key and no prompt is shown or logged, and no text of the endpoint logged."""
    seen = shown(turn, client)
    events = "\n".join(AuditEvent.objects.values_list("payload", flat=True))
    for secret in (KEY, *(prompt.strip().splitlines()[0] for prompt in prompts)):
        assert secret not in seen
        assert secret not in caplog.text
        assert secret not in events
    assert KEY not in json.dumps(turn.trace)
    for words in ("CANARY", "demonstracillin", "pneumonia", "Traceback"):
        assert words not in caplog.text
        assert words not in events


def assert_alive(settings: LazySettings, client: Client) -> None:
    """Check that the next question is answered and that the site says it is well."""
    settings.GENERATOR, settings.VERIFIER, settings.MODE = (
        "extractive",
        "checker",
        Mode.FAITHFUL.value,
    )
    assert ask().status == TurnStatus.ANSWERED
    assert client.get("/healthz").status_code == 200
