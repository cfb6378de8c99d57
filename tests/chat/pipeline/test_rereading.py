"""Test that an answer is whole where documents are read again while it is made."""

from collections.abc import Callable

import pytest
from django.conf import LazySettings
from django.db import InterfaceError

from chat.ask import turn_ask
from chat.models import Channel, Reason, Turn, TurnStatus
from chat.pipeline import rereading
from chat.pipeline.events import Event, Found
from chat.pipeline.rereading import TRIES
from chat.types import AskedQuestion
from corpus.models import Chunk, Document
from tests.corpora import cut_again, publish

QUESTION = "What dose of trimethoprim for cystitis?"
TEXT = """# Cystitis
## Treatment
Trimethoprim for cystitis: give 200 mg twice daily for 3 days. Avoid trimethoprim in pregnancy.
"""


@pytest.fixture
def document(db: None, settings: LazySettings) -> Document:
    settings.CONFIDENCE_THRESHOLD = 0.0
    return publish(TEXT)


def ask(tell: Callable[[Event], None] = lambda event: None) -> Turn:
    return turn_ask(AskedQuestion(QUESTION, user=None, channel=Channel.COMMAND), tell=tell)


def shown(turn: Turn) -> object:
    claims = [(claim.text, [c.quote for c in claim.citations.all()]) for claim in turn.claims.all()]
    return turn.status, turn.reason, claims, turn.warnings


def test_passages_replaced_after_the_search_are_searched_anew(document: Document) -> None:
    before = ask()
    replaced: list[int] = []

    def read_again(event: Event) -> None:
        if isinstance(event, Found) and not replaced:
            replaced.extend(Chunk.objects.values_list("pk", flat=True))
            cut_again(document, TEXT)

    turn = ask(read_again)
    assert before.status == TurnStatus.ANSWERED
    assert shown(turn) == shown(before)
    assert replaced and not Chunk.objects.filter(pk__in=replaced)


def test_what_is_replaced_at_every_search_is_refused(document: Document) -> None:
    searched = []

    def read_again(event: Event) -> None:
        if isinstance(event, Found):
            searched.append(event)
            cut_again(document, TEXT)

    turn = ask(read_again)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.SEARCH_UNAVAILABLE)
    assert len(searched) == TRIES


def test_where_it_cannot_be_told_whether_they_are_there_it_is_refused(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(runs: object) -> bool:
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(rereading, "_are_replaced", broken)
    assert ask().reason == Reason.SEARCH_UNAVAILABLE
