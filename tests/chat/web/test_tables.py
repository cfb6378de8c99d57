"""Test what is shown of the table around a cited row."""

from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat.api.answers import turn_payload
from chat.caveats.tables import rows_asked_for
from chat.evidence.quotable import quotable_units
from chat.models import Channel, Turn
from chat.selectors import audited_turns, every_collection
from chat.types import DraftClaim
from chat.web.presentation import ShownTurn, shown_turns
from corpus.models import Document, Page
from retrieval.types import Hit
from tests.chat.generation.generators import FakeGenerator
from tests.chat.guidelines import ask
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
FIRST, ROW, OTHER = "1 to 5 years | 150 mg", "6 to 12 years | 300 mg", "Over 12 years | 500 mg"

pytestmark = pytest.mark.django_db


def asked(question: str, user: User | None = None) -> Turn:
    channel = Channel.PAGE if user else Channel.COMMAND
    return ask(user, question, channel=channel)


def answered(
    monkeypatch: pytest.MonkeyPatch,
    *rows: str,
    user: User | None = None,
    read_as: tuple[str, ...] = (),
    question: str = QUESTION,
) -> Turn:
    def claims(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        units = {unit.quotes[0].text: unit for unit in quotable_units(hits, "")}
        made = [units[row] for row in rows]
        return tuple(DraftClaim(unit.text, unit.quotes, read_as=read_as) for unit in made)

    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(claims))
    turn = asked(question, user)
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


def test_a_caption_that_limits_its_rows_stands_above_them_and_is_seen_once(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    """Such a caption is quoted with each row, in front of it."""
    limiting = "Table 1. Zelomycin in children who are not septic"
    publish(TABLE.replace(CAPTION, limiting))
    turn = answered(monkeypatch, ROW, user=alice)
    rows = [claim.row for claim in shown(turn).claims]
    assert [(row.leads, row.notes) for row in rows if row] == [((limiting,), ())] * 3
    client.force_login(alice)
    page = client.get(thread(turn.conversation_id)).content.decode()
    assert page.count(f'<p class="under">{limiting}</p>') == 1
    assert page.index(limiting) < page.index("150 mg")


def test_a_small_table_is_shown_whole_with_the_matching_row_marked(
    monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    """The row beside the one that was chosen may be the right one."""
    publish(TABLE)
    turn = answered(monkeypatch, ROW, user=alice)
    found = shown(turn)
    assert [claim.claim.kind for claim in found.claims] == ["row", "answer", "row"]
    assert [claim.citations[0].quote for claim in found.claims] == [FIRST, ROW, OTHER]
    assert [claim.is_match for claim in found.claims] == [False, True, False]
    assert [claim.left_out for claim in found.claims] == [""] * 3
    told = turn_payload(turn)["claims"]
    assert [claim["kind"] for claim in told] == ["row", "answer", "row"]
    client.force_login(alice)
    page = text_of(client.get(thread(turn.conversation_id)))
    assert page.index("6 to 12 years matches") < page.index("300 mg")
    assert page.count("matches") == 1


def test_a_table_is_shown_whole_from_a_document_that_waits_to_be_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = publish(TABLE)
    Document.objects.filter(pk=document.pk).update(statements_version="older")
    found = shown(answered(monkeypatch, ROW))
    assert [claim.citations[0].quote for claim in found.claims] == [FIRST, ROW, OTHER]


def test_rows_that_a_model_put_into_words_bring_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(TABLE)
    assert len(shown(answered(monkeypatch, ROW, read_as=("Age: 6 to 12 years",))).claims) == 1


def test_of_rows_that_a_number_selects_no_other_is_shown() -> None:
    """Another row of a dosing table is a wrong dose."""
    publish(TABLE)
    turn = asked("zelomycin dose in chest infection, he is 8 years old")
    assert [claim.kind for claim in turn.claims.all()] == ["answer"]
    assert "300 mg" in turn.claims.get().text


def test_rows_of_other_medicines_than_the_one_asked_about_are_named_only() -> None:
    publish("""# Shock in children
## Infusions
| Drug | Dose |
| Noradrenaline | 0.1 to 2 micrograms/kg/min |
| Dobutamine | 5 to 20 micrograms/kg/min |
""")
    turn = asked("What is the dose of noradrenaline in shock in children?")
    found = shown(audited_turns().get(pk=turn.pk))
    assert [claim.claim.kind for claim in found.claims] == ["answer"]
    assert found.claims[0].left_out.endswith("Not shown: Dobutamine.")


def test_rows_of_another_form_of_the_medicine_are_named_only() -> None:
    publish("""# Fungal infection
## Products
| Product | Daily dose |
| AmBisome (liposomal amphotericin B) | 3 mg/kg |
| Fungizone (conventional amphotericin B) | 1 mg/kg |
""")
    turn = asked("What is the daily dose of Fungizone in fungal infection?")
    found = shown(audited_turns().get(pk=turn.pk))
    assert [claim.claim.text.count("1 mg/kg") for claim in found.claims] == [1]
    left_out = "Not shown: AmBisome (liposomal amphotericin B)."
    assert found.claims[0].left_out.endswith(left_out)


@pytest.fixture
def long_table() -> None:
    rows = "".join(f"| {age} years | {age}0 mg |\n" for age in range(13, 20))
    publish(TABLE + rows)


@pytest.mark.usefixtures("long_table")
def test_a_long_table_names_the_rows_that_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shown(answered(monkeypatch, ROW, OTHER))
    first, last = found.claims
    assert first.left_out.endswith(
        "1 to 5 years; 13 years; 14 years; 15 years; 16 years; 17 years; 18 years; 19 years."
    )
    assert first.left_out in found.plain_text
    assert (last.left_out, first.is_match) == ("", False)


@pytest.mark.usefixtures("long_table")
def test_a_program_is_told_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = answered(monkeypatch, ROW, OTHER)
    told = turn_payload(turn)["claims"]
    expected = [(claim.under, claim.left_out or None) for claim in shown(turn).claims]
    assert [(claim["under"], claim["left_out"]) for claim in told] == expected
    assert CAPTION in told[0]["under"]
    assert told[0]["left_out"].startswith("2 of the 10 rows")


def test_a_row_that_is_not_found_again_stands_under_its_headings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is guessed of a document that was read again or is gone."""
    publish(TABLE)
    turn = answered(monkeypatch, ROW)
    Page.objects.update(text="All is new.")
    assert shown(turn).claims[0].under == "Chest infection › Treatment"


CHOICES = [
    "Choice: First; Antibiotic: Nitrofurantoin 100 mg",
    "Choice: Second; Antibiotic: Amoxicillin 500 mg",
    "Choice: Third; Antibiotic: Cefalexin 500 mg",
]
AGES = ["Age: Over 12 years; Dose: 500 mg", "Age: 6 to 12 years; Dose: 300 mg"]
MONTHS = ["Group: 3 to 5 months; Dose: 60 mg", "Group: 4 to 5 years; Dose: 240 mg"]


@pytest.mark.parametrize(
    ("rows", "question", "places"),
    [
        (CHOICES, "antibiotic for cystitis in pregnancy", set()),
        (CHOICES, "third choice for cystitis in pregnancy", {2}),
        (CHOICES, "dose of cefalexin in cystitis", {2}),
        (CHOICES, "amoxicillin or cefalexin in cystitis", {1, 2}),
        (CHOICES, "cystitis, allergic to amoxicillin, which antibiotic", set()),
        (AGES, "dose in adults", {0}),
        (AGES, "dose of adrenaline", set()),
        (AGES, "dose at 8 years of age", {1}),
        (AGES, "he turned 12 last week", set()),
        (MONTHS, "calpol 4 mnth old how many mg", {0}),
        (MONTHS, "how many mg at 4", set()),
    ],
)
def test_rows_are_told_apart_by_what_the_question_says_of_them(
    rows: list[str], question: str, places: set[int]
) -> None:
    assert rows_asked_for(question, rows) == places


def test_no_row_is_marked_where_the_question_fits_all_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(TABLE)
    found = shown(
        answered(monkeypatch, ROW, question="What is the dose of zelomycin in chest infection?")
    )
    assert [claim.beside for claim in found.claims] == ["", "", ""]
