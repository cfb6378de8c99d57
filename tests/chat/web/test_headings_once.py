"""Test that no text for people says a statement's heading twice, and that references are one."""

import html
from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.api.answers import turn_payload
from chat.api.openai.writing import Answer, completion
from chat.evidence.quotable import quotable_units
from chat.models import Turn
from chat.reviews.services import review_flag
from chat.selectors import audited_turns, every_collection
from chat.terminal import as_text
from chat.types import DraftClaim
from chat.web.presentation import shown_turns
from corpus.positions import unsaid
from medrag_site.groups import AUDITORS
from retrieval.types import Hit
from tests.chat.generation.generators import FakeGenerator
from tests.chat.guidelines import ask
from tests.corpora import publish
from tests.corpus.admin.test_admin import member

HEADING = "3 Contraindications"
TEXT = f"# Zelomycin\n## {HEADING}\nDo not use zelomycin in children with asthma."
SAID = f"Zelomycin: {HEADING}: Do not use zelomycin in children with asthma."
REFERENCE = f"Zelomycin, version 1.0, page 1, {HEADING}"
QUESTION = "Is zelomycin contraindicated in children with asthma?"

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn(alice: User, monkeypatch: pytest.MonkeyPatch) -> Turn:
    def claims(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        (unit,) = quotable_units(hits, "")
        return (DraftClaim(unit.text, unit.quotes),)

    publish(TEXT)
    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(claims))
    asked = ask(alice, QUESTION)
    assert asked.status == "answered", asked.reason
    return audited_turns().get(pk=asked.pk)


def test_what_is_copied_from_the_page(turn: Turn) -> None:
    (shown,) = shown_turns([turn], on=timezone.localdate(), readable=every_collection())
    assert f"1. {SAID}" in shown.plain_text.splitlines()
    assert f"   {REFERENCE}" in shown.plain_text.splitlines()
    assert shown.claims[0].under == "Zelomycin"


def test_openais_form(turn: Turn) -> None:
    payload = turn_payload(turn)
    text = completion(Answer(payload, 0, "medrag"))["choices"][0]["message"]["content"]
    assert text.startswith(f"{SAID} [1]")
    assert f"[1] {REFERENCE}" in text
    assert payload["claims"][0]["citations"][0]["reference"] == REFERENCE


def test_review_and_the_turns_page(turn: Turn, bob: User) -> None:
    review = review_flag(turn, by=bob)
    client = member(bob, AUDITORS)
    for address in (
        reverse("admin:chat_turn_change", args=[turn.pk]),
        reverse("admin:chat_review_change", args=[review.pk]),
    ):
        page = html.unescape(client.get(address).content.decode())
        assert f"<li>{SAID}" in page, address
        assert f"[1] {REFERENCE}</a>" in page


def test_the_terminal(turn: Turn) -> None:
    lines = as_text(turn).splitlines()
    assert f"  1. {SAID}" in lines
    assert any(line.startswith(f"     [1] {REFERENCE}: “") for line in lines)


def test_the_page_names_it_once(turn: Turn, client: Client, alice: User) -> None:
    client.force_login(alice)
    page = client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()
    assert '<p class="under">Zelomycin</p>' in page


@pytest.mark.parametrize(
    "path, text, left",
    [
        (["A", "Not for:"], "Not for: children.", ["A"]),
        (["Avoid", "In liver disease"], "Avoid: In liver disease: 1 g.", []),
        (["Sepsis"], "Sepsis is an emergency.", ["Sepsis"]),
        (["A", "B"], "B and A", ["A", "B"]),
        ([], "Text.", []),
    ],
)
def test_a_heading_is_left_out_where_the_text_begins_with_it(
    path: list[str], text: str, left: list[str]
) -> None:
    assert unsaid(path, text) == left
