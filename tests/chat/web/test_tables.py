"""Test what is shown of the table around a cited row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat.api.answers import turn_payload
from chat.ask import turn_ask
from chat.evidence.quotable import quotable_units
from chat.models import Channel, Turn
from chat.selectors import audited_turns, every_collection
from chat.types import DraftClaim
from chat.web.presentation import ShownTurn, shown_turns
from corpus.models import Page
from retrieval.types import Hit
from tests.chat.generation.generators import FakeGenerator
from tests.chat.web.pages import text_of, thread
from tests.corpora import publish

CAPTION = "Table 1. Zelomycin by age"
TABLE = f"""# Chest infection
## Treatment
Zelomycin is given by mouth.
: {CAPTION}
| Age | Dose |
| 1 to 5 years | 150 mg |
| 6 to 12 years | 300 mg |
| Over 12 years | 500 mg |
"""
QUESTION = "What is the dose of zelomycin in chest infection at 6 to 12 years?"
ROW, OTHER = "6 to 12 years | 300 mg", "Over 12 years | 500 mg"

pytestmark = pytest.mark.django_db


def answered(monkeypatch: pytest.MonkeyPatch, *rows: str, user: User | None = None) -> Turn:
    def claims(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        units = {unit.quotes[0].text: unit for unit in quotable_units(hits, "")}
        return tuple(DraftClaim(units[row].text, units[row].quotes) for row in rows)

    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(claims))
    turn = turn_ask(QUESTION, user=user, channel=Channel.PAGE if user else Channel.COMMAND)
    assert turn.status == "answered", turn.reason
    return audited_turns().get(pk=turn.pk)


def shown(turn: Turn) -> ShownTurn:
    (found,) = shown_turns([turn], on=timezone.localdate(), readable=every_collection())
    return found


def test_a_row_stands_under_its_caption(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    """Only the caption names the medicine, no cell and no heading."""
    publish(TABLE)
    turn = answered(monkeypatch, ROW, user=alice)
    found = shown(turn)
    assert found.claims[0].under == f"Chest infection › Treatment › {CAPTION}"
    assert found.claims[0].left_out == ""
    assert CAPTION in found.plain_text
    client.force_login(alice)
    assert CAPTION in text_of(client.get(thread(turn.conversation_id)))


def test_some_of_the_rows_say_that_they_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(TABLE)
    found = shown(answered(monkeypatch, ROW, OTHER))
    first, last = found.claims
    assert first.left_out == ""
    assert last.left_out.startswith("2 of the 3 rows")
    assert last.left_out in found.plain_text


def test_a_program_is_told_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(TABLE)
    turn = answered(monkeypatch, ROW, OTHER)
    told = turn_payload(turn)["claims"]
    expected = [(claim.under, claim.left_out or None) for claim in shown(turn).claims]
    assert [(claim["under"], claim["left_out"]) for claim in told] == expected
    assert CAPTION in told[0]["under"]
    assert told[1]["left_out"].startswith("2 of the 3 rows")


def test_all_rows_say_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(TABLE)
    found = shown(answered(monkeypatch, "1 to 5 years | 150 mg", ROW, OTHER))
    assert [claim.left_out for claim in found.claims] == [""] * 3


def test_a_row_that_is_not_found_again_stands_under_its_headings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is guessed of a document that was read again or is gone."""
    publish(TABLE)
    turn = answered(monkeypatch, ROW)
    Page.objects.update(text="All is new.")
    assert shown(turn).claims[0].under == "Chest infection › Treatment"
