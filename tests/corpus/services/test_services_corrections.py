"""Test that a misread word is corrected, and stays so when the file is read again."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from chat.models import AuditEvent
from corpus.indexing.rows import pages_of
from corpus.models import Correction, Document, JobState, Lifecycle, Stage
from corpus.parsing.types import Block, BlockKind, Doubt, Line
from corpus.parsing.types import Page as ParsedPage
from corpus.review.corrections import (
    UNFIT,
    CorrectionsNotSeen,
    corrected,
    corrections_current,
    corrections_unseen,
    words_changed,
)
from corpus.selectors import documents_stale
from corpus.services import indexing
from corpus.services.corrections import (
    BadCorrection,
    PlaceNotFound,
    correction_make,
    correction_take_back,
)
from corpus.services.documents import NotNow
from corpus.services.indexing import document_index
from corpus.services.lifecycle import ReasonNeeded, SecondPersonNeeded, document_approve
from tests.corpus.documents import derived, ingest
from tests.corpus.stored import document_path

MISREAD = "Give 5 mg of demonstracillin once daily."
RIGHT = "Give 0.5 mg of demonstracillin once daily."
TEXT = f"""# Dosing

{MISREAD}

Measure the level after 3 hours.

| Age | Dose | Interval |
|---|---|---|
| adult | 10 mg | 8 hours |
| child | 10 mg | 12 hours |
"""
TODAY = datetime.date(2026, 5, 4)

pytestmark = pytest.mark.django_db


def indexed(text: str = TEXT, **fields: str) -> Document:
    return index(ingest(text, **fields))


def index(document: Document) -> Document:
    document_index(document.pk)
    document.refresh_from_db()
    assert document.job.state == JobState.DONE, document.job.last_error
    return document


def correct(document: Document, by: User | None = None, **changes: Any) -> Correction:
    said = {"page": 1, "block": 1, "cell": None, "as_read": MISREAD, "text": RIGHT}
    return correction_make(document, by=by, **{**said, "reason": "Lost a point.", **changes})


def correct_cell(document: Document, **changes: Any) -> Correction:
    return correct(
        document, **{"block": 3, "cell": 7, "as_read": "10 mg", "text": "5 mg", **changes}
    )


def said(document: Document) -> str:
    return "\n".join(document.chunks.values_list("text", flat=True))


def read_again(document: Document) -> None:
    call_command("reindex", document=[document.sha256])
    index(document)


def read_as(document: Document, text: str) -> None:
    """Change the file's text and read it again, as another reader would."""
    document_path(document.sha256).write_text(text)
    read_again(document)


def test_what_is_searched_has_the_right_words_and_what_was_read_is_kept(alice: User) -> None:
    document = indexed()
    before = document.pages.get()
    row = correct(document, alice)
    correct_cell(document)
    index(document)
    page = document.pages.get()
    assert RIGHT in page.text
    assert MISREAD not in page.text
    assert "child | 5 mg | 12 hours" in page.text
    assert "adult | 10 mg | 8 hours" in page.text
    assert RIGHT in said(document)
    assert page.as_read == {name: getattr(before, name) for name in ("text", "blocks", "doubts")}
    assert (row.as_read, row.text, row.made_by) == (MISREAD, RIGHT, alice)
    for chunk in document.chunks.all():
        assert chunk.text == "\n".join(page.text[a:b] for _, a, b in chunk.spans)
    table = pages_of(document)[0].blocks[3].table
    assert table is not None
    assert [page.text[r.start : r.end].split(" | ") for r in table.rows] == [
        list(r.cells) for r in table.rows
    ]
    event = AuditEvent.objects.filter(action="document.corrected").first()
    assert event is not None
    assert "demonstracillin" not in event.payload


def test_it_survives_a_new_reading_of_the_same_bytes() -> None:
    document = indexed()
    correct(document)
    index(document)
    made = derived(document)
    read_again(document)
    assert derived(document) == made
    assert document.pages.get().doubts == []
    assert not documents_stale().exists()


def test_it_moves_with_its_words_where_they_stand_once() -> None:
    document = indexed()
    correct(document)
    index(document)
    read_as(document, TEXT.replace("# Dosing", "# Dosing\n\nFor adults only."))
    assert RIGHT in document.pages.get().text
    assert document.lifecycle == Lifecycle.DRAFT


def test_what_no_longer_fits_is_a_doubt_and_takes_the_document_out_of_force() -> None:
    document = indexed()
    correct(document)
    index(document)
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    read_as(document, TEXT.replace("Give 5 mg", "Give 6 mg"))
    page = document.pages.get()
    assert "Give 6 mg" in page.text
    assert [doubt["code"] for doubt in page.doubts] == [UNFIT]
    assert document.lifecycle == Lifecycle.REVIEW
    correction_take_back(corrections_current(document).get(), by=None, reason="Read right now.")
    index(document)
    assert document.pages.get().doubts == []


def test_a_cell_follows_its_row_and_no_other_cell_of_the_same_words() -> None:
    document = indexed()
    correct_cell(document)
    index(document)
    adult, child = TEXT.splitlines()[-2:]
    swapped = TEXT.replace(f"{adult}\n{child}", f"{child}\n{adult}")
    read_as(document, swapped)
    assert "child | 5 mg | 12 hours\nadult | 10 mg | 8 hours" in document.pages.get().text
    read_as(document, swapped.replace("12 hours", "24 hours"))
    assert "5 mg |" not in document.pages.get().text
    assert [doubt["code"] for doubt in document.pages.get().doubts] == [UNFIT]


def test_another_wording_replaces_the_first_and_taking_it_back_the_last(alice: User) -> None:
    document = indexed()
    correct(document)
    latest = correct(document, text="Give 0.05 mg of demonstracillin once daily.")
    assert "Give 0.05 mg" in said(index(document))
    assert document.corrections.count() == 2
    correction_take_back(latest, by=alice, reason="The page says so.")
    assert MISREAD in said(index(document))
    page = document.pages.get()
    assert (page.as_read, page.corrected, document.corrections_key) == (None, [], "")
    with pytest.raises(NotNow):
        correction_take_back(latest, by=alice, reason="Once more.")
    assert [row.text for row in corrections_current(document)] == [MISREAD]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"block": 99}, PlaceNotFound),
        ({"as_read": "Give 4 mg of demonstracillin once daily."}, PlaceNotFound),
        ({"text": " "}, BadCorrection),
        ({"text": MISREAD}, BadCorrection),
        ({"reason": " "}, ReasonNeeded),
    ],
)
def test_what_can_not_be_a_correction_is_refused_and_changes_nothing(
    changes: dict[str, Any], error: type[Exception]
) -> None:
    document = indexed()
    with pytest.raises(error):
        correct(document, **changes)
    Document.objects.update(lifecycle=Lifecycle.WITHDRAWN)
    with pytest.raises(NotNow):
        correct(document)
    assert not Correction.objects.exists()
    assert not AuditEvent.objects.filter(action="document.corrected").exists()


def test_a_second_person_sees_it_before_it_is_in_force_again(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    for user in (alice, bob):
        user.is_superuser = True
        user.save()
    document = indexed()
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED, uploaded_by=None, published_by=bob)
    row = correct(document, alice)
    document.refresh_from_db()
    assert (document.lifecycle, document.published_by) == (Lifecycle.REVIEW, None)
    with pytest.raises(SecondPersonNeeded):
        document_approve(document, by=alice, today=TODAY, compared=[row.pk])
    with pytest.raises(CorrectionsNotSeen):
        document_approve(document, by=bob, today=TODAY)
    changed = correct(document, alice, text="Give 0.55 mg of demonstracillin once daily.")
    with pytest.raises(CorrectionsNotSeen):  # it was changed since bob looked
        document_approve(document, by=bob, today=TODAY, compared=[row.pk])
    with pytest.raises(NotNow):  # the index still has the misread words
        document_approve(document, by=bob, today=TODAY, compared=[changed.pk])
    document_approve(index(document), by=bob, today=TODAY, compared=[changed.pk])
    changed.refresh_from_db()
    assert changed.seen_by == bob
    assert changed.seen_at is not None
    assert not corrections_unseen(document).exists()


def test_a_correction_while_it_is_cut_is_in_the_index_too(monkeypatch: pytest.MonkeyPatch) -> None:
    document = ingest(TEXT)
    embed = indexing._STEPS[Stage.CHUNKED]

    def late(stored: Document, lease: Any) -> Any:
        if not Correction.objects.exists():
            correct(stored)
        return embed(stored, lease)

    monkeypatch.setitem(indexing._STEPS, Stage.CHUNKED, late)
    assert RIGHT in said(index(document))


def test_lines_and_doubts_keep_their_places() -> None:
    """A line's words stay in its box, and later offsets move."""
    text = "Give 5 mg of it\nonce daily.\nStop."
    box = (0.0, 0.0, 9.0, 9.0)
    lines = (Line(0, 15, box), Line(16, 27, box))
    blocks = (
        Block(BlockKind.PARAGRAPH, 0, 27, lines=lines),
        Block(BlockKind.PARAGRAPH, 28, 33, lines=(Line(28, 33, box),)),
    )
    page = ParsedPage(1, text, blocks, doubts=(Doubt("x", "Unsure.", 28, 33), Doubt("y", "All.")))
    row = Correction(pk=1, page=1, block=0, as_read=text[:27], around=text[:27])
    row.text = "Give 0.5 mg of it twice daily."
    made = corrected(page, [row]).page
    parts = [made.text[line.start : line.end] for block in made.blocks for line in block.lines]
    assert parts == ["Give 0.5 mg of it", "twice daily.", "Stop."]
    assert [made.text[d.start : d.end] for d in made.doubts] == ["Stop.", ""]
    assert corrected(page, []).page == page
    other = Correction(pk=2, page=1, block=0, as_read="Give", made_at=timezone.now())
    assert corrected(page, [other]).unfit == (other,)


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (MISREAD, RIGHT, ("Give 5 mg", "Give 0.5 mg")),
        ("5 mg", "0.5 mg", ("5 mg", "0.5 mg")),
        ("", "5 mg", ("", "5 mg")),
        ("Give 5 mg", "Give 5 mg daily", ("mg", "mg daily")),
        ("a a b", "a b", ("a a b", "a b")),
    ],
)
def test_only_the_words_that_differ_are_told(read: str, text: str, words: tuple[str, str]) -> None:
    assert words_changed(read, text) == words
