"""Faults for models that write and models that judge, and the check of their outcome."""

import time
from dataclasses import dataclass

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from chat.models import AuditEvent, Reason, Turn, TurnStatus
from tests.llm.prompts import shown_in
from tests.llm.server import (
    Answer,
    Endpoint,
    Reply,
    breaks_off,
    chunks_without_end,
    drips,
    hangs,
    huge_answer,
    resets,
    stalls,
    status,
)
from tests.llm.sites import SLACK_S, ask, assert_alive, assert_nothing_leaked


def failing(sound: Reply) -> dict[str, Answer]:
    """Return faults of an otherwise sound model that are noticed at once or soon."""
    return {
        **{str(code): status(code) for code in (400, 401, 403, 404, 410, 418, 500, 503)},
        "429 for an hour": status(429, Retry_After="3600"),
        "a reset": resets(),
        "breaking off": breaks_off(sound),
        "50 MB": huge_answer(sound),
        "chunks without end": chunks_without_end(),
    }


def late(sound: Reply) -> dict[str, Answer]:
    """Return answers that would be sound, but don't come in time."""
    return {"nothing": hangs(), "half of it": stalls(sound), "a byte a second": drips(sound)}


@dataclass(frozen=True)
class Refused:
    """Ask, and check that the outcome is a refusal for one of the reasons, in time."""

    settings: LazySettings
    user: User
    client: Client
    caplog: pytest.LogCaptureFixture

    def __call__(self, reasons: set[Reason], *servers: Endpoint) -> Turn:
        began = time.monotonic()
        turn = ask(user=self.user)
        assert time.monotonic() - began < self.settings.ANSWER_TIMEOUT_S + SLACK_S
        stored = Turn.objects.get(pk=turn.pk)
        assert (stored.status, stored.claims.count()) == (TurnStatus.ABSTAINED, 0)
        assert stored.reason in reasons
        assert AuditEvent.objects.get().action == "turn.abstained"
        prompts = [shown_in(request).prompt for one in servers for request in one.asked]
        assert_nothing_leaked(turn, self.client, self.caplog, prompts=prompts)
        assert_alive(self.settings, self.client)
        return stored
