"""Test that no way of showing a turn tells what was made from documents that a reader may not read.

The turn has a marker word in each field that is made from documents. It is stored under a request's
`Idempotency-Key`, so that each form of the API sends just this turn.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from chat.api.answers import turn_payload
from chat.api.guarded import words_hmac
from chat.api.openai.writing import Answer, as_data, chunks
from chat.api.queries import answer_frames
from chat.api.repeats import _turn_key
from chat.audit import log as audit
from chat.audit.export import event_rows
from chat.audit.turn_rows import turn_rows
from chat.conversations import conversation_share
from chat.mcp.server import result
from chat.models import AuditEvent, Flag, Reason, Review, ReviewState, Turn, TurnStatus, Verdict
from chat.reviews.export import review_rows
from chat.streams import as_event
from chat.terminal import as_text
from corpus.models import Collection, Document
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS
from tests.chat.api.api_calls import QUERY, get, post, signed_in
from tests.chat.guidelines import QUESTION, ask, publish_guideline
from tests.corpora import publish
from tests.people import in_groups, narrow, person
from webhooks.models import Delivery, Endpoint, Event
from webhooks.receivers import announce_gap

MARKER = "zorbitol"
# Decided by the question alone, or by a part that failed.
OF_THE_QUESTION = {
    *(Reason.UNCLEAR_QUESTION, Reason.IDENTIFIERS_IN_QUESTION, Reason.BUDGET_EXCEEDED),
    *(Reason.SEARCH_UNAVAILABLE, Reason.GATE_UNAVAILABLE),
    *(Reason.OTHER_LANGUAGE, Reason.STOPPED),
    *(Reason.GENERATOR_UNAVAILABLE, Reason.VERIFIER_UNAVAILABLE),
}
TEAM = "Haematology"
COMPLETIONS = "/v1/chat/completions"
BODY = {"question": QUESTION}
CHAT = {"model": "medrag", "messages": [{"role": "user", "content": QUESTION}]}

pytestmark = pytest.mark.django_db


@pytest.fixture
def secret() -> Document:
    shelf = Collection.objects.create(slug="shelf-7", name="Shelf", owner_name=f"Dr {MARKER}")
    narrow(shelf, "searchers", TEAM)
    return publish_guideline(title=f"On {MARKER}", collection=shelf, issuer=MARKER)


@pytest.fixture
def member() -> User:
    return person("member", CLINICIANS, TEAM)


def removed(member: User) -> User:
    member.groups.filter(name=TEAM).get().user_set.remove(member)
    return User.objects.get(pk=member.pk)


def marked(
    asked: Turn, document: Document, status: TurnStatus = TurnStatus.ANSWERED, **fields: Any
) -> Turn:
    """Store a turn like an answer, with the marker in each field that is made from documents."""
    is_answer = status == TurnStatus.ANSWERED
    warnings = [
        {"code": code, "text": f"{code} {MARKER}", "claims": claims, "documents": documents}
        for code, claims, documents in (
            ("applicability", [], []),
            ("mismatch", [1] if is_answer else [], []),
            ("omission", [], [document.sha256]),
            ("lack", [], []),
            ("of a later release", [], []),
        )
    ]
    passage = {"document": f"On {MARKER}", "version": "", "sha256": document.sha256, "page": 1}
    passage |= {"section": MARKER, "text": MARKER, "excerpt": [MARKER], "chunk": MARKER}
    passage |= {"lifecycle": "PUBLISHED", "position": ""}
    trace = {
        **asked.trace,
        "asked": {**asked.trace["asked"], "plain": f"What is the dose of {MARKER}, plainly?"},
        "spelling": {"zorbittol": MARKER},
        "verdicts": [{"failed": "numbers", "text": MARKER, "detail": MARKER}],
        "request": fields.pop("request", ""),
    }
    values = {
        "conversation": asked.conversation,
        "user": asked.user,
        "channel": asked.channel,
        "question": asked.question,
        "created_at": timezone.now(),
        "duration_ms": 1,
        "fingerprint": asked.fingerprint,
        "mode": "standard",
        "status": status,
        "reason": "" if is_answer else Reason.CONFLICT,
        "warnings": warnings,
        "nearest": [] if is_answer else [passage],
        "standalone": f"What is the dose of {MARKER}?",
        "owner": {} if is_answer else {"name": f"Dr {MARKER}", "contact": MARKER},
        "option": "B" if is_answer else "",
        "trace": trace,
        "confidence": 0.8125,
    }
    with transaction.atomic():
        turn = Turn.objects.create(**(values | fields))
        for claim in asked.claims.all() if is_answer else ():
            citations = list(claim.citations.all())
            claim.pk, claim.turn, claim.text = None, turn, f"Give {MARKER}."
            claim.save(force_insert=True)
            for cited in citations:
                cited.pk, cited.claim = None, claim
                cited.save(force_insert=True)
        audit.record_turn(turn)
    return Turn.objects.get(pk=turn.pk)


@pytest.fixture(params=[TurnStatus.ANSWERED, TurnStatus.ABSTAINED])
def turn(request: pytest.FixtureRequest, secret: Document, member: User) -> Turn:
    """Return an answer from the closed guideline, and a refusal with it as nearest passage."""
    return marked(ask(member), secret, request.param)


def page(user: User, turn: Turn) -> str:
    client = Client()
    client.force_login(user)
    return client.get(f"/conversations/{turn.conversation_id}/").content.decode()


def shared_page(user: User, turn: Turn) -> str:
    thread = turn.conversation
    assert thread is not None and thread.user is not None
    if not thread.shared_at:
        conversation_share(thread, by=thread.user)
    client = Client()
    client.force_login(user)
    response = client.get(f"/conversations/{turn.conversation_id}/shared/")
    assert response.status_code == 200
    return response.content.decode()


def of_turn(user: User, turn: Turn) -> str:
    return str(get(signed_in(user), f"/api/v1/turns/{turn.pk}").content.decode())


def messages(user: User, turn: Turn) -> str:
    path = f"/api/v1/conversations/{turn.conversation_id}/messages"
    return str(get(signed_in(user), path).content.decode())


def repeated(path: str, body: dict[str, Any]) -> Callable[[User, Turn], str]:
    """Return a way that repeats a request whose turn is stored, so that just this one is sent."""

    def asked(user: User, turn: Turn) -> str:
        today = timezone.now().date()
        first = Turn.objects.order_by("created_at").first()
        assert first is not None
        document = Document.objects.get(issuer=MARKER)
        request = words_hmac(json.dumps([path, body], sort_keys=True))
        pk = _turn_key(user, "again", today)
        marked(first, document, TurnStatus(turn.status), pk=pk, request=request)
        response = post(signed_in(user), path, body, **{"idempotency-key": "again"})
        assert response.status_code == 200, response.content
        said: str = response.content.decode()
        assert str(pk) in said, "it was asked again"
        return said

    return asked


def streamed(user: User, turn: Turn) -> str:
    """Return the last events of a stream, which are sent in a thread of its own."""
    frames = answer_frames(turn_payload(Turn.objects.get(pk=turn.pk)))
    return "".join(as_event(number, frame) for number, frame in enumerate(frames))


def chunked(user: User, turn: Turn) -> str:
    answer = Answer(turn_payload(Turn.objects.get(pk=turn.pk)), 0, "medrag")
    return "".join(as_data(0, frame) for frame in chunks(answer, with_usage=True))


def tool(user: User, turn: Turn) -> str:
    """Return the result of the MCP tool for the API's response, which it hands on."""
    answered = httpx.Response(200, text=repeated(QUERY, BODY)(user, turn))
    return result(answered).model_dump_json()


def command(user: User, turn: Turn) -> str:
    return as_text(Turn.objects.get(pk=turn.pk))


def reviews_exported(user: User, turn: Turn) -> str:
    done = {"state": ReviewState.DONE, "verdict": Verdict.DANGEROUS, "done_at": timezone.now()}
    Review.objects.create(turn=turn, flags=[Flag.CONFLICT], note=f"On {MARKER}", **done)
    return json.dumps(list(review_rows(Review.objects.all(), texts=True, by=user)))


def answers_exported(user: User, turn: Turn) -> str:
    return json.dumps(list(turn_rows(Turn.objects.filter(pk=turn.pk), texts=True, by=user)))


def exported(user: User, turn: Turn) -> str:
    return json.dumps(list(event_rows(AuditEvent.objects.all(), texts=True)))


def announced(user: User, turn: Turn) -> str:
    by = person("of webhooks", is_superuser=True)
    Endpoint.objects.create(url="https://a.example", secret="s", events=[Event.GAP], created_by=by)
    announce_gap(None, turn=turn)
    return Delivery.objects.get().body


WAYS: dict[str, Callable[[User, Turn], str]] = {
    "page": page,
    "shared page": shared_page,
    "turn": of_turn,
    "messages": messages,
    "query": repeated(QUERY, BODY),
    "stream": streamed,
    "completion": repeated(COMPLETIONS, CHAT),
    "chunks": chunked,
    "tool": tool,
    "command": command,
    "export of reviews": reviews_exported,
    "export of answers": answers_exported,
}
TELL_NOTHING = {"export of the log": exported, "webhook": announced}


@pytest.mark.parametrize("way", [*WAYS, *TELL_NOTHING])
def test_no_word_of_a_closed_document_reaches_who_was_removed(
    way: str, turn: Turn, member: User
) -> None:
    said = {**WAYS, **TELL_NOTHING}[way](removed(member), turn)
    assert MARKER not in said.lower()
    if way in WAYS:  # the log, which auditors read, has the confidence
        assert "0.8125" not in said
        assert not re.search(r"conflict|disagree|dangerous", said, re.IGNORECASE)
    assert not re.search(r"Option|\"option\": ?\"B\"|a number, a unit", said)


@pytest.mark.parametrize("way", WAYS)
def test_a_member_is_shown_the_words(way: str, turn: Turn, member: User) -> None:
    """Shows that the test above can fail in each way."""
    said = WAYS[way](member, turn)
    assert MARKER in said.lower()
    is_told = str(Reason.CONFLICT.label) in said or "CONFLICT" in said
    assert turn.status == TurnStatus.ANSWERED or is_told


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason.value])
def test_a_reason_that_rests_on_closed_documents_is_told_as_the_neutral_one(
    reason: Reason, secret: Document, member: User
) -> None:
    turn = marked(ask(member), secret, TurnStatus.ABSTAINED, reason=reason)
    said = json.loads(of_turn(removed(member), turn))
    told = reason if reason in OF_THE_QUESTION else Reason.WEAK_EVIDENCE
    assert (said["reason"], said["message"]) == (told, told.label)
    auditor = json.loads(of_turn(person("auditor", AUDITORS), turn))
    assert (auditor["reason"], auditor["message"]) == (reason, reason.label)


def test_that_the_evidence_is_closed_is_told_only_to_who_works_there(secret: Document) -> None:
    narrow(secret.collection, "publishers", TEAM)
    narrow(secret.collection, "searchers", "Nobody")
    staff = person("staff", PUBLISHERS, TEAM)
    trace = {"documents": [], "verdicts": [], "searches": [
        {"rights": "hidden", "hits": [{"chunk": f"{secret.sha256}_p1_c0"}]}
    ]}  # fmt: skip
    reason = Reason.NOT_PERMITTED_EVIDENCE
    fields = {"reason": reason, "nearest": [], "warnings": [], "standalone": "", "trace": trace}
    turn = marked(ask(staff), secret, TurnStatus.ABSTAINED, **fields)
    assert json.loads(of_turn(staff, turn))["reason"] == reason
    assert str(reason.label) in shared_page(staff, turn)
    assert str(reason.label) not in shared_page(person("colleague", CLINICIANS), turn)
    assert json.loads(of_turn(removed(staff), turn))["reason"] == Reason.WEAK_EVIDENCE


def test_a_colleague_without_rights_reads_no_word_by_the_link(turn: Turn) -> None:
    assert MARKER not in shared_page(person("colleague", CLINICIANS), turn).lower()


def test_an_auditor_reads_all(turn: Turn) -> None:
    said = get(signed_in(person("auditor", AUDITORS)), f"/api/v1/turns/{turn.pk}").json()
    assert said["warnings"][0]["code"] == "applicability"
    assert (MARKER in said["standalone"], said["confidence"]) == (True, 0.8125)


def test_every_field_of_the_payload_was_marked_or_is_not_made_from_documents(
    turn: Turn, member: User
) -> None:
    """A field that is added to the payload has to be decided on here."""
    said = get(signed_in(member), f"/api/v1/turns/{turn.pk}").json()
    of_the_question = {
        *("turn", "question", "asked_at", "conversation", "feedback", "duration_ms", "mode"),
        *("status", "text_removed_at", "hidden"),
    }
    made = {
        "reason", "message", "standalone", "plain", "option", "warnings", "withheld", "owner",
        "claims", "nearest",
    }  # fmt: skip
    assert said.keys() == of_the_question | made | {"confidence", "recalled"}


def test_a_warning_about_open_statements_stays(member: User) -> None:
    open_ = publish_guideline()
    turn = marked(ask(member), open_)
    said = get(signed_in(removed(member)), f"/api/v1/turns/{turn.pk}").json()
    assert len([one for one in said["warnings"] if MARKER in one["text"]]) == len(turn.warnings)
    assert said["confidence"] == 0.8125


def slip(user: User, typed: str = "zorbittol") -> Turn:
    return ask(user, f"What is the dose of {typed} for adults with pneumonia?")


@pytest.fixture
def correcting(secret: Document) -> Document:
    """Publish a closed guideline with the marker in its text, which no open one has."""
    text = f"# Pneumonia\nGive {MARKER} 76 mg by mouth every 8 hours to adults with pneumonia."
    return publish(text, collection="shelf-7")


def test_a_correction_from_a_closed_document_is_for_those_who_may_read_it(
    correcting: Document, member: User
) -> None:
    turn = slip(member)
    assert MARKER in turn.standalone.split()
    assert f"Read as: {turn.standalone}" in page(member, turn)
    colleague = person("colleague", CLINICIANS)
    assert f"{MARKER} " not in shared_page(colleague, turn)
    assert f"{MARKER} " not in page(removed(member), turn)
    assert f"{MARKER} " in page(in_groups(member, TEAM), turn)


def test_a_word_that_an_open_document_has_too_is_shown(correcting: Document, member: User) -> None:
    turn = slip(member)
    publish(f"# Other\nGive {MARKER} at night.")
    assert f"Read as: {turn.standalone}" in page(removed(member), turn)


def test_what_goes_on_from_a_corrected_question_carries_no_closed_word(
    correcting: Document, member: User
) -> None:
    first = slip(member)
    second = ask(member, "And in children?", conversation=first.conversation)
    assert MARKER in second.standalone
    member = removed(member)
    assert f"{MARKER} " not in page(member, second)
    assert json.loads(of_turn(member, second))["standalone"] is None
    third = ask(member, "And in pregnancy?", conversation=first.conversation)
    assert MARKER not in third.standalone + json.dumps(third.trace)


def test_nobody_is_corrected_to_a_word_of_a_closed_document(correcting: Document) -> None:
    turn = slip(person("outsider", CLINICIANS))
    assert (turn.standalone, turn.trace["spelling"]) == ("", {})


def test_a_word_that_a_closed_document_has_is_corrected_as_any_other(correcting: Document) -> None:
    outsider = person("outsider", CLINICIANS)
    publish("# Other\nGive zorbittol at night to adults.")
    assert slip(outsider, typed=MARKER).trace["spelling"] == {MARKER: "zorbittol"}
    assert slip(outsider, typed="zorbitttol").trace["spelling"] == {"zorbitttol": "zorbittol"}
