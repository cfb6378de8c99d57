"""Test which pairs of statements count as a conflict of guidelines."""

import datetime
from typing import Any

import pytest

from chat.caveats.cautions import conflict_caution
from chat.caveats.conflicts import Conflict, conflicts
from chat.evidence.quotable import quotable_units
from chat.models import ClaimKind
from chat.types import DraftClaim
from chat.verification.verify import verify
from corpus.models import Document
from retrieval.types import Hit
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish
from tests.tables import cases

pytestmark = pytest.mark.django_db


Guideline = tuple[str, str]  # title, and the text below it
HYPO, HYPO_EAST = "Hypoglycaemia in adults", "Hypoglycaemia in Eastvale"


def told(hits: tuple[Hit, ...], document: Document) -> tuple[DraftClaim, ...]:
    """Return all statements of a document as claims."""
    own = [hit for hit in hits if hit.document_id == document.pk]
    return tuple(DraftClaim(unit.text, unit.quotes) for unit in quotable_units(own, ""))


def found(question: str, ours: Guideline, theirs: Guideline, **fields: Any) -> tuple[Conflict, ...]:
    """Publish two guidelines; return the conflicts of an answer from the first.

    `fields` are for the first document, those that begin with `theirs_` for the second.
    """
    of_theirs = {k.removeprefix("theirs_"): v for k, v in fields.items() if k.startswith("theirs_")}
    of_ours = {k: v for k, v in fields.items() if not k.startswith("theirs_")}
    first = publish(f"# {ours[0]}\n{ours[1]}", title=ours[0], **of_ours)
    second = publish(f"# {theirs[0]}\n{theirs[1]}", title=theirs[0], **of_theirs)
    hits = hits_for(question)
    assert {hit.document_id for hit in hits} >= {first.pk, second.pk}
    return conflicts(told(hits, first), hits, question)


@pytest.mark.parametrize("row", cases(__file__, "conflicts.tsv"), ids="|".join)
def test_disagreement_is_found(row: list[str]) -> None:
    kind, question, title, text, their_title, their_text, people, their_people = row
    fields = {"population": people, "theirs_population": their_people}
    given = {name: value for name, value in fields.items() if value}
    seen = found(question, (title, text), (their_title, their_text), **given)
    assert [conflict.kind for conflict in seen] == ([kind] if kind else [])
    for conflict in seen:
        assert conflict.theirs.kind is ClaimKind.CAUTION
        assert all(verdict.supported for verdict in verify([conflict.ours, conflict.theirs]))


ASKED = "When is glucose rechecked after hypoglycaemia?"
TEN = (HYPO_EAST, "Recheck the capillary glucose 10 minutes after treating hypoglycaemia.")
FIFTEEN = (HYPO, "Recheck the capillary glucose 15 minutes after treating hypoglycaemia.")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"authority": "trust", "theirs_authority": "national"},
            "Hypoglycaemia in Eastvale (national): 10 minutes. "
            "Hypoglycaemia in adults (trust-wide): 15 minutes.",
        ),
        (
            {
                "issuer": "Northfield",
                "theirs_issuer": "Eastvale",
                "effective_from": datetime.date(2024, 1, 1),
                "theirs_effective_from": datetime.date(2025, 2, 1),
            },
            "Eastvale (local, 2025): 10 minutes. Northfield (local, 2024): 15 minutes.",
        ),
        (
            {"year": 2019, "theirs_year": 2012},
            "Hypoglycaemia in adults (local, 2019): 15 minutes. "
            "Hypoglycaemia in Eastvale (local, 2012): 10 minutes.",
        ),
        (
            {"issuer": "North", "theirs_issuer": "North"},
            "North, Hypoglycaemia in adults (local): 15 minutes. "
            "North, Hypoglycaemia in Eastvale (local): 10 minutes.",
        ),
    ],
)
def test_who_says_what_is_told_in_the_order_of_precedence(
    fields: dict[str, Any], words: str
) -> None:
    (conflict,) = found(ASKED, FIFTEEN, TEN, **fields)
    told = conflict_caution(conflict, (conflict.ours, conflict.theirs))
    assert told.text == f"Guidelines differ (after how long). {words}"


def test_what_was_not_let_through_is_told_by_its_place_alone() -> None:
    (conflict,) = found(ASKED, FIFTEEN, TEN, issuer="Northfield", theirs_issuer="Eastvale")
    told = conflict_caution(conflict, (conflict.ours,)).text
    assert "Northfield (local): 15 minutes. Eastvale (local): see Hypoglycaemia in Eastvale" in told
    assert "10 minutes" not in told
    assert "15 minutes" not in conflict_caution(conflict, ()).text


def test_statements_of_one_answer_that_disagree_are_told_once() -> None:
    first, second = publish(f"# {FIFTEEN[0]}\n{FIFTEEN[1]}"), publish(f"# {TEN[0]}\n{TEN[1]}")
    hits = hits_for(ASKED)
    claims = told(hits, first) + told(hits, second)
    (conflict,) = conflicts(claims, hits, ASKED)
    stored = conflict_caution(conflict, claims).as_dict()
    assert stored["claims"] == [1, 2]
    assert stored["code"] == "conflict"
    assert FIFTEEN[1] not in stored["text"] and TEN[1] not in stored["text"]
    assert set(stored["documents"]) == {first.sha256, second.sha256}


def test_one_document_and_no_claims_have_none() -> None:
    publish("# Hypoglycaemia\n" + FIFTEEN[1] + "\n" + TEN[1])
    hits = hits_for(ASKED)
    claims = told(hits, Document.objects.get())
    assert claims
    assert conflicts(claims, hits, ASKED) == ()
    assert conflicts((), hits, ASKED) == ()


def test_guidance_for_other_people_than_asked_is_not_compared() -> None:
    children = ("Hypoglycaemia: all", TEN[1].replace("hypoglycaemia", "hypoglycaemia in children"))
    adults = (FIFTEEN[0], FIFTEEN[1].replace("hypoglycaemia", "hypoglycaemia in adults"))
    assert found("When is glucose rechecked in adults?", adults, children) == ()
