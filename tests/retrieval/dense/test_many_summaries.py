"""Many summaries: search compares all of them, in every scope.

5,000 passages with a summary for every four, in a database of their own; vectors of 32 dimensions.
"""

import numpy as np
import pytest
from django.db import connection, transaction

from core.rounding import COSINE_DIGITS
from corpus.encoders.registry import ActiveEncoder
from corpus.encoders.types import Vectors
from corpus.models import Chunk, SectionSummary
from retrieval.config import RetrievalConfig
from retrieval.dense import summaries
from retrieval.dense.summaries import LEAVES, SUMMARIES, search_summaries
from retrieval.types import Query, Ranking
from tests.retrieval.dense.test_dense_scopes import ON, around_centres

OF_EACH = 4  # passages
_SUMMARIES = """
INSERT INTO corpus_sectionsummary
    (document_id, encoder_id, first_index, last_index, text, embedding)
SELECT c.document_id, %(encoder)s, c.index, c.index + %(more)s, '', v.embedding::vector
FROM corpus_chunk c JOIN {table} v ON v.chunk_id = c.id WHERE c.index %% %(each)s = 0
"""


@pytest.fixture(scope="module")
def encoder(encoder: ActiveEncoder) -> ActiveEncoder:
    """Add summaries to the database of the encoder."""
    with connection.cursor() as cursor:
        parameters = {"encoder": encoder.pk, "each": OF_EACH, "more": OF_EACH - 1}
        cursor.execute(_SUMMARIES.replace("{table}", encoder.table), parameters)
    return encoder


def search(encoder: ActiveEncoder, asked: Vectors, shelf: str = "") -> Ranking:
    query = Query("", on=ON, collections=(shelf,) if shelf else ())
    config = RetrievalConfig(dense_candidates=SUMMARIES * LEAVES)
    return search_summaries(query, asked.tolist(), config, encoder)


def numpys_own(encoder: ActiveEncoder, asked: Vectors, shelf: str) -> list[int]:
    """Return the passages of the nearest summaries, those of each summary by their own cosine."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT chunk_id, embedding::real[] FROM {encoder.table}")
        exact = {chunk: float(np.asarray(made) @ asked) for chunk, made in cursor.fetchall()}
    cosines = {chunk: round(cosine, COSINE_DIGITS) for chunk, cosine in exact.items()}
    keys = dict(Chunk.objects.values_list("pk", "key"))
    at = {(doc, n): pk for pk, doc, n in Chunk.objects.values_list("pk", "document_id", "index")}
    narrowed = {"document__collection__slug": shelf} if shelf else {}
    on_shelf = SectionSummary.objects.filter(**narrowed)
    rows = on_shelf.values_list("document_id", "first_index", "last_index", "document__sha256")
    best = sorted(rows, key=lambda row: (-cosines[at[row[0], row[1]]], row[3], row[1]))[:SUMMARIES]
    leaves = [[at[doc, n] for n in range(a, b + 1) if (doc, n) in at] for doc, a, b, _ in best]
    return [pk for of_one in leaves for pk in sorted(of_one, key=lambda pk: (-cosines[pk], keys[pk]))]  # noqa: E501  # fmt: skip


@pytest.mark.parametrize("shelf", ["", "half", "rare"])
def test_all_in_scope_are_compared(encoder: ActiveEncoder, shelf: str) -> None:
    for asked in around_centres(3, seed=11):
        found = [entry.chunk_id for entry in search(encoder, asked, shelf).entries]
        expected = numpys_own(encoder, asked, shelf)
        if encoder.storage == "vector":
            assert found == expected
        else:  # in 16 bits two may be equally near
            assert len(set(found) & set(expected)) >= 0.95 * len(found) > 0


def test_equal_summaries_are_ordered_by_document_and_place(
    encoder: ActiveEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More summaries are equally near than are fetched."""
    monkeypatch.setattr(summaries, "SUMMARIES", 5)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE corpus_sectionsummary SET embedding = "
                "(SELECT min(embedding::text)::vector FROM corpus_sectionsummary)"
            )
        (asked,) = around_centres(1, seed=9)
        found = search(encoder, asked)
        expected = SectionSummary.objects.order_by("document__sha256", "first_index")[:5]
        leaves = {(row.document_id, n) for row in expected for n in range(row.first_index, row.last_index + 1)}  # noqa: E501  # fmt: skip
        kept = Chunk.objects.in_bulk([entry.chunk_id for entry in found.entries]).values()
        assert {(chunk.document_id, chunk.index) for chunk in kept} == leaves
        transaction.set_rollback(True)
