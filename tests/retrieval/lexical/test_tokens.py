"""Medical terms as people write and type them, through PostgreSQL as document and as question."""

import datetime
import re

import pytest

from corpus.models import Chunk
from retrieval.config import RetrievalConfig
from retrieval.lexical.search import asked_lexemes, search_lexical, searched_names
from retrieval.types import Query
from tests.corpora import publish
from tests.tables import cases

pytestmark = pytest.mark.django_db
TODAY = datetime.date(2026, 5, 1)
GOLDEN = cases(__file__, "tokens.tsv")


def test_the_table_is_long_enough_and_says_nothing_twice() -> None:
    assert len(GOLDEN) >= 60
    assert len({(written, asked) for written, asked, _ in GOLDEN}) == len(GOLDEN)
    assert sum(not shared for _, _, shared in GOLDEN) >= 10


@pytest.mark.parametrize(("written", "asked", "shared"), GOLDEN)
def test_is_found_by(written: str, asked: str, shared: str) -> None:
    publish(f"# Zebra\n{written}", title="Zebra")
    lexemes = asked_lexemes(asked, spelled=())
    vector = str(Chunk.objects.values_list("search_vector", flat=True).get())
    held = set(re.findall(r"'((?:[^']|'')+)':", vector))
    assert held & set(searched_names(lexemes)) == set(shared.split())
    found = search_lexical(Query(asked, on=TODAY), lexemes, RetrievalConfig())
    assert len(found.entries) == bool(shared)
