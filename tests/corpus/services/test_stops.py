"""Test that answering stops at once, in every channel, says why, and resumes."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from chat.ask import turn_ask
from chat.conversations import conversation_share
from chat.models import AuditEvent, Channel, Reason, TurnStatus
from chat.types import AskedQuestion
from corpus.models import AnsweringStop, Collection
from corpus.services.stops import NotStopped, resume_answering, stop_answering
from corpus.stops import stops_held
from medrag_site import doctor
from medrag_site.groups import SAFETY
from tests.chat.gate.calibrations import kept
from tests.chat.guidelines import ask
from tests.chat.web.pages import thread
from tests.corpora import publish
from tests.people import person

pytestmark = pytest.mark.django_db

GENTAMICIN = "# Gentamicin in adults\n## Dose\nGive gentamicin 5 mg/kg once daily to adults."
QUESTION = "What is the dose of gentamicin in adults?"
TOLD = "A dose is wrong. Call Dr Blue, 4417."


@pytest.fixture(autouse=True)
def open_gate() -> None:
    kept(threshold=0.001)


@pytest.fixture
def officer() -> User:
    return person("officer", SAFETY)


def stop(officer: User, **of: object) -> AnsweringStop:
    made = AnsweringStop(reason="A dose is wrong", contact="Dr Blue, 4417", **of)
    return stop_answering(made, by=officer)


@pytest.mark.parametrize("channel", [Channel.COMMAND, Channel.API, Channel.EVALUATION])
def test_a_stopped_site_answers_nobody_and_says_whom_to_call(
    officer: User, channel: Channel
) -> None:
    publish(GENTAMICIN)
    assert ask(question=QUESTION).status == TurnStatus.ANSWERED
    held = stop(officer)
    turn = ask(question=QUESTION, channel=channel)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.STOPPED)
    (told,) = [w["text"] for w in turn.warnings if w["code"] == "stopped"]
    assert told.endswith(TOLD)
    resume_answering(held, by=officer, reason="It was put right")
    assert ask(question=QUESTION).status == TurnStatus.ANSWERED


@pytest.mark.parametrize("of", ["document", "collection"])
def test_what_is_stopped_is_never_quoted_and_who_would_have_got_it_is_told(
    officer: User, of: str
) -> None:
    document = publish(GENTAMICIN)
    stop(officer, **{of: document if of == "document" else document.collection})
    turn = ask(question=QUESTION)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.STOPPED)
    assert not turn.nearest
    assert any(TOLD in warning["text"] for warning in turn.warnings)


def test_another_guideline_still_answers(officer: User) -> None:
    publish("# Vancomycin\n## Dose\nGive vancomycin 1 g twice daily.", collection="other")
    publish(GENTAMICIN)
    stop(officer, collection=Collection.objects.get(slug="other"))
    assert ask(question=QUESTION).status == TurnStatus.ANSWERED


def test_whose_question_is_on_something_else_is_told_nothing_of_a_stop(officer: User) -> None:
    stop(officer, document=publish(GENTAMICIN))
    for name in ("vancomycin", "amikacin", "teicoplanin"):
        publish(f"# {name.title()} levels in adults\n## Levels\nMeasure {name} after 18 hours.")
    asked = AskedQuestion(
        "When is a vancomycin level measured, or amikacin or teicoplanin?", None, Channel.API
    )
    assert "stopped" not in {warning["code"] for warning in turn_ask(asked).warnings}


def test_any_stop_that_hides_hides(officer: User) -> None:
    document = publish(GENTAMICIN)
    stop(officer, document=document)
    assert not stops_held().hide(document.pk, document.collection.slug)
    stop(officer, hides=True)
    assert stops_held().hide(document.pk, document.collection.slug)


def test_both_are_in_the_log_and_the_doctor_says_so(officer: User) -> None:
    def is_well() -> bool | None:
        return next(f for f in doctor.examine() if f.name == "answering").ok

    held = stop(officer)
    assert not is_well()
    resume_answering(held, by=officer, reason="It was put right")
    assert is_well()
    events = AuditEvent.objects.filter(action__startswith="answering.").order_by("seq")
    told = [("answering.stopped", "site"), ("answering.resumed", "site")]
    assert [(e.action, e.subject) for e in events] == told
    assert "dose" not in str([e.payload for e in events])


def test_a_stop_ends_once_and_for_a_reason(officer: User) -> None:
    held = stop(officer)
    with pytest.raises(NotStopped):
        resume_answering(held, by=officer, reason=" ")
    resume_answering(held, by=officer, reason="It was put right")
    with pytest.raises(NotStopped):
        resume_answering(held, by=officer, reason="Again")
    assert not stops_held().held


def test_a_safety_officer_stops_and_resumes_in_the_administration(
    officer: User, client: Client
) -> None:
    publish(GENTAMICIN)
    client.force_login(officer)
    add = reverse("admin:corpus_answeringstop_add")
    said = {"reason": "A dose is wrong", "contact": "Dr Blue, 4417"}
    refused = client.post(add, said)
    assert "Nothing was stopped. Choose one" in refused.content.decode()
    assert "A dose is wrong" in refused.content.decode()
    both = {"collection": Collection.objects.get().pk, "everything": "on"}
    assert "Nothing was stopped" in client.post(add, said | both).content.decode()
    assert not AnsweringStop.objects.exists()
    added = client.post(add, said | {"everything": "on"}, follow=True)
    assert "Answering from all guidelines is stopped. It holds" in added.content.decode()
    held = AnsweringStop.objects.get()
    assert held.started_by == officer and ask(question=QUESTION).reason == Reason.STOPPED
    page = client.get(reverse("admin:corpus_answeringstop_change", args=[held.pk]))
    assert b"Resume answering" in page.content
    assert TOLD in client.get("/").content.decode()
    ended = client.post(reverse("admin:corpus_stop_end", args=[held.pk]), {"reason": "Put right"})
    assert ended.status_code == 302 and ask(question=QUESTION).status == TurnStatus.ANSWERED


@pytest.mark.parametrize("group", ["Clinicians", "Corpus staff", "Auditors"])
def test_nobody_else_stops_or_resumes(officer: User, client: Client, group: str) -> None:
    held = stop(officer)
    client.force_login(person("other", group))
    assert Group.objects.filter(name=group).exists()
    data = {"reason": "x", "contact": "y"}
    assert client.post(reverse("admin:corpus_answeringstop_add"), data).status_code == 403
    ending = client.post(reverse("admin:corpus_stop_end", args=[held.pk]), {"reason": "x"})
    assert ending.status_code == 403 and stops_held().of_site == held


def test_a_stop_on_a_closed_collection_is_not_told_to_others(
    officer: User, client: Client, alice: User
) -> None:
    closed = publish(GENTAMICIN, collection="closed").collection
    closed.searchers.add(Group.objects.create(name="Haematologists"))
    stop(officer, collection=closed)
    client.force_login(alice)
    assert "Dr Blue" not in client.get("/").content.decode()


@pytest.mark.parametrize("of", ["document", "collection"])
def test_who_may_not_know_a_collection_is_not_told_of_its_stop_in_a_shared_answer(
    officer: User, client: Client, alice: User, bob: User, of: str
) -> None:
    document = publish(GENTAMICIN, collection="closed")
    group = Group.objects.create(name="Haematologists")
    document.collection.searchers.add(group)
    alice.groups.add(group)
    stop(officer, **{of: document if of == "document" else document.collection})
    turn = ask(alice, QUESTION)
    assert turn.conversation
    conversation_share(turn.conversation, by=alice)
    told = {}
    for reader in (alice, bob):
        client.force_login(reader)
        page = client.get(thread(turn.conversation_id, "shared"))
        told[reader] = "Dr Blue" in page.content.decode()
    assert told == {alice: True, bob: False}
