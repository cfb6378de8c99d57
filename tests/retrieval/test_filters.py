"""A reader's filters are a condition of both searches."""

import datetime
from typing import Any

import pytest

from corpus.models import SourceType
from retrieval.config import RetrievalConfig, config_from
from retrieval.pipeline import retrieve
from retrieval.types import NO_FILTERS, Filters, Query
from tests.corpora import publish

ON = datetime.date(2026, 5, 1)
TEXT = "# {title}\nThe dose of demonstracillin is 500 mg every 8 hours."
FIELDS: dict[str, dict[str, Any]] = {
    "cardiac": {"specialty": "Cardiology", "population": "adult", "year": 2019, "issuer": "Trust"},
    "renal": {"specialty": "Nephrology", "population": "adult", "year": 2024, "language": "de"},
    "child": {"specialty": "Cardiology", "population": "child", "year": 2024},
    "paper": {"source_type": SourceType.ARTICLE, "journal": "Journal of Examples"},
}


@pytest.fixture(autouse=True)
def library(db: None) -> None:
    for title, fields in FIELDS.items():
        publish(TEXT.format(title=title), title=title, **fields)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (NO_FILTERS, set(FIELDS)),
        (Filters(specialties=("Cardiology",)), {"cardiac", "child"}),
        (Filters(specialties=("cardiology", "NEPHROLOGY")), {"cardiac", "child", "renal"}),
        (Filters(specialties=("Cardiology",), populations=("adult",)), {"cardiac"}),
        (Filters(issuers=("trust",)), {"cardiac"}),
        (Filters(journals=("journal of examples",)), {"paper"}),
        (Filters(languages=("de",)), {"renal"}),
        (Filters(source_types=(SourceType.ARTICLE,)), {"paper"}),
        (Filters(year_from=2020), {"renal", "child"}),
        (Filters(year_to=2019), {"cardiac"}),
        (Filters(year_from=2024, year_to=2024, languages=("en",)), {"child"}),
        (Filters(specialties=("Astrology",)), set()),
        (Filters(specialties=("' OR true --", "%")), set()),
    ],
)
@pytest.mark.parametrize("side", ["dense=no", "lexical=none"])
def test_only_what_was_narrowed_to(filters: Filters, expected: set[str], side: str) -> None:
    config = config_from(side, base=RetrievalConfig(collapse_twins=False))
    evidence = retrieve(Query("dose of demonstracillin", on=ON, filters=filters), config)
    assert {hit.title for hit in evidence.hits} == expected
    assert evidence.trace.filters == filters


@pytest.mark.parametrize("word", ["İnfectious Diseases", "ΟΔΟΣ", "Straße", "ǅ"])
def test_what_a_document_says_is_found_by_the_same_word(word: str) -> None:
    """The database lower-cases both sides: Python lower-cases some letters otherwise."""
    publish(TEXT.format(title="abroad"), title="abroad", specialty=word)
    query = Query("dose of demonstracillin", on=ON, filters=Filters(specialties=(word,)))
    assert [hit.title for hit in retrieve(query).hits] == ["abroad"]


def test_a_filter_is_more_than_none() -> None:
    assert not NO_FILTERS
    assert Filters(year_to=2019)
