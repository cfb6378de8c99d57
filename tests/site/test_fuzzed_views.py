"""Test that no request to any address by anybody ends in a server error.

One in a hundred of the requests is in every run, all of them are in `make exhaustive`. Each is
undone before the next, so that any of them can be repeated alone.
"""

import itertools
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from http.cookies import SimpleCookie
from pathlib import Path
from random import Random
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.core.signals import got_request_exception
from django.db import transaction
from django.test import Client

from chat.audit.verify import verify_chain
from chat.models import Feedback, Review
from corpus.models import Lifecycle
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.addresses import addresses
from tests.chat.api.api_calls import signed_in
from tests.chat.gate.calibrations import kept
from tests.chat.guidelines import ask, publish_guideline
from tests.corpora import publish
from tests.evaluation.question_runs.asking import run_of
from tests.people import person
from tests.site.web.hostile_requests import KINDS, Offer, Sent, drawn, offer_of, share

SEED = 20261122
SHARES = 10
IN_EVERY_RUN = 100  # the number of shares, of which one is in every run
ROUNDS = {"anonymous": 2, "clinician": 2, "staff": 3, "superuser": 9}


@pytest.fixture
def world(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Store a row of every kind; return the parameters of addresses that lead to them."""
    for module in ("chat.api.log", "chat.admin.events"):  # the auditor's connection sees no row
        monkeypatch.setattr(f"{module}.verify_chain", partial(verify_chain, "default"))
    clinician = person("clinician", CLINICIANS)
    document = publish_guideline()
    draft = publish("# Draft\nWait and see.", lifecycle=Lifecycle.DRAFT, indexed=False)
    turn = ask(clinician)
    kept(by=clinician)
    run_of()
    AccessAttempt.objects.create(username="a", ip_address="192.0.2.1", failures_since_start=9)
    Feedback.objects.create(turn=turn, helpful=True)
    Review.objects.create(turn=turn, flags=["hand"])
    return {
        "sha256": [document.sha256],
        "number": ["1"],
        "index": ["0"],
        "pk": [str(pk) for pk in (document.pk, draft.pk, turn.pk, turn.conversation_id)],
        "other": [str(draft.pk)],
        "object_id": ["1", str(turn.pk)],
        "id": [str(clinician.pk)],
        "action": ["submit", "return", "withdraw", "read_again"],
        "app_label": ["corpus"],
        "content_type_id": ["1"],
        "url": ["corpus/document"],
    }


class Person:
    """A client with a session and a token, in the same state before each request."""

    def __init__(self, user: User | None) -> None:
        self.client = signed_in(user) if user else Client(raise_request_exception=False)
        self.client.handler.enforce_csrf_checks = True  # forms are read before views
        self.client.cookies["csrftoken"] = self.client.defaults["HTTP_X_CSRFTOKEN"] = "t" * 32
        if user:
            self.client.force_login(user)
        self._cookies = {name: morsel.value for name, morsel in self.client.cookies.items()}

    def send(self, sent: Sent) -> tuple[int, str]:
        """Send a request and undo its effects; return the status and the place of an error."""
        self.client.cookies = SimpleCookie(self._cookies)
        errors: list[str] = []

        def note(*args: Any, **kwargs: Any) -> None:
            errors.append(_place(sys.exc_info()[1]))

        got_request_exception.connect(note)
        try:
            with transaction.atomic():
                extra: dict[str, Any] = dict(sent.extra)
                response: Any = self.client.generic(
                    sent.method, sent.path, sent.body, sent.content_type, **extra
                )
                if response.streaming:
                    b"".join(response.streaming_content)
                transaction.set_rollback(True)
        finally:
            got_request_exception.disconnect(note)
        return response.status_code, " | ".join(errors)

    def offered(self, address: str) -> Offer:
        """Return what the page at the address offers to send."""
        self.client.cookies = SimpleCookie(self._cookies)
        with transaction.atomic():
            response = self.client.get(address)
            transaction.set_rollback(True)
        is_page = not response.streaming and "html" in response.get("Content-Type", "")
        return offer_of(response.content.decode()) if is_page else Offer()


@pytest.fixture
def people(world: dict[str, list[str]]) -> dict[str, Person]:
    return {
        "anonymous": Person(None),
        "clinician": Person(User.objects.get(username="clinician")),
        "staff": Person(person("worker", STAFF, PUBLISHERS, AUDITORS)),
        "superuser": Person(person("root", STAFF, is_superuser=True)),
    }


@pytest.mark.parametrize(
    ("number", "of"),
    [
        (0, IN_EVERY_RUN),
        *(pytest.param(n, SHARES, marks=pytest.mark.exhaustive) for n in range(SHARES)),
    ],
)
def test_no_request_is_an_error_of_the_server_s(
    number: int,
    of: int,
    world: dict[str, list[str]],
    people: dict[str, Person],
    record_property: Callable[[str, object], None],
) -> None:
    offers = {address: people["superuser"].offered(address) for address in addresses(world)}
    assert sum(bool(offer.fields) for offer in offers.values()) > 50
    cases = [
        case
        for who, rounds in ROUNDS.items()
        for case in itertools.product(offers, [who], KINDS, range(rounds))
    ]
    statuses: Counter[int] = Counter()
    broken = []
    for case in share(cases, number=number, of=of, seed=SEED):
        address, who, kind, _ = case
        sent = drawn(Random(f"{SEED} {case}"), kind, address, offers[address])
        status, error = people[who].send(sent)
        statuses[status] += 1
        if status >= 500:
            broken.append(f"{status} {who} {sent}: {error}"[:1500])
    record_property("requests", statuses.total())
    assert not broken, f"{len(broken)} of {statuses.total()}\n" + "\n\n".join(broken[:40])
    assert {200, 302, 400, 403, 404} <= set(statuses)  # views were reached, and refused


def _place(error: BaseException | None) -> str:
    """Describe an error: where it was raised, and the last frame of our own code."""
    frames = traceback.extract_tb(error.__traceback__ if error else None)
    ours = [frame for frame in frames if ".venv" not in frame.filename][-1:]
    told = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in (*ours, *frames[-3:])]
    return f"{type(error).__name__}: {str(error)[:200]} at {' < '.join(told)}"
