"""Test what is told as a ban: lists under a head of their own, and bans without a condition."""

import pytest

from chat.caveats.prohibitions import limit_on, prohibitions
from chat.checks.agreement import Asked, in_agreement
from chat.evidence.quotable import quotable_units
from retrieval.analysis import by_every_name
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db

NESTED = """# Clots

## Treatment

- First choice. Apixaban, unless an exclusion below applies; then dalteparin.
- No tablets. Do not use any DOAC in:
- a mechanical heart valve;
- phenytoin or carbamazepine.
- Children. Ask a haematologist.
"""


def test_a_list_under_a_run_in_head_forbids_what_is_taken() -> None:
    publish(NESTED)
    question = "on carbamazepine, new clot, is apixaban ok?"
    (first,) = prohibitions(question, "", hits_for(NESTED))
    assert first.text.endswith("Do not use any DOAC in: phenytoin or carbamazepine.")


WHEEZE = """# Bronchiolitis

## What does not help

Do not use salbutamol, ipratropium or antibiotics. Chest physiotherapy is for specialists.

## In pregnancy

Do not use salbutamol.
"""


def test_a_ban_without_a_condition_is_told_where_its_headings_allow() -> None:
    publish(WHEEZE)
    found = prohibitions("wheezy, can I try salbutamol?", "", hits_for(WHEEZE))
    (ban,) = [each.text for each in found]
    assert "salbutamol, ipratropium" in ban


def test_a_refusal_begins_with_a_limit_where_it_is_asked_whether_it_may_be() -> None:
    publish(NESTED)
    found = limit_on("can I give apixaban with itchy feet?", hits_for(NESTED))
    assert found and "Do not use any DOAC" in found.text
    assert limit_on("dose of apixaban", hits_for(NESTED)) is None


REVERSAL = """# Reversal of warfarin

## Major bleeding

Give phytomenadione (vitamin K) 5 mg intravenously, and prothrombin complex 25 units/kg.
"""


@pytest.mark.parametrize(
    ("question", "is_kept"),
    [
        ("how much vitamin K for major bleeding on warfarin?", True),  # which has two names
        ("prothrombin complex dose for a bleed on warfarin", True),
        ("prothrombin complex dose, major bleed; apixaban dose?", False),
    ],
)
def test_a_dose_under_another_medicines_name_needs_each_that_is_asked_about(
    question: str, is_kept: bool
) -> None:
    publish(REVERSAL)
    every_name = by_every_name(question)
    units = in_agreement(Asked.of(question, every_name), quotable_units(hits_for(question), ""))
    assert bool(units) is is_kept
