"""Measures of whether the right document was found, and the right page cited."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.question_runs.items import NamedDocuments
from evaluation.question_runs.scoring import NO_DOCUMENT, NOT_HERE, source_scores
from evaluation.question_runs.selectors import card_read
from evaluation.question_runs.services import question_run_execute
from evaluation.question_runs.types import MeasuredItem
from tests.chat.guidelines import publish_guideline
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set

ITEM = MeasuredItem(
    "Q?",
    "answerable",
    is_refused=False,
    relevant=("a.pdf", "b.pdf", "gone.pdf"),
    page=3,
    in_force=frozenset({"a.pdf", "b.pdf"}),
    found=("x", "x", "a.pdf", "x", "y"),
    cited=(("a.pdf", 3), ("a.pdf", 4), ("x", 3), ("a.pdf", 3)),
)


def test_by_hand() -> None:
    ideal = 1 + 1 / math.log2(3)  # two relevant documents
    assert source_scores(ITEM)[0] == pytest.approx(
        {
            "document success@1": 0.0,
            "document recall@5": 1 / 2,
            "document nDCG@5": (1 / math.log2(3)) / ideal,  # a.pdf is second, x counts once
            "document recall@10": 1 / 2,
            "document nDCG@10": (1 / math.log2(3)) / ideal,
            "right document cited": 3 / 4,
            "right page cited": 2 / 3,
        }
    )


def test_what_can_not_be_told_says_why() -> None:
    assert source_scores(replace(ITEM, relevant=()))[1] == {"documents found": NO_DOCUMENT}
    assert source_scores(replace(ITEM, in_force=frozenset()))[1] == {"documents found": NOT_HERE}
    assert "right page cited" not in source_scores(replace(ITEM, page=None))[0]
    assert "right document cited" not in source_scores(replace(ITEM, is_refused=True))[0]
    nothing = source_scores(replace(ITEM, found=(), cited=()))[0]
    assert set(nothing.values()) == {0.0}


@pytest.mark.django_db
def test_of_a_run() -> None:
    document = publish_guideline(picture=False)
    named = [
        replace(ITEMS[0], key=key, relevant=(key,), page=1)
        for key in (document.filename, document.sha256)
    ]
    run = run_of(stored_set((*named, replace(ITEMS[0], relevant=("other.pdf",)))), measures=())
    question_run_execute(run)
    card = card_read(run)
    for measure in ("document success@1", "document nDCG@10", "right document cited"):
        assert (card.measures[measure].mean, card.measures[measure].n) == (1.0, 2)
    assert card.measures["right page cited"].n == 2
    assert card.not_run["documents found"] == {NOT_HERE: 1}


def test_a_document_is_named_by_its_file_with_its_ending_or_without(db: None) -> None:
    """Published sets name an abstract by its number, and its file is `12377809.xml`."""
    document = publish_guideline()
    stem = Path(document.filename).stem
    assert stem != document.filename
    for name in (document.filename, stem, document.sha256):
        assert NamedDocuments([name, "another"]).in_force == {name}
    assert not NamedDocuments([stem[:-1]]).in_force & {stem[:-1]}
