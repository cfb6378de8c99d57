"""Test that what was said of the patient earlier in a conversation is not lost silently."""

import pytest
from django.contrib.auth.models import User

from chat.ask import turn_ask
from chat.caveats.earlier import forgotten
from chat.models import Channel
from chat.replays.replay import turn_replay
from chat.types import AskedQuestion
from tests.chat.guidelines import ask
from tests.corpora import publish


@pytest.mark.parametrize(
    ("question", "before", "left_out"),
    [
        ("dose of gentamicin", ["cystitis in pregnancy"], ("pregnancy",)),
        ("dose of gentamicin in pregnancy", ["cystitis in pregnancy"], ()),
        ("dose of cefalexin", ["allergic to penicillin, what?"], ("allergy to penicillin",)),
        ("dose of gentamicin", ["cystitis in adults", "sepsis"], ()),
        ("dose of gentamicin", ["dose in a child"], ("children",)),
        ("dose of gentamicin in an adult", ["dose in a child"], ()),
    ],
)
def test_forgotten(question: str, before: list[str], left_out: tuple[str, ...]) -> None:
    assert forgotten(question, before) == left_out


@pytest.mark.django_db
def test_the_answer_says_what_it_was_read_without_and_replays(alice: User) -> None:
    publish("# Sepsis\n## Treatment\nGive gentamicin 7 mg/kg once daily in sepsis.")
    first = AskedQuestion("sepsis in pregnancy", user=alice, channel=Channel.PAGE)
    thread = turn_ask(first).conversation
    question = "What is the dose of gentamicin in sepsis?"
    turn = ask(alice, question, conversation=thread)
    (warning,) = [one for one in turn.warnings if one["code"] == "earlier"]
    assert ": pregnancy." in warning["text"]
    assert not turn_replay(turn).changed
