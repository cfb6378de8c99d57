"""Test that the table which an answer refers to stands behind it."""

import pytest

from chat.caveats.referred import referred_rows
from chat.evidence.quotable import quotable_units
from chat.models import ClaimKind
from chat.types import DraftClaim
from core.language.en.statements.references import tables_referred
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

WEIGHTS = """# Tinzaparin

## Kidney function

Where the creatinine clearance is 30 or more, dose tinzaparin by weight, according to Table 1.

## Weights

Table 1. Tinzaparin by weight

| Weight (kg) | Tinzaparin |
| --- | --- |
| Less than 60 | 3,500 units |
| 60 to 89 | 4,500 units |
| 90 or more | 8,000 units |
"""


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("Give glucose by the first suitable line of Table 3.", ["Table 3"]),
        ("Clearance: 30 or more; Dose: by weight, Table 1", ["Table 1"]),
        ("If the clearance is below 30, dose by Table 2.", []),
        ("Table 4 lists the interactions.", []),
    ],
)
def test_it_finds_where_a_statement_sends_everybody(text: str, tables: list[str]) -> None:
    assert tables_referred(text) == tables


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "rows", "kind"),
    [
        ("tinzaparin for 72 kg?", ["4,500"], ClaimKind.ANSWER),
        ("dose of tinzaparin?", ["3,500", "4,500", "8,000"], ClaimKind.ROW),
    ],
)
def test_the_rows_of_the_patient_follow(question: str, rows: list[str], kind: ClaimKind) -> None:
    publish(WEIGHTS.replace("Where the creatinine clearance is 30 or more, dose", "Dose"))
    units = quotable_units(hits_for(question), question)
    claims = [DraftClaim(u.text, u.quotes) for u in units if "according to" in u.text]
    found = referred_rows(claims, question)[0]
    assert {row.kind for row in found} == {kind}
    doses = [row.text.rpartition(": ")[2] for row in found if "units" in row.text]
    assert doses == [f"{said} units" for said in rows]


@pytest.mark.django_db
def test_a_table_that_is_quoted_is_not_shown_again() -> None:
    publish(WEIGHTS)
    question = "tinzaparin for 72 kg?"
    units = quotable_units(hits_for(question), question)
    claims = [
        DraftClaim(unit.text, unit.quotes, caption=unit.caption)
        for unit in units
        if "according to" in unit.text or "4,500" in unit.text
    ]
    assert referred_rows(claims, question) == {}
