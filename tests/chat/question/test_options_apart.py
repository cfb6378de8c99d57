"""Test options given apart from their question: shown to the generator, and never searched."""

import json

from django.conf import LazySettings

from chat.models import Channel
from chat.replays.replay import turn_replay
from chat.types import Option
from corpus.models import Document
from tests.chat.guidelines import QUESTION as STEM
from tests.chat.guidelines import ask

QUIZ = (Option("A", "Is it 250 mg?"), Option("B", "Or is it tungsten?"))


def test_options_are_not_searched(guideline: Document) -> None:
    """Even options that no rule would recognise in the question's text."""
    turn = ask(question=STEM, channel=Channel.EVALUATION, options=QUIZ)
    plain = ask(question=STEM, channel=Channel.EVALUATION)
    assert turn.question == f"{STEM} A) Is it 250 mg? B) Or is it tungsten?"
    kept = ("analysis", "hits")
    asked, alone = (
        {name: each.trace["searches"][0][name] for name in kept} for each in (turn, plain)
    )
    assert asked == alone
    assert "tungsten" not in json.dumps(asked)
    assert turn.trace["asked"]["options"] == [
        {"letter": "A", "text": "Is it 250 mg?"},
        {"letter": "B", "text": "Or is it tungsten?"},
    ]
    assert not turn_replay(turn).changed


def test_identifiers_in_options_are_taken_out(guideline: Document, settings: LazySettings) -> None:
    settings.IDENTIFIERS = "redact"
    options = (Option("A", "Call 0161 496 0123"), Option("B", "500 mg"))
    turn = ask(question=STEM, channel=Channel.EVALUATION, options=options)
    assert "496 0123" not in turn.question
    assert "496 0123" not in json.dumps(turn.trace)
