"""Test that rows of a table are shown as one table, with cells that statement and page have."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from chat.api.answers import turn_payload
from chat.models import Reason, Turn
from chat.selectors import audited_turns
from chat.web.presentation import shown_turns
from chat.web.statements.excerpts import ExcerptPart, excerpt_parts
from corpus.models import Page
from tests.chat.web.pages import text_of, thread
from tests.chat.web.test_tables import CAPTION, FIRST, OTHER, QUESTION, ROW, TABLE, answered, shown
from tests.chat.web.test_views import refused
from tests.corpora import publish

SENTENCE = "Zelomycin is given by mouth."
NOTED = TABLE.replace("150 mg", "150 mg*").replace("300 mg", "300 mg*")
HEADS = ["Age", "Dose"]

pytestmark = pytest.mark.django_db


def page_of(turn: Turn, reader: User, client: Client) -> str:
    client.force_login(reader)
    page: bytes = client.get(thread(turn.conversation_id)).content
    return page.decode()


def table_of(page: str) -> str:
    (table,) = re.findall(r"<table.*?</table>", page, flags=re.DOTALL)
    return str(table)


def test_rows_stand_in_one_table_below_one_caption_and_heads(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    publish(TABLE)
    page = page_of(answered(monkeypatch, ROW, user=alice), alice, client)
    table = table_of(page)
    assert table.count(CAPTION) == 1 == table.count("<caption>")
    heads = re.findall(r'<th scope="col"[^>]*>([^<]+)</th>', table)
    assert heads == HEADS
    rows = re.findall(r'<th scope="row"[^>]*>([^<]+?) ?<.*?<td[^>]*>([^<]+)</td>', table, re.DOTALL)
    assert rows == [
        ("1 to 5 years", "150 mg"), ("6 to 12 years", "300 mg"), ("Over 12 years", "500 mg"),
    ]  # fmt: skip
    assert re.findall(r'<tr role="row" class="(\w+)">', table) == ["other", "match", "other"]


def test_each_row_leads_to_its_page_and_one_link_names_it(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    """The one link opens the page at the row that matches."""
    publish(TABLE)
    turn = answered(monkeypatch, ROW, user=alice)
    page = page_of(turn, alice, client)
    cited = [str(claim.citations.all()[0].pk) for claim in turn.claims.all()]
    assert re.findall(r"/citation/(\d+)/", table_of(page)) == cited
    assert re.findall(r'class="citation" href="/source/citation/(\d+)/', page) == [cited[1]]
    for key in cited:
        assert client.get(f"/source/citation/{key}/", follow=True).status_code == 200


def test_what_is_copied_and_shared_has_the_rows(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, client: Client
) -> None:
    publish(TABLE)
    turn = answered(monkeypatch, ROW, user=alice)
    copied = shown(turn).plain_text
    assert "2. Row that matches the question: Chest infection" in copied
    assert "1. Another row of this table: " in copied and f"{CAPTION}: Age: 1 to 5 years" in copied
    client.force_login(alice)
    client.post(f"/conversations/{turn.conversation_id}/share/", {"shared": "yes"})
    client.force_login(bob)
    page = client.get(thread(turn.conversation_id, "shared")).content.decode()
    assert "300 mg" in table_of(page)


def test_a_german_page_says_in_german_which_row_matches(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client, settings: Settings
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    publish(TABLE)
    turn = answered(monkeypatch, ROW, user=alice)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    assert "6 to 12 years passt zur Frage" in " ".join(
        re.sub(r"<[^>]+>", " ", page_of(turn, alice, client)).split()
    )


def test_a_footnote_stands_once_below_the_table(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    publish(f"{NOTED}\n^ * Not with milk.")
    rows = [row.replace(" mg", " mg*") for row in (FIRST, ROW)]
    page = page_of(answered(monkeypatch, *rows, user=alice), alice, client)
    below = re.sub(r"<template.*?</template>", "", page.partition("</table>")[2], flags=re.DOTALL)
    assert below.count("* Not with milk.") == 1
    assert "Not with milk" not in table_of(page)


def test_a_program_is_told_heads_and_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(TABLE)
    told = turn_payload(answered(monkeypatch, ROW))["claims"]
    assert [claim["row"] for claim in told] == [
        {"caption": CAPTION, "heads": HEADS, "cells": cells, "matches": matches}
        for cells, matches in (
            (["1 to 5 years", "150 mg"], False),
            (["6 to 12 years", "300 mg"], True),
            (["Over 12 years", "500 mg"], False),
        )
    ]
    assert told[1]["text"] == "Age: 6 to 12 years; Dose: 300 mg"


@pytest.mark.usefixtures("long_table")
def test_where_nothing_tells_rows_apart_none_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    told = turn_payload(answered(monkeypatch, OTHER, ROW))["claims"]
    assert [claim["row"]["matches"] for claim in told] == [None, None]


@pytest.mark.usefixtures("long_table")
def test_rows_stand_as_on_their_page_with_the_numbers_of_the_answer(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    page = page_of(answered(monkeypatch, OTHER, ROW, user=alice), alice, client)
    table = table_of(page)
    assert re.findall(r"open its page\">(\d)</a>", table) == ["2", "1"]
    assert "2 of the 10 rows" in table


@pytest.fixture
def long_table() -> None:
    publish(TABLE + "".join(f"| {age} years | {age}0 mg |\n" for age in range(13, 20)))


def test_a_statement_between_rows_parts_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(TABLE + "".join(f"| {age} years | {age}0 mg |\n" for age in range(13, 20)))
    parts = shown(answered(monkeypatch, ROW, SENTENCE, OTHER)).parts
    assert [[each.claim.index for each in part.claims] for part in parts] == [[1], [2], [3]]
    assert [part.table is None for part in parts] == [False, True, False]


@pytest.mark.parametrize("name", ["cells", "header"])
def test_a_cell_that_the_statement_does_not_say_is_never_shown(
    name: str, monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    """Then the statement is shown as it was quoted, in a box of its own."""
    publish(TABLE)
    turn = answered(monkeypatch, ROW, user=alice)
    page = Page.objects.get()
    for block in page.blocks:
        for part in [block["table"], *block["table"]["rows"]] if block.get("table") else ():
            part.update({name: ["6 to 12 years", "900 mg"]} if name in part else {})
    page.save()
    assert [claim["row"] for claim in turn_payload(turn)["claims"] if "300" in claim["text"]] == [
        None
    ]
    found = page_of(turn, alice, client)
    assert "900 mg" not in found and "<dd>300 mg</dd>" in found


def test_what_is_closed_to_a_reader_has_no_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(TABLE)
    turn = answered(monkeypatch, ROW)
    (closed,) = shown_turns([turn], on=timezone.localdate(), readable=frozenset())
    assert [(part.table, part.first.is_hidden) for part in closed.parts] == [(None, True)] * 3
    assert "mg" not in closed.plain_text


def test_many_rows_take_no_more_queries_than_one(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    publish(TABLE)
    alone = answered(monkeypatch, ROW, read_as=("Age: 6 to 12 years",))
    all_ = answered(monkeypatch, ROW, question=f"{QUESTION}?")
    assert (alone.claims.count(), all_.claims.count()) == (1, 3)
    for key in (alone.pk, all_.pk):
        turn = audited_turns().get(pk=key)
        with django_assert_num_queries(4):  # collections, stops, pages with tables, with figures
            shown(turn)


BLOCKS: list[dict[str, Any]] = [
    {
        "start": 0,
        "table": {
            "header": ["Age", "Dose"],
            "rows": [
                {"cells": ["Child", "1 g"]},
                {"cells": ["Child", "1 g (at night)"]},
                {"cells": ["Adult", "2 g*"]},
                {"cells": ["", "3 g"]},
            ],
        },
    },
    {"start": 90},
]
CHILD, ADULT = "Age: Child; Dose: 1 g", "Age: Adult; Dose: 2 g*"


def rows(*cells: tuple[str, ...], lead: str = "", notes: tuple[str, ...] = ()) -> ExcerptPart:
    return ExcerptPart(heads=("Age", "Dose"), rows=cells, lead=lead, notes=notes)


@pytest.mark.parametrize(
    ("texts", "parts"),
    [
        (
            [f"Table 1: {CHILD}", f"{ADULT} (* At once.)"],
            [rows(("Child", "1 g"), ("Adult", "2 g*"), lead="Table 1:", notes=("* At once.",))],
        ),
        ([f"{CHILD} (at night)"], [rows(("Child", "1 g (at night)"))]),
        (["Age: Adult; Dose: 3 g"], [rows(("Adult", "3 g"))]),  # below a merged cell
        (
            [CHILD, f"Not for: {ADULT}"],
            [rows(("Child", "1 g")), rows(("Adult", "2 g*"), lead="Not for:")],
        ),
        (
            [CHILD, "Rest.", ADULT],
            [rows(("Child", "1 g")), ExcerptPart("Rest."), rows(("Adult", "2 g*"))],
        ),
        # Anything that is more, less or other than a row stays a text
        ([f"{CHILD}0"], [ExcerptPart(f"{CHILD}0")]),
        ([f"Weight: 3 kg; {CHILD}"], [ExcerptPart(f"Weight: 3 kg; {CHILD}")]),
        (["Age: Child; Dose: 9 g"], [ExcerptPart("Age: Child; Dose: 9 g")]),
        ([f"{CHILD} daily"], [ExcerptPart(f"{CHILD} daily")]),
        (["Dose: 1 g"], [ExcerptPart("Dose: 1 g")]),
        (["Age: Child: Dose: 1 g"], [ExcerptPart("Age: Child: Dose: 1 g")]),
    ],
)  # fmt: skip
def test_an_excerpt_has_the_rows_of_its_page(texts: list[str], parts: list[ExcerptPart]) -> None:
    assert list(excerpt_parts(texts, BLOCKS)) == parts


def test_without_its_page_an_excerpt_is_text() -> None:
    assert excerpt_parts([CHILD], []) == (ExcerptPart(CHILD),)


def test_a_refusal_shows_rows_as_a_table_and_marks_none(alice: User, client: Client) -> None:
    texts = [f"{CAPTION}: Age: 1 to 5 years; Dose: 150 mg", "Age: 6 to 12 years; Dose: 300 mg"]
    turn = refused(alice, Reason.WEAK_EVIDENCE, publish(TABLE), excerpt=texts)
    found = page_of(turn, alice, client)
    table = table_of(found)
    assert table.count(CAPTION) == 1 and 'scope="row"' in table and "matches" not in table
    assert "6 to 12 years 300 mg" in text_of(client.get(thread(turn.conversation_id)))
    Page.objects.update(blocks=[])
    assert "Age: 6 to 12 years; Dose: 300 mg" in re.sub(
        r"</?mark>", "", page_of(turn, alice, client)
    )
