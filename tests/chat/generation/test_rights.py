"""Test that no word of a collection narrowed to a group reaches anybody else, by any address."""

import io
import json
import logging
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework.throttling import ScopedRateThrottle

from chat.audit.verify import verify_chain
from chat.models import AuditEvent, Channel, Citation, Feedback, Reason, Turn, TurnStatus
from corpus.models import Chunk, Collection, Document, Lifecycle
from corpus.services.lifecycle import document_withdraw
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.addresses import addresses, of_rows
from tests.chat.api.api_calls import signed_in
from tests.chat.guidelines import DOSE, QUESTION, ask, publish_guideline, store_files
from tests.chat.storing import Storing
from tests.corpora import publish
from tests.people import client_of, in_groups, narrow, person

pytestmark = pytest.mark.usefixtures("secret")

TEAM = "Haematology"
# Words of title, file name, version, issuer, owner and collection, and of the text.
SECRETS = re.compile(r"quizzaxol|500 mg by mouth|rash appears", re.IGNORECASE)
OUTSIDERS: dict[str, tuple[str, ...]] = {
    "clinician": (CLINICIANS,),
    "staff": (STAFF,),
    "publisher": (PUBLISHERS,),
    "staff and publisher": (STAFF, PUBLISHERS),
    "auditor": (AUDITORS,),
}
SELDOM = [pytest.param(who, marks=pytest.mark.exhaustive) for who in ("staff", "publisher")]


@pytest.fixture(scope="module", autouse=True)
def stored(storing: Storing) -> Iterator[None]:
    """Use a new database: most of its rows share a few keys, so fewer addresses are tried."""
    with storing(_store):
        yield


def _store() -> None:
    """Publish a guideline in a collection that is narrowed in every right, and make its reader."""
    shelf = Collection.objects.create(
        slug="shelf-7",
        name="Quizzaxol shelf",
        owner_name="Dr Quizzaxol",
        owner_contact="quizzaxol 1",
        description="Quizzaxol",
    )
    for right in ("searchers", "uploaders", "publishers"):
        narrow(shelf, right, TEAM)
    publish_guideline(
        title="Quizzaxol pathway",
        collection=shelf,
        filename="quizzaxol.pdf",
        issuer="Quizzaxol group",
        version="quizzaxol-1",
    )
    person("member", CLINICIANS, TEAM)


@pytest.fixture
def secret(db: None) -> Document:
    document = Document.objects.get(filename="quizzaxol.pdf")
    store_files(document)
    return document


@pytest.fixture
def member(db: None) -> User:
    return User.objects.get(username="member")


def refused_for(response: Any) -> None:
    """Check that neither body nor headers of the response hold a word of the collection."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    text = body.decode(errors="replace") + str(dict(response.headers))
    assert not SECRETS.search(text), f"{response.request['PATH_INFO']}: {SECRETS.findall(text)}"


# Every address of the site


def with_both(user: User, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Return a client with a session and a token, without a limit of requests."""
    monkeypatch.setattr(ScopedRateThrottle, "THROTTLE_RATES", {"query": None})
    client = signed_in(user)
    client.force_login(user)
    return client


def values_for(document: Document, *others: Document) -> dict[str, list[str]]:
    turns = [str(pk) for pk in Turn.objects.values_list("pk", flat=True)]
    rows: list[Any] = [
        document,
        document.collection,
        document.job,
        *document.chunks.all(),
        *document.pages.all(),
        *Citation.objects.filter(document=document),
    ]
    pks = sorted({str(row.pk) for row in rows} | {str(other.pk) for other in others})
    threads = [str(pk) for pk in Turn.objects.values_list("conversation", flat=True) if pk]
    return {
        "sha256": [document.sha256], "number": ["1"], "page": ["1"], "index": ["0"],
        "pk": [*pks, *turns, *threads], "other": pks, "object_id": [*pks, *turns],
        "app_label": ["corpus", "chat"], "content_type_id": ["1"], "url": ["corpus/document"],
    }  # fmt: skip


def queries(document: Document) -> list[str]:
    """Return the searches that would find the document on the pages with lists."""
    listed = ("document", "collection")
    return [
        *(f"/admin/corpus/{model}/?q=pathway" for model in listed),
        f"/admin/corpus/document/?collection__id__exact={document.collection_id}",
        f"/admin/corpus/document/?q={document.sha256}",
        f"/admin/corpus/document/progress/?pk={document.pk}",
        "/guidelines/?q=pathway",
        "/guidelines/?collection=shelf-7",
        "/conversations/?q=dose",
    ]


# A person with two roles has the rights of both.
@pytest.mark.parametrize("who", ["clinician", *SELDOM, "staff and publisher", "auditor"])
def test_no_address_of_the_site_tells_an_outsider_a_word(
    secret: Document,
    member: User,
    who: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    # A test's log is in its own transaction, which the auditor's connection can't see.
    monkeypatch.setattr("chat.api.log.verify_chain", partial(verify_chain, "default"))
    ask(member)
    outdated = publish(
        "# Old\nAsk a colleague.", lifecycle=Lifecycle.SUPERSEDED, superseded_by=secret
    )
    Chunk.objects.update(twins="t" * 32)  # also near-duplicates of each other
    client = with_both(person("outsider", *OUTSIDERS[who]), monkeypatch)
    walked = [*of_rows(addresses(values_for(secret, outdated))), *queries(secret)]
    assert len(walked) > 100
    readable = []
    for address in walked:
        if who == "auditor" and address.startswith(("/admin/chat/turn/", "/api/v1/turns")):
            continue  # auditors may read what was shown
        response = client.get(address)
        assert response.status_code < 500, address
        refused_for(response)
        readable.append(response.status_code == 200)
    assert any(readable)
    assert not SECRETS.search(caplog.text)


def test_nothing_that_an_outsider_sends_tells_or_changes_anything(
    secret: Document, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(member)
    client = with_both(person("outsider", STAFF, PUBLISHERS), monkeypatch)
    before = Document.objects.values().get(pk=secret.pk)
    chunks = list(secret.chunks.values())
    for address in of_rows(addresses(values_for(secret))):
        if address == "/sign-out/":
            continue
        sent = {"reason": "Because.", "question": QUESTION, "confirmed": "yes", "title": "Mine"}
        response = client.post(address, sent)
        assert response.status_code < 500, address
        refused_for(response)
        if address.startswith("/api/v1/"):
            asked = {"question": QUESTION, "query": QUESTION, "helpful": True}
            for key in asked:
                body = {key: asked[key]}
                refused_for(client.post(address, body, content_type="application/json"))
    assert not Feedback.objects.exists()
    assert Document.objects.values().get(pk=secret.pk) == before
    assert list(secret.chunks.values()) == chunks


def test_the_walk_would_find_what_leaks(
    secret: Document, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shows that the tests above can fail: a member finds the words at many addresses."""
    turn = ask(member)
    client = with_both(member, monkeypatch)
    found = []
    for address in of_rows(addresses(values_for(secret))):
        response = client.get(address)
        if response.status_code == 200 and not response.streaming:
            found += [address] if SECRETS.search(response.content.decode(errors="replace")) else []
    assert f"/source/{secret.sha256}/1/" in found
    assert "/guidelines/" in found
    assert f"/api/v1/turns/{turn.pk}" in found
    assert f"/api/v1/conversations/{turn.conversation_id}/messages" in found
    assert client.get(f"/source/{secret.sha256}/original/").status_code == 200


# Questions


@pytest.fixture
def worker(secret: Document) -> User:
    """Return a member of staff who uploads to the closed collection and may not search it."""
    narrow(secret.collection, "uploaders", TEAM, "Typists")
    return person("worker", STAFF, "Typists")


def test_a_refusal_says_that_there_is_something_and_not_what(
    worker: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    turn = ask(worker)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.NOT_PERMITTED_EVIDENCE)
    assert (turn.nearest, turn.owner) == ([], {})
    client = client_of(worker)
    response = client.get(f"/conversations/{turn.conversation_id}/")
    refused_for(response)
    assert "Ask corpus staff for access" in response.content.decode()
    stored = json.dumps([turn.trace, list(AuditEvent.objects.values_list("payload", flat=True))])
    assert not SECRETS.search(stored + caplog.text)


def test_what_is_open_and_near_is_shown_beside_it(worker: User) -> None:
    publish("# Ward\nCall the pharmacist before pneumonia is treated in adults.")
    turn = ask(worker)
    assert turn.reason == Reason.NOT_PERMITTED_EVIDENCE
    assert [passage["document"] for passage in turn.nearest] == ["Ward"]
    assert turn.owner["name"] == "Dr general"
    assert not SECRETS.search(json.dumps([turn.nearest, turn.owner, turn.trace]))


@pytest.mark.parametrize("who", ["clinician", "staff", "publisher", "nobody"])
def test_who_may_not_know_the_collection_is_told_nothing_of_it(who: str) -> None:
    user = None if who == "nobody" else person("outsider", *OUTSIDERS[who])
    turn = ask(user, channel=Channel.COMMAND)
    assert turn.reason == Reason.NO_EVIDENCE
    assert "hidden" not in {search["rights"] for search in turn.trace["searches"]}


def test_a_site_may_say_it_to_nobody(worker: User, settings: Settings) -> None:
    settings.CLOSED = "off"
    assert ask(worker).reason == Reason.NO_EVIDENCE


def test_no_number_of_a_question_changes_what_is_said(worker: User) -> None:
    """Else a closed dose could be found out by trying."""
    asked = "Demonstracillin {}?"
    tried = ("75 mg", "500 mg", "500mg", "five hundred mg", "½ mg", "1,500 mg", "501 mg")
    reasons = {dose: ask(worker, asked.format(dose)).reason for dose in tried}
    assert set(reasons.values()) == {Reason.NOT_PERMITTED_EVIDENCE}, reasons


def test_a_closed_collection_beside_the_one_asked_is_not_spoken_of(worker: User) -> None:
    Collection.objects.create(slug="other", name="Other")
    assert ask(worker, collections=("other",)).reason == Reason.NO_EVIDENCE


def test_a_member_is_answered(member: User) -> None:
    turn = ask(member)
    assert turn.status == TurnStatus.ANSWERED
    assert turn.claims.get(index=1).text == DOSE


def test_what_is_open_answers_though_more_is_not(alice: User) -> None:
    publish_guideline(title="Pneumonia in adults")
    turn = ask(alice)
    assert turn.status == TurnStatus.ANSWERED
    assert {citation.title for citation in Citation.objects.all()} == {"Pneumonia in adults"}


@pytest.mark.parametrize("lifecycle", [Lifecycle.SUPERSEDED, Lifecycle.WITHDRAWN])
def test_what_is_out_of_date_and_not_open_is_not_spoken_of(
    secret: Document, alice: User, lifecycle: Lifecycle
) -> None:
    Document.objects.filter(pk=secret.pk).update(lifecycle=lifecycle)
    turn = ask(alice)
    assert (turn.reason, turn.nearest, turn.owner) == (Reason.NO_EVIDENCE, [], {})


def test_what_would_not_answer_is_not_hinted_at(alice: User) -> None:
    assert ask(alice, "What is the boiling point of tungsten?").reason == Reason.NO_EVIDENCE


def test_the_api_treats_it_as_not_there(alice: User) -> None:
    client = Client(headers={"authorization": f"Token {AuthToken.objects.create(alice)[1]}"})
    asked = {"search": {"query": QUESTION}, "query": {"question": QUESTION}}
    for name, body in asked.items():
        address = f"/api/v1/{name}"
        response = client.post(address, body, content_type="application/json")
        refused_for(response)
        missing, hidden = (
            client.post(
                address, body | {"collections": [slug]}, content_type="application/json"
            ).content
            for slug in ("nowhere", "shelf-7")
        )
        assert missing == hidden
    found = client.post("/api/v1/search", asked["search"], content_type="application/json")
    assert found.json() == []


def test_the_page_does_not_take_its_collection(alice: User) -> None:
    for number in (1, 2):
        publish_guideline(title=f"Open {number}", collection=Collection.objects.create(slug=f"c{number}", name="C"))  # noqa: E501  # fmt: skip
    client = client_of(alice)
    response = client.post("/ask/", {"question": QUESTION, "collection": "shelf-7"})
    assert "That collection is not here" in response.content.decode()
    assert not Turn.objects.exists()


def test_the_commands_have_the_rights_of_who_is_named(member: User) -> None:
    def said(*arguments: str) -> str:
        out = io.StringIO()
        call_command(*arguments, stdout=out)
        return out.getvalue()

    assert said("search", QUESTION) == ""
    assert not SECRETS.search(said("ask", QUESTION))
    assert "Quizzaxol pathway" in said("search", QUESTION, "--user", "member")
    assert DOSE in said("ask", QUESTION, "--user", "member")
    assert Turn.objects.latest("created_at").user == member
    User.objects.filter(pk=member.pk).update(is_active=False)
    for name in ("search", "ask"):
        with pytest.raises(CommandError, match="no active user"):
            said(name, QUESTION, "--user", "member")


# What was answered before


def test_an_old_answer_hides_what_is_not_open_any_more(member: User) -> None:
    turn = ask(member)
    member.groups.filter(name=TEAM).get().user_set.remove(member)
    client = client_of(member)
    page = f"/conversations/{turn.conversation_id}/"
    response = client.get(page)
    refused_for(response)
    text = response.content.decode()
    assert turn.question in text
    assert "not open to you" in text
    for citation in Citation.objects.all():
        assert client.get(f"/source/citation/{citation.pk}/").status_code == 404
    in_groups(member, TEAM)
    assert DOSE in client.get(page).content.decode()


def test_an_old_refusal_hides_its_passages_and_whom_to_ask(secret: Document, member: User) -> None:
    document_withdraw(secret, by=person("p", PUBLISHERS, TEAM), reason="Quizzaxol harm.")
    turn = ask(member)
    assert (turn.reason, turn.owner["name"]) == (Reason.ONLY_OUT_OF_DATE, "Dr Quizzaxol")
    member.groups.filter(name=TEAM).get().user_set.remove(member)
    client = client_of(member)
    response = client.get(f"/conversations/{turn.conversation_id}/")
    refused_for(response)
    assert "1 passage is not open to you" in response.content.decode()


def test_an_auditor_reads_what_was_shown_but_not_the_document(
    secret: Document, member: User
) -> None:
    turn = ask(member)
    client = client_of(person("auditor", AUDITORS))
    assert DOSE in client.get(f"/admin/chat/turn/{turn.pk}/change/").content.decode()
    assert client.get(f"/source/{secret.sha256}/1/").status_code == 404


def test_pictures_of_what_is_narrowed_are_kept_by_no_browser(
    secret: Document, member: User
) -> None:
    open_ = publish_guideline(title="Open")
    client = client_of(member)
    kept = client.get(f"/source/{open_.sha256}/1/image/")["Cache-Control"]
    never = client.get(f"/source/{secret.sha256}/1/image/")["Cache-Control"]
    assert ("no-store" in never, "no-store" in kept) == (True, False)
    assert "private" in kept


def test_nothing_of_it_is_in_the_log(secret: Document, member: User) -> None:
    ask(member)
    document_withdraw(secret, by=person("p", PUBLISHERS, TEAM), reason="Quizzaxol rash appears.")
    secret.version = "1"  # the log names the version on purpose
    rows = AuditEvent.objects.values_list("action", "subject", "payload")
    said = json.dumps(list(rows)).replace("quizzaxol-1", "")
    assert not SECRETS.search(said)
    assert Chunk.objects.count() == 1
