"""Test that each fault or lie of a model that writes answers ends in a stored refusal, in time."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat.models import Mode, Reason, TurnStatus
from retrieval.pipeline import retrieve
from retrieval.types import Query
from tests.chat.verification.sampling import one_in
from tests.corpora import publish
from tests.llm import forms, lies
from tests.llm.contents import as_content, claims, honest, verbatim
from tests.llm.faults import Refused, failing, late
from tests.llm.judges import fair, judging
from tests.llm.lies import DOSE, GUIDELINE, LIES, NEVER, QUESTION
from tests.llm.prompts import Shown, shown_in
from tests.llm.server import (
    Answer,
    Endpoint,
    bomb,
    chunks_without_end,
    endpoint,
    heads_without_end,
    nobody_accepts,
    nobody_listens,
    replies,
    shouts,
    status,
    trap,
)
from tests.llm.sites import (
    HURRIED_S,
    answers_of,
    ask,
    assert_nothing_leaked,
    generate_by,
    judge_by,
    shown,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guideline", "quick")]

DOWN = {Reason.GENERATOR_UNAVAILABLE}
LATE = DOWN | {Reason.BUDGET_EXCEEDED}
FALSE = {Reason.UNSUPPORTED_CLAIMS}

FAST: dict[str, Answer] = {
    **failing(forms.SOUND),
    "429 without a word": status(429),
    "429 for no time": status(429, Retry_After="0"),
    "429 until a day": status(429, Retry_After="Fri, 31 Dec 2100 23:59:59 GMT"),
    "429 for nonsense": status(429, Retry_After="-1e999"),
    "502": status(502),
    "503 for an hour": status(503, Retry_After="3600"),
    "status 204": status(204),
    "status 299": status(299),
    "silence": shouts(b""),
    "another protocol": shouts(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
    "half a head": shouts(b"HTTP/1.1 200"),
    "a status that is none": shouts(b"HTTP/1.1 99999 CANARY\r\n\r\n{}"),
    "a length that is none": shouts(b"HTTP/1.1 200 OK\r\nContent-Length: CANARY\r\n\r\n{}"),
    "heads without end": heads_without_end(),
    "200 MB in a small parcel": bomb(),
}
SLOW: dict[str, Answer] = {**late(forms.SOUND), "drops of white space": chunks_without_end(b" ")}


@pytest.fixture
def server(settings: LazySettings) -> Iterator[Endpoint]:
    with endpoint(replies(honest)) as state:
        generate_by(settings, state.url)
        yield state


# It works at all


def test_an_honest_model_is_answered_with(
    server: Endpoint, alice: User, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    turn = ask(user=alice)
    assert (turn.status, turn.reason) == (TurnStatus.ANSWERED, "")
    assert DOSE in answers_of(turn)
    assert DOSE in shown(turn, client)
    (request,) = server.asked
    assert_nothing_leaked(turn, client, caplog, prompts=[shown_in(request).prompt])


def test_the_server_of_these_tests_can_read_the_prompt(server: Endpoint) -> None:
    ask()
    ask()
    first, second = (shown_in(request) for request in server.asked)
    assert first.question == QUESTION
    assert any(DOSE in text for text in first.passages.values())
    assert not set(first.passages) & set(second.passages), "keys are fresh each time"


# The way there and back


@pytest.mark.parametrize("fault", one_in(2, FAST))
def test_a_model_that_gives_nothing(server: Endpoint, refused: Refused, fault: str) -> None:
    server.default = FAST[fault]
    refused(DOWN, server)


@pytest.mark.parametrize("fault", SLOW)
def test_a_model_that_is_late(
    server: Endpoint, settings: LazySettings, refused: Refused, fault: str
) -> None:
    settings.ANSWER_TIMEOUT_S = HURRIED_S
    server.default = SLOW[fault]
    refused(LATE, server)


def test_connecting_never_ends(settings: LazySettings, refused: Refused) -> None:
    with nobody_accepts() as url:
        generate_by(settings, url, timeout_s=HURRIED_S)
        refused(LATE)


def test_nobody_listens(settings: LazySettings, refused: Refused) -> None:
    with nobody_listens() as url:
        generate_by(settings, url)
        refused(DOWN)


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: Endpoint, refused: Refused, code: int) -> None:
    with trap() as elsewhere:
        server.default = status(code, Location=elsewhere.url)
        refused(DOWN, server)
        assert not elsewhere.was_touched


# Forms


@pytest.mark.parametrize("form", one_in(2, forms.UNREADABLE))
def test_an_answer_that_cant_be_read(server: Endpoint, refused: Refused, form: str) -> None:
    server.default = forms.UNREADABLE[form]
    refused(DOWN, server)


def test_an_answer_without_a_claim(server: Endpoint, refused: Refused) -> None:
    server.default = forms.content(as_content([]))
    refused({Reason.WEAK_EVIDENCE, Reason.GENERATOR_UNAVAILABLE}, server)


@pytest.mark.parametrize("form", one_in(2, forms.ODD))
def test_an_odd_form_is_read_rightly_or_refused(
    server: Endpoint, alice: User, client: Client, form: str
) -> None:
    server.default = forms.ODD[form]
    turn = ask(user=alice)
    assert answers_of(turn) in ([], [DOSE])
    assert turn.status == TurnStatus.ANSWERED or turn.reason in DOWN | FALSE
    assert forms.FALSE not in shown(turn, client)


# Lies

# Lies that the bundled checker accepts; docs/evaluation.md has the rates by kind.
LET_THROUGH = {"a condition dropped", "risks exchanged", "the other risk", "most for a few"}


# The other lies are given to the judge in `test_faulty_judge`.
@pytest.mark.parametrize("lie", one_in(2, [lie for lie in LIES if lie not in LET_THROUGH]))
def test_a_lie_is_found_out(server: Endpoint, refused: Refused, client: Client, lie: str) -> None:
    server.default = replies(LIES[lie])
    said = lies.text_of(LIES[lie])
    turn = refused(FALSE, server) if said not in GUIDELINE else ask()  # else a true quote
    assert "canary" not in shown(turn, client)
    assert said in GUIDELINE or said not in shown(turn, client)


@pytest.mark.parametrize("exchange", [e for e in lies.EXCHANGED if e not in LET_THROUGH])
def test_what_is_said_of_one_thing_is_not_said_of_another(
    server: Endpoint, alice: User, client: Client, exchange: str
) -> None:
    publish(lies.WITH_EXCHANGEABLE, title="Pneumonia and after", population="adult")
    server.default = replies(lies.EXCHANGED[exchange])
    turn = ask(user=alice)
    assert (answers_of(turn), turn.reason) == ([], Reason.UNSUPPORTED_CLAIMS)
    assert "citation" not in {verdict["failed"] for verdict in turn.trace["verdicts"]}


@pytest.mark.parametrize("sentence", [lies.RISKS, lies.COURSE, lies.INFUSION])
def test_what_can_be_exchanged_is_answered_as_it_stands(server: Endpoint, sentence: str) -> None:
    publish(lies.WITH_EXCHANGEABLE, title="Pneumonia and after", population="adult")
    server.default = replies(claims(verbatim(sentence)))
    assert answers_of(ask()) == [sentence]


@pytest.mark.parametrize("mode", Mode.values)
@pytest.mark.parametrize("lie", ["ten times the dose", "a key that does not exist", "a script"])
def test_a_truth_does_not_carry_a_lie_with_it_in_any_mode(
    server: Endpoint, settings: LazySettings, alice: User, client: Client, mode: str, lie: str
) -> None:
    false = LIES[lie]

    def both(prompt: Shown) -> str:
        sound = verbatim(NEVER).as_json(prompt)
        return as_content([*json.loads(false(prompt))["claims"], sound])

    server.default = replies(both)
    with endpoint(replies(judging(fair))) as judge:
        judge_by(settings, judge.url)
        settings.VERIFIER, settings.MODE = "checker", mode
        turn = ask(user=alice)
    said = lies.text_of(false)
    is_true = said in GUIDELINE  # then only its citation was false
    assert set(answers_of(turn)) <= {NEVER, *[said] * is_true}
    seen = shown(turn, client)
    assert is_true or said not in seen
    assert "canary" not in seen


# Several endpoints


@pytest.mark.parametrize("fault", ["429 for no time", "503", "a reset", "breaking off", "50 MB"])
def test_the_next_one_answers(server: Endpoint, settings: LazySettings, fault: str) -> None:
    with endpoint(FAST[fault]) as first:
        generate_by(settings, first.url, server.url)
        assert DOSE in answers_of(ask())
        assert first.asked


def test_keys_go_to_their_own_endpoint_alone(server: Endpoint, settings: LazySettings) -> None:
    with endpoint(status(401)) as first:
        generate_by(settings, first.url, server.url)
        keys = zip(settings.MODELS.generate, ("first-canary", "second-canary"), strict=True)
        each_with_its_own = tuple(replace(endpoint, key=key) for endpoint, key in keys)
        settings.MODELS = replace(settings.MODELS, generate=each_with_its_own)
        ask()
        assert set(first.keys) == {"Bearer first-canary"}
        assert set(server.keys) == {"Bearer second-canary"}


def test_search_works_meanwhile_and_says_so(server: Endpoint, alice: User, client: Client) -> None:
    server.default = status(503)
    turn = ask(user=alice)
    assert turn.reason in DOWN
    assert str(Reason(turn.reason).label) in shown(turn, client)
    assert DOSE in shown(turn, client), "the passage is shown, as a passage"
    assert retrieve(Query(QUESTION, on=timezone.localdate())).hits
