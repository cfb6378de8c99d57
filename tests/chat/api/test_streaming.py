"""Test answers as server-sent events: their order, and that the last is the whole answer."""

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client

from chat import streams
from chat.api.answers import turn_payload
from chat.models import AuditEvent, Conversation, Turn
from chat.pipeline.admission import process_admission
from chat.pipeline.events import Checked
from core.llm.breaker import forget_failures
from tests.chat.api.api_calls import QUERY, assert_problem, post, signed_in
from tests.chat.api.streamed import streamed
from tests.chat.guidelines import DOSE, QUESTION, UNANSWERABLE, publish_guideline
from tests.chat.sign_in.scim.directory import TOKEN, Directory
from tests.corpora import publish
from tests.llm.contents import Said, claims, honest
from tests.llm.lies import DOSE as TOLD_DOSE
from tests.llm.lies import GUIDELINE, LIES, TITLE
from tests.llm.lies import QUESTION as TOLD
from tests.llm.server import endpoint, hangs, replies
from tests.llm.sites import generate_by
from tests.people import narrow

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def at_ease(settings: LazySettings) -> Iterator[None]:
    """Reset the state of the process after each test."""
    settings.API_RATE = "10000/min"
    yield
    process_admission.cache_clear()
    forget_failures()
    assert not streams._running


@pytest.fixture
def reader(own_database: str) -> User:
    """Return a user of a database of its own, whose rows the question's thread sees too."""
    publish_guideline()
    return User.objects.create_user("alice")


@pytest.fixture
def client(reader: User) -> Client:
    return signed_in(reader)


def names(events: list[tuple[str, Any]]) -> list[str]:
    return [name for name, _ in events]


def test_the_steps_come_in_order_and_the_answer_last(client: Client) -> None:
    events = streamed(client, {"question": QUESTION})
    assert names(events) == ["retrieval", "gate", "verdict", "verdict", "claim", "answer"]
    told = dict(events)
    assert told["retrieval"] == {"passages": 1, "titles": ["Pneumonia in adults"]}
    assert told["gate"]["open"] and told["gate"]["reason"] is None
    assert told["gate"]["probability"] >= told["gate"]["threshold"]
    assert [data for name, data in events if name == "verdict"] == [
        {"checked": 0, "of": 1},
        {"checked": 1, "of": 1},
    ]
    assert told["claim"]["text"] == DOSE
    assert [told["claim"]] == told["answer"]["claims"]


def test_the_last_event_is_what_a_plain_call_gives(client: Client) -> None:
    for question, last in [(QUESTION, "answer"), (UNANSWERABLE, "abstention")]:
        plain = post(client, QUERY, {"question": question}).json()
        name, whole = streamed(client, {"question": question, "stream": True}, accept="*/*")[-1]
        stored = turn_payload(
            Turn.objects.get(pk=whole["turn"]), address="http://testserver{}".format
        )
        assert (name, whole) == (last, json.loads(json.dumps(stored)))
        assert without_addresses(whole) == without_addresses(plain)
    events = AuditEvent.objects.filter(action__startswith="turn.")
    assert events.count() == Turn.objects.count() == 4


def without_addresses(answer: Any) -> Any:
    """Return the answer without the ids and links of its own turn."""
    return json.loads(json.dumps(answer), object_hook=_unnamed)


def _unnamed(found: dict[str, Any]) -> dict[str, Any]:
    own = ("turn", "link", "picture", "token_link", "token_picture")
    return {name: value for name, value in found.items() if name not in own}


def test_a_refusal_has_no_claim(client: Client) -> None:
    events = streamed(client, {"question": UNANSWERABLE})
    assert names(events) == ["retrieval", "gate", "abstention"]
    assert not events[1][1]["open"]
    assert events[1][1]["reason"] and events[2][1]["reason"]


def test_a_conversation_is_streamed_too(client: Client, reader: User) -> None:
    thread = Conversation.objects.create(user=reader)
    path = f"/api/v1/conversations/{thread.pk}/query"
    events = streamed(client, {"question": QUESTION}, path=path)
    assert events[-1][0] == "answer"
    assert Turn.objects.get().conversation == thread


def test_the_calls_of_the_document_work(client: Client, reader: User) -> None:
    text = (site.BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"^call -N (?:-H '(.*?)' )?\$SITE(\S+) -d '(.*)'$", text, re.MULTILINE)
    assert len(found) == 2
    thread = Conversation.objects.create(user=reader)
    for accept, path, body in found:
        header = accept.removeprefix("Accept: ") or "*/*"
        path = f"/api/v1{path.replace('$ID', str(thread.pk))}"
        assert streamed(client, body, path=path, accept=header)[-1][0] == "abstention"


def test_whoever_accepts_json_first_gets_json(client: Client) -> None:
    for accept in ("application/json", "*/*", "application/json, text/event-stream"):
        response = post(client, QUERY, {"question": QUESTION}, accept=accept)
        assert response["Content-Type"] == "application/json"


def test_what_is_refused_at_once_is_a_plain_problem(client: Client) -> None:
    for accept in ("text/event-stream", "application/json"):
        response = post(client, QUERY, {"question": " ", "stream": True}, accept=accept)
        assert_problem(response, 400)
        response = post(client, QUERY, {"question": "?", "stream": "yes"}, accept=accept)
        assert_problem(response, 400)
    stranger = Client(raise_request_exception=False)
    response = post(stranger, QUERY, {"question": QUESTION}, accept="text/event-stream")
    assert_problem(response, 401)
    assert not Turn.objects.exists()


def test_no_title_is_told_that_is_not_open_to_the_asker(client: Client, reader: User) -> None:
    secret = publish_guideline(title="Staff illness", sha256="5" * 64, filename="staff.pdf")
    narrow(secret.collection, "searchers", "Occupational health")
    events = streamed(client, {"question": QUESTION})
    assert events[0] == ("retrieval", {"passages": 0, "titles": []})
    assert "Staff illness" not in json.dumps(events)


@pytest.mark.parametrize("lie", sorted(LIES))
def test_nothing_unverified_is_in_any_event(
    own_database: str, settings: LazySettings, lie: str
) -> None:
    publish(GUIDELINE, population="adult")
    with endpoint(replies(LIES[lie])) as model:
        generate_by(settings, model.url)
        client = signed_in(User.objects.create_user("alice"))
        events = streamed(client, {"question": TOLD})
    assert model.asked
    stored = list(Turn.objects.get().claims.values_list("text", flat=True))
    assert [data["text"] for name, data in events if name == "claim"] == stored
    assert events[0][1]["titles"] == [TITLE]
    of_steps = [(name, set(data)) for name, data in events if name in ("retrieval", "verdict")]
    assert of_steps == [
        ("retrieval", {"passages", "titles"}),
        *[("verdict", {"checked", "of"})] * (len(of_steps) - 1),
    ]


def test_of_two_statements_only_the_one_that_stands_is_sent(
    own_database: str, settings: LazySettings
) -> None:
    publish(GUIDELINE, population="adult")
    false = TOLD_DOSE.replace("500 mg", "5000 mg")
    settings.OMISSIONS, settings.MODE = "off", "faithful"
    with endpoint(replies(claims(Said(TOLD_DOSE, TOLD_DOSE), Said(false, TOLD_DOSE)))) as model:
        generate_by(settings, model.url)
        client = signed_in(User.objects.create_user("alice"))
        events = streamed(client, {"question": TOLD})
    assert [data["text"] for name, data in events if name == "claim"] == [TOLD_DOSE]
    assert ("verdict", {"checked": 2, "of": 2}) in events
    assert "5000 mg" not in json.dumps(events)


def test_a_fault_behind_the_first_event_is_the_last_event(
    client: Client, reader: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn can't be stored, so nothing of it may be sent."""

    def failing(turn: Turn) -> None:
        raise OSError("canary")

    monkeypatch.setattr("chat.audit.log.record_turn", failing)
    events = streamed(client, {"question": QUESTION})
    assert names(events) == ["retrieval", "gate", "verdict", "verdict", "error"]
    assert events[-1][1]["status"] == 500
    assert "canary" not in json.dumps(events)
    assert not Turn.objects.exists()


def test_a_client_that_leaves_ends_the_question_and_nothing_is_stored(
    own_database: str, settings: LazySettings
) -> None:
    publish(GUIDELINE, population="adult")
    with endpoint(replies(honest)) as model:
        generate_by(settings, model.url)
        go_on = threading.Event()
        model.script.append(lambda handler: (go_on.wait(20), replies(honest)(handler))[1])
        client = signed_in(User.objects.create_user("alice"))
        response = post(client, QUERY, {"question": TOLD}, accept="text/event-stream")
        content = iter(response.streaming_content)
        assert b"event: retrieval" in next(content)
        assert b"event: gate" in next(content)
        response.close()
        go_on.set()
        _end_of_questions()
    assert not Turn.objects.exists()
    left = AuditEvent.objects.get(action="query_left")
    assert json.loads(left.payload)["passages"] >= 1


def test_a_leaver_is_sent_nothing_more(
    own_database: str, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hospital's directory closes the account while the answer is being written."""
    settings.SCIM_TOKEN = TOKEN
    monkeypatch.setattr(streams, "LOOK_EVERY_S", 0.0)
    publish(GUIDELINE, population="adult")
    with endpoint(replies(honest)) as model:
        generate_by(settings, model.url)
        go_on = threading.Event()
        model.script.append(lambda handler: (go_on.wait(20), replies(honest)(handler))[1])
        alice = User.objects.create_user("alice")
        response = post(signed_in(alice), QUERY, {"question": TOLD}, accept="text/event-stream")
        content = iter(response.streaming_content)
        assert b"event: retrieval" in next(content)
        closed = Directory().patch_with(
            f"Users/{alice.pk}", {"op": "replace", "value": {"active": False}}
        )
        assert closed[0] == 200
        (last,) = content
        assert b"event: error" in last and b"deactivated" in last and b'"status": 403' in last
        response.close()
        go_on.set()
        _end_of_questions()
    assert not Turn.objects.exists()


def test_a_client_that_leaves_after_the_steps_has_its_turn_whole(client: Client) -> None:
    response = post(client, QUERY, {"question": QUESTION}, accept="text/event-stream")
    for part in response.streaming_content:
        if b"event: claim" in part:
            break
    response.close()
    _end_of_questions()
    (turn,) = Turn.objects.all()
    assert turn.claims.count() == 1
    assert AuditEvent.objects.filter(subject=f"turn:{turn.pk}").exists()


def test_a_stream_too_many_is_told_to_come_again(client: Client, settings: LazySettings) -> None:
    settings.WEB_THREADS = 1
    first = post(client, QUERY, {"question": QUESTION}, accept="text/event-stream")
    response = post(client, QUERY, {"question": QUESTION}, accept="text/event-stream")
    assert_problem(response, 503, "streamed")
    assert int(response["Retry-After"]) > 0
    assert post(client, QUERY, {"question": QUESTION}).status_code == 200
    first.close()
    _end_of_questions()
    assert streamed(client, {"question": QUESTION})[-1][0] == "answer"


def test_twenty_streams_fit_into_the_threads_as_they_are_set(settings: LazySettings) -> None:
    settings.WEB_THREADS = 32
    assert streams.most_streams() == 20
    settings.WEB_THREADS = 1
    assert streams.most_streams() == 1


def test_a_slow_question_is_kept_open_by_comments(
    own_database: str, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.2)
    publish(GUIDELINE, population="adult")
    with endpoint(hangs()) as model:
        generate_by(settings, model.url, timeout_s=2.0)
        client = signed_in(User.objects.create_user("alice"))
        response = post(client, QUERY, {"question": TOLD}, accept="text/event-stream")
        parts = list(response.streaming_content)
    assert parts.count(b": waiting\n\n") > 2
    assert b"event: abstention" in parts[-1]
    assert str(Turn.objects.get().pk).encode() in parts[-1]


def test_progress_that_nobody_reads_holds_up_no_question(
    reader: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_WAITING", 1)
    told = threading.Event()

    def work(tell: Any) -> list[streams.Frame]:
        for number in range(50):
            tell(Checked(number, 50))
        told.set()
        return [streams.Frame("answer", {})]

    stream = streams.QuestionStream(work, user=reader, problem=str)
    assert told.wait(20)
    assert [frame.name for frame in stream.begun()] == ["verdict", "answer"]
    stream.close()


def _end_of_questions() -> None:
    for thread in threading.enumerate():
        if thread.name == "question":
            thread.join(30)
