"""Test the banners of a document, without a database."""

import datetime

import pytest

from chat.caveats.notices import document_notices
from corpus.models import Document, Lifecycle

TODAY = datetime.date(2026, 6, 1)


def banners(**fields: object) -> list[tuple[str, str]]:
    document = Document(**({"lifecycle": Lifecycle.PUBLISHED} | fields))
    return [(notice.level, notice.text) for notice in document_notices(document, on=TODAY)]


def test_a_document_in_force_has_none() -> None:
    assert banners(effective_from=TODAY, review_by=TODAY) == []


def test_past_its_review_date_is_a_caution() -> None:
    ((level, text),) = banners(review_by=TODAY - datetime.timedelta(days=1))
    assert level == "caution"
    assert "31 May 2026" in text


def test_withdrawn_says_when_and_why() -> None:
    when = datetime.datetime(2026, 3, 4, tzinfo=datetime.UTC)
    ((level, text),) = banners(
        lifecycle=Lifecycle.WITHDRAWN, withdrawn_at=when, withdrawn_reason="Wrong dose."
    )
    assert level == "stop"
    assert text == "Withdrawn on 4 March 2026. Do not use. Reason: Wrong dose."


def test_superseded_names_its_successor() -> None:
    successor = Document(title="New", collection_id=7)
    old = Document(lifecycle=Lifecycle.SUPERSEDED, superseded_by=successor)
    (notice,) = document_notices(old, on=TODAY, readable={7})
    assert notice.level == "stop"
    assert notice.successor is successor


@pytest.mark.parametrize("readable", [set(), {1, 2}])
def test_a_successor_that_is_not_open_to_the_reader_is_not_named(readable: set[int]) -> None:
    successor = Document(title="New", collection_id=7)
    old = Document(lifecycle=Lifecycle.SUPERSEDED, superseded_by=successor)
    (notice,) = document_notices(old, on=TODAY, readable=readable)
    assert (notice.level, notice.successor) == ("stop", None)


@pytest.mark.parametrize("lifecycle", [Lifecycle.DRAFT, Lifecycle.REVIEW])
def test_what_was_never_published_says_so(lifecycle: Lifecycle) -> None:
    ((level, text),) = banners(lifecycle=lifecycle)
    assert level == "stop"
    assert "not published" in text


def test_not_yet_in_force_says_from_when() -> None:
    ((level, text),) = banners(effective_from=TODAY + datetime.timedelta(days=1))
    assert level == "stop"
    assert "2 June 2026" in text
