"""Test that a stop is told by everything that shows its text, at the time of looking."""

import threading
import time
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.ask import turn_ask
from chat.conversations import conversation_share
from chat.models import Channel, Citation, Reason, Turn, TurnStatus
from chat.pipeline.events import Begun, Checked, Event, Found
from chat.terminal import as_text, opened
from chat.types import AskedQuestion
from corpus.models import AnsweringStop, Document
from corpus.services.stops import resume_answering, stop_answering
from corpus.stops import stops_held, stops_settled
from medrag_site.groups import SAFETY
from tests.chat.api.api_calls import QUERY, SEARCH, get, post, signed_in
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask, publish_guideline
from tests.chat.mcp.messages import tool_called
from tests.chat.web.pages import text_of, thread
from tests.people import narrow, person

KINDS = ("document", "collection", "site")
CHAT = {"model": "medrag", "messages": [{"role": "user", "content": QUESTION}]}
REASON, CALL = "A dose is wrong", "Call Dr Blue, 4417."
ENDED = "Do not use this answer: answering from a guideline that it cites is stopped."


def stop(document: Document, kind: str = "document", **fields: Any) -> AnsweringStop:
    officer = User.objects.filter(username="officer").first() or person("officer", SAFETY)
    officer.first_name, officer.last_name = "Jo", "Green"
    officer.save()
    of = {"document": document, "collection": document.collection, "site": None}[kind]
    covered = {kind: of} if of else {}
    made = AnsweringStop(reason=REASON, contact="Dr Blue, 4417", **covered, **fields)
    return stop_answering(made, by=officer)


def is_told(text: str) -> bool:
    """Tell whether a text says who stopped it, when, why, and whom to call."""
    day = timezone.localtime(AnsweringStop.objects.latest("pk").started_at)
    by = f"was stopped by Jo Green on {day.day} {day:%B %Y, %H:%M}: {REASON}. {CALL}"
    return by in text


@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_answer_a_cited_page_and_the_list_tell_it_until_it_ends(
    clinician: Client, alice: User, guideline: Document, kind: str
) -> None:
    turn = ask(alice)
    cited = Citation.objects.filter(claim__turn=turn)[0]
    pages = [
        thread(turn.conversation_id),
        reverse("chat:citation", args=[cited.pk]),
        reverse("chat:source", args=[guideline.sha256, 1]),
        reverse("chat:guidelines"),
    ]
    held = stop(guideline, kind)
    for page in pages:
        shown = clinician.get(page)
        assert is_told(text_of(shown)), page
        assert text_of(shown).index(REASON) < (text_of(shown) + DOSE).index(DOSE)
    answer = text_of(clinician.get(pages[0]))
    assert answer.index(ENDED) < answer.index(DOSE) and "before acting" not in answer
    assert "Stopped: do not use this statement. Call Dr Blue, 4417." in answer
    assert ENDED in clinician.get(pages[0]).content.decode().split("<template id=")[1]  # copied
    resume_answering(held, by=held.started_by, reason="It was put right")
    assert not any(REASON in text_of(clinician.get(page)) for page in pages)


def test_a_shared_answer_tells_it_to_who_may_read_it(
    alice: User, bob: User, client: Client, guideline: Document
) -> None:
    conversation = ask(alice).conversation
    assert conversation
    conversation_share(conversation, by=alice)
    stop(guideline)
    client.force_login(bob)
    assert is_told(text_of(client.get(thread(conversation.pk, "shared"))))
    narrow(guideline.collection, "searchers", "Ward")
    page = text_of(client.get(thread(conversation.pk, "shared")))
    assert DOSE not in page and "Dr Blue" not in page


def test_a_refusal_repeats_no_text_of_what_is_stopped(
    clinician: Client, alice: User, guideline: Document
) -> None:
    turn = ask(alice, NEAR)
    assert turn.nearest
    dose = "500 mg by mouth every 8 hours"
    assert dose in text_of(clinician.get(thread(turn.conversation_id)))
    stop(guideline, "collection")
    page = text_of(clinician.get(thread(turn.conversation_id)))
    assert is_told(page) and dose not in page
    (near,) = get(signed_in(alice), f"/api/v1/turns/{turn.pk}").json()["nearest"]
    assert is_told(near["stopped"]) and not near["text"] and not near["excerpt"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["", "one"])
def test_a_question_repeated_by_its_key_is_told(
    alice: User, guideline: Document, kind: str, key: str
) -> None:
    client, headers = signed_in(alice), {"idempotency-key": "one"}
    first = post(client, QUERY, {"question": QUESTION}, **headers).json()
    assert (first["status"], first["recalled"], first["owner"]) == ("answered", None, None)
    stop(guideline, kind)
    again = (
        post(client, QUERY, {"question": QUESTION}, **headers).json()
        if key
        else get(client, f"/api/v1/turns/{first['turn']}").json()
    )
    assert (again["turn"], again["recalled"]) == (first["turn"], "stopped")
    (told,) = [warning for warning in again["warnings"] if warning["code"] == "stopped"]
    assert is_told(told["text"]) and told["level"] == "stop" and told["claims"] == [1]
    assert is_told(again["claims"][0]["citations"][0]["stopped"])
    assert again["owner"] == {"name": "", "contact": "Dr Blue, 4417"}


def test_conversations_and_their_messages_tell_it(alice: User, guideline: Document) -> None:
    turn, client = ask(alice), signed_in(alice)
    address = f"/api/v1/conversations/{turn.conversation_id}"
    held = stop(guideline, "collection")
    said = [get(client, address).json(), *get(client, f"{address}/messages").json()["results"]]
    assert [one["recalled"] for one in said] == ["stopped", "stopped"]
    resume_answering(held, by=held.started_by, reason="It was put right")
    assert get(client, address).json()["recalled"] is None


def test_the_form_of_openai_tells_it_first_on_a_repeat(alice: User, guideline: Document) -> None:
    client, headers = signed_in(alice), {"idempotency-key": "one"}
    post(client, "/v1/chat/completions", CHAT, **headers)
    stop(guideline, "site")
    again = post(client, "/v1/chat/completions", CHAT, **headers).json()
    content = again["choices"][0]["message"]["content"]
    assert content.startswith("Do not use: ") and is_told(content)
    assert again["medrag"]["owner"]["contact"] == "Dr Blue, 4417"


def test_a_page_and_a_search_over_the_api_tell_it(alice: User, guideline: Document) -> None:
    client = signed_in(alice)
    page = f"/api/v1/documents/{guideline.sha256}/pages/1"
    assert get(client, page).json()["notices"] == []
    assert post(client, SEARCH, {"query": "demonstracillin"}).json()[0]["stopped"] is None
    stop(guideline, "collection")
    (notice,) = get(client, page).json()["notices"]
    assert (notice["code"], notice["level"]) == ("stopped", "stop") and is_told(notice["text"])
    assert is_told(post(client, SEARCH, {"query": "demonstracillin"}).json()[0]["stopped"])


def test_each_tool_of_mcp_tells_it(alice: User, guideline: Document) -> None:
    client = signed_in(alice)

    stop(guideline)
    asked: dict[str, dict[str, Any]] = {
        "search_guidelines": {"query": "demonstracillin"},
        "ask_guidelines": {"question": QUESTION},
        "open_source": {"sha256": guideline.sha256, "number": 1},
    }
    for tool, arguments in asked.items():
        result = tool_called(client, tool, arguments)
        assert is_told(str(result["structuredContent"])), tool


def test_commands_tell_it(alice: User, guideline: Document) -> None:
    turn = Turn.objects.get(pk=ask(alice).pk)
    stop(guideline)
    told, found = as_text(turn), StringIO()
    assert told.index(ENDED) < told.index(DOSE) and is_told(told)
    assert is_told(opened(turn, 1, user=alice))
    call_command("search", "demonstracillin", stdout=found)
    assert is_told(found.getvalue())
    with pytest.raises(CommandError, match="differs"):
        call_command("replay", str(turn.pk), stdout=(replayed := StringIO()))
    assert is_told(replayed.getvalue())


def test_the_administration_tells_it(alice: User, client: Client, guideline: Document) -> None:
    turns = [ask(alice), ask(alice, NEAR)]
    stop(guideline)
    client.force_login(User.objects.create_superuser("auditor"))
    for turn in turns:
        page = text_of(client.get(reverse("admin:chat_turn_change", args=[turn.pk])))
        outcome = page[page.index("was stopped by Jo Green") :]
        assert is_told(page) and (turn == turns[0]) == (DOSE in outcome)


def when(step: type[Event], happens: Callable[[], object]) -> Callable[[Event], None]:
    """Return a listener by which something happens at the first event of a kind."""
    done: list[object] = []

    def tell(event: Event) -> None:
        if isinstance(event, step) and not done:
            done.append(happens())

    return tell


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [Begun, Found, Checked])
def test_a_question_in_progress_ends_as_stopped(
    alice: User, guideline: Document, kind: str, step: type[Event]
) -> None:
    asked = AskedQuestion(QUESTION, alice, Channel.PAGE)
    turn = turn_ask(asked, tell=when(step, lambda: stop(guideline, kind)))
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.STOPPED)
    assert any(is_told(warning["text"]) for warning in turn.warnings)
    assert turn.owner == {"name": "", "contact": "Dr Blue, 4417"}
    assert not turn.claims.exists() and not turn.nearest


def test_a_question_in_progress_on_something_else_is_answered(
    alice: User, guideline: Document
) -> None:
    other = publish_guideline(title="Gout")
    Document.objects.filter(pk=other.pk).update(lifecycle="WITHDRAWN")
    asked = AskedQuestion(QUESTION, alice, Channel.PAGE)
    assert turn_ask(asked, tell=when(Checked, lambda: stop(other))).status == TurnStatus.ANSWERED


def test_whom_to_call_is_told_on_the_page_and_to_nobody_to_whom_it_is_closed(
    alice: User, bob: User, clinician: Client, guideline: Document
) -> None:
    stop(guideline)
    turn = ask(alice)
    assert turn.reason == Reason.STOPPED and turn.conversation
    assert "Whom to call Dr Blue, 4417" in text_of(clinician.get(thread(turn.conversation_id)))
    conversation_share(turn.conversation, by=alice)
    narrow(guideline.collection, "searchers", "Ward")
    clinician.force_login(bob)
    assert "Blue" not in text_of(clinician.get(thread(turn.conversation_id, "shared")))


def test_a_stop_waits_for_what_is_being_stored(own_database: str) -> None:
    """Whoever stores has seen no stop, so that none may be confirmed before that is stored."""
    document, order = publish_guideline(picture=False), list[str]()
    stop(document).delete()

    def stopping() -> None:
        stop(document)
        order.append("stopped")
        connections.close_all()

    with transaction.atomic():
        assert not stops_settled().held
        (other := threading.Thread(target=stopping)).start()
        time.sleep(0.3)
        order.append("stored")
    other.join(timeout=30)
    assert order == ["stored", "stopped"] and stops_held().held


def test_it_takes_no_query_more_for_many(
    alice: User,
    clinician: Client,
    guideline: Document,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    conversation = ask(alice).conversation
    for _ in range(4):
        ask(alice, conversation=conversation)
    for number in range(4):
        publish_guideline(title=f"Another {number}")
    for kind in KINDS:
        stop(guideline, kind)
    assert conversation
    with django_assert_max_num_queries(17):
        clinician.get(thread(conversation.pk))
    with django_assert_max_num_queries(6):
        assert text_of(clinician.get(reverse("chat:guidelines"))).count(REASON) == 5
