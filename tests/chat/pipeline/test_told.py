"""Test that what answered in a thread answers again only where it speaks of what is new."""

import pytest
from django.contrib.auth.models import User

from chat.models import Turn, TurnStatus
from chat.pipeline.told import NOTHING_TOLD, Told, told_before
from chat.replays.replay import turn_replay
from core.language.en.threads.added import added_topics
from tests.chat.pipeline.test_threads import ask, texts
from tests.corpora import publish

LEVELS = """# Vancomycin in adults
## Dose of vancomycin

| Creatinine clearance (mL/min) | Vancomycin | Interval |
| --- | --- | --- |
| More than 60 | 1 g | Every 12 hours |
| 30 to 60 | 1 g | Every 24 hours |
| Less than 30 | 500 mg | Every 48 hours |
"""


@pytest.mark.parametrize(
    ("question", "before", "added"),
    [
        ("and for 60 kg?", "dose of vancomycin", set()),
        ("she is 80 years old", "dose of vancomycin", set()),
        ("how often?", "dose of vancomycin", set()),
        ("allergic to penicillin", "antibiotic for cellulitis", set()),
        ("trough 24 today", "dose of vancomycin", {"trough"}),
        ("is the rash a problem?", "dose of vancomycin", {"rash"}),
        ("and the dose of vancomycin in dialysis", "dose of vancomycin", {"dialysi"}),
    ],
)
def test_what_a_follow_up_brings(question: str, before: str, added: set[str]) -> None:
    assert added_topics(question, [before]) == added


@pytest.mark.django_db
def test_a_row_is_no_answer_to_a_level_that_it_does_not_speak_of(alice: User) -> None:
    publish(LEVELS)
    first = ask("vancomycin dose, creatinine clearance 45?", alice)
    assert first.status == TurnStatus.ANSWERED
    turn = ask("trough came back 24", alice, first.conversation)
    assert turn.status != TurnStatus.ANSWERED
    assert turn.trace["asked"]["told"]["adds"] == ["trough"]
    assert not turn_replay(turn).changed


@pytest.mark.django_db
def test_the_same_row_answers_again_for_another_value_that_it_holds(alice: User) -> None:
    publish(LEVELS)
    first = ask("vancomycin dose, creatinine clearance 45?", alice)
    turn: Turn = ask("and if it is 50?", alice, first.conversation)
    assert "Every 24 hours" in texts(turn)


@pytest.mark.django_db
def test_what_was_told_comes_back_as_it_was_stored(alice: User) -> None:
    publish(LEVELS)
    first = ask("vancomycin dose, creatinine clearance 45?", alice)
    told = told_before("trough came back 24", [first.question], first.conversation)
    assert told.places and Told.from_dict(told.as_dict()) == told
    assert told_before("trough 24", [first.question], None) is NOTHING_TOLD
