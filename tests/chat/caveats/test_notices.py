"""Test the banners of a document, without a database."""

import datetime

import pytest

from chat.caveats.notices import document_notices
from corpus.models import Document, Lifecycle
from corpus.stops import Stops

TODAY, A_DAY = datetime.date(2026, 6, 1), datetime.timedelta(days=1)
WITHDRAWN = {
    "lifecycle": Lifecycle.WITHDRAWN,
    "withdrawn_at": datetime.datetime(2026, 3, 4, tzinfo=datetime.UTC),
    "withdrawn_reason": "Wrong dose.",
}


def test_a_document_in_force_has_none() -> None:
    document = Document(lifecycle=Lifecycle.PUBLISHED, effective_from=TODAY, review_by=TODAY)
    assert document_notices(document, on=TODAY, stops=Stops()) == ()


@pytest.mark.parametrize(
    ("fields", "level", "code", "said"),
    [
        ({"review_by": TODAY - A_DAY}, "caution", "review_due", "31 May 2026"),
        ({"effective_from": TODAY + A_DAY}, "stop", "not_in_force", "2 June 2026"),
        ({"lifecycle": Lifecycle.DRAFT}, "stop", "unpublished", ""),
        ({"lifecycle": Lifecycle.REVIEW}, "stop", "unpublished", ""),
        (WITHDRAWN, "stop", "withdrawn", "4 March 2026"),
        (WITHDRAWN, "stop", "withdrawn", "Wrong dose."),
    ],
)
def test_what_is_not_simply_in_force_says_so(
    fields: dict[str, object], level: str, code: str, said: str
) -> None:
    document = Document(**({"lifecycle": Lifecycle.PUBLISHED} | fields))
    (notice,) = document_notices(document, on=TODAY, stops=Stops())
    assert (notice.level, notice.code) == (level, code)
    assert said in notice.text


def test_superseded_names_its_successor() -> None:
    successor = Document(title="New", collection_id=7)
    old = Document(lifecycle=Lifecycle.SUPERSEDED, superseded_by=successor)
    (notice,) = document_notices(old, on=TODAY, stops=Stops(), readable={7})
    assert notice.level == "stop"
    assert notice.successor is successor


@pytest.mark.parametrize("readable", [set(), {1, 2}])
def test_a_successor_that_is_not_open_to_the_reader_is_not_named(readable: set[int]) -> None:
    successor = Document(title="New", collection_id=7)
    old = Document(lifecycle=Lifecycle.SUPERSEDED, superseded_by=successor)
    (notice,) = document_notices(old, on=TODAY, stops=Stops(), readable=readable)
    assert (notice.level, notice.successor) == ("stop", None)
