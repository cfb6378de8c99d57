"""Test follow-ups and multiple-choice questions through the whole pipeline."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.api.answers import turn_payload
from chat.ask import turn_ask
from chat.models import Channel, Conversation, Reason, Turn, TurnStatus
from chat.question.follow_ups import Standalone
from chat.replays.replay import turn_replay
from chat.terminal import as_text
from chat.types import AskedQuestion
from tests.corpora import publish

ADULTS = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
CHILDREN = "Give demonstracillin 250 mg by mouth every 8 hours to children with pneumonia."
FIRST = "What is the dose of demonstracillin for adults with pneumonia?"
CHOICE = (
    "What is the dose of demonstracillin for adults with pneumonia? "
    "A. 100 mg every 8 hours B. 500 mg every 8 hours C. 750 mg every 8 hours D. 1 g every 8 hours"
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def guideline(db: None) -> None:
    publish(
        f"# Pneumonia\n## Dose for adults\n{ADULTS}\n## Dose for children\n{CHILDREN}",
        collection="chest",
    )


def ask(question: str, user: User, conversation: Conversation | None = None) -> Turn:
    made = turn_ask(
        AskedQuestion(question, user=user, channel=Channel.PAGE, conversation=conversation)
    )
    return Turn.objects.get(pk=made.pk)


def test_a_follow_up_is_asked_as_a_question_of_its_own(alice: User, client: Client) -> None:
    first = ask(FIRST, alice)
    assert first.standalone == ""
    second = ask("And in children?", alice, first.conversation)
    assert second.question == "And in children?"
    assert "children" in second.standalone and "demonstracillin" in second.standalone
    assert second.status == TurnStatus.ANSWERED
    assert "250 mg" in second.claims.get(index=1).text
    client.force_login(alice)
    page = client.get(reverse("chat:conversation", args=[first.conversation_id]))
    assert f"Read as: {second.standalone}" in page.content.decode()
    assert f"Read as: {second.standalone}" in as_text(second)
    assert turn_payload(second)["standalone"] == second.standalone
    assert second.trace["follow_up"]["by"] == "rules"
    assert not turn_replay(second).changed


def test_without_a_turn_before_it_is_refused(alice: User) -> None:
    turn = ask("And in children?", alice)
    assert (turn.standalone, turn.reason) == ("", Reason.UNCLEAR_QUESTION)


def test_what_goes_on_from_a_question_and_can_not_be_told_is_refused(
    alice: User, client: Client
) -> None:
    first = ask(FIRST, alice)
    turn = ask("what if it is 25?", alice, first.conversation)
    assert turn.reason == Reason.UNCLEAR_QUESTION
    assert not turn.claims.exists()
    assert "500 mg" in turn.nearest[0]["text"]  # near the previous question
    client.force_login(alice)
    page = client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()
    assert "It is not clear what this question is about" in page
    assert "Ask it in full" in page
    assert not turn_replay(turn).changed


def test_a_fragment_whose_context_was_removed_is_refused(alice: User) -> None:
    publish("# Other\n## Kidney\nWith a CrCl of 20 give placebomycin 50 mg.", collection="other")
    first = ask(FIRST, alice)
    for question in ("crcl 20", "what is the dose if crcl 20?"):
        turn = turn_ask(
            AskedQuestion(
                question,
                user=alice,
                channel=Channel.PAGE,
                conversation=first.conversation,
                follows=False,
            )
        )
        assert turn.reason == Reason.UNCLEAR_QUESTION
        assert not turn.claims.exists()


def test_a_wording_that_identifies_a_patient_leaves_the_question_unclear(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(FIRST, alice)

    def invented(*args: object, **kwargs: object) -> Standalone:
        return Standalone("Dose for John Smith, NHS number 943 476 5919?", True, "llm:m")

    monkeypatch.setattr("chat.question.understand.standalone", invented)
    turn = ask("crcl 20", alice, first.conversation)
    assert (turn.reason, turn.standalone) == (Reason.UNCLEAR_QUESTION, "")


def test_a_value_alone_is_never_answered_from_another_topic(alice: User) -> None:
    publish("# Other\n## Kidney\nWith a CrCl of 20 give placebomycin 50 mg.", collection="other")
    first = ask(FIRST, alice)
    turn = ask("crcl 20", alice, first.conversation)
    assert turn.standalone == f"{FIRST.rstrip('?')} if crcl 20?"
    assert "placebomycin" not in " ".join(turn.claims.values_list("text", flat=True))


def test_a_choice_is_answered_with_its_letter_and_its_evidence(alice: User, client: Client) -> None:
    turn = ask(CHOICE, alice)
    assert (turn.status, turn.option) == (TurnStatus.ANSWERED, "B")
    assert "500 mg" in turn.claims.get(index=1).text
    assert turn_payload(turn)["option"] == "B"
    assert "Option B" in as_text(turn)
    client.force_login(alice)
    page = client.get(reverse("chat:conversation", args=[turn.conversation_id]))
    assert "Option <strong>B</strong>" in page.content.decode()
    assert not turn_replay(turn).changed


def test_a_choice_without_the_right_answer_is_refused(alice: User) -> None:
    turn = ask(CHOICE.replace("500 mg", "600 mg"), alice)
    assert (turn.status, turn.reason, turn.option) == (
        TurnStatus.ABSTAINED,
        Reason.WEAK_EVIDENCE,
        "",
    )


def test_a_conversation_renamed_while_a_question_is_answered_keeps_its_name(alice: User) -> None:
    ask(FIRST, alice)
    opened = Conversation.objects.get()
    Conversation.objects.update(title="Pneumonia of Friday")
    ask("And in children?", alice, opened)
    assert Conversation.objects.get().title == "Pneumonia of Friday"
