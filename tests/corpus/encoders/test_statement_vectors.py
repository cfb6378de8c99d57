"""Test that statements are encoded when a document is indexed, and their vectors used later."""

from collections.abc import Sequence

import numpy as np
import pytest

from chat.reader import choose
from chat.reader.choose import read
from corpus.encoders import statement_vectors
from corpus.encoders.batches import embedded_statement
from corpus.encoders.registry import encoder_facts, get_embedder
from corpus.encoders.types import Vectors
from corpus.models import Chunk, Document, PassageStatement, StatementVector
from corpus.services.indexing import document_index
from tests.chat.evidence.hits import hits_for
from tests.corpus.documents import guideline, ingest

pytestmark = pytest.mark.django_db
QUESTION = "What is the dose of gentamicin?"


def indexed() -> Document:
    document = ingest(guideline(sections=3))
    document_index(document.pk)
    Document.objects.filter(pk=document.pk).update(lifecycle="PUBLISHED")
    return document


def told(question: str) -> list[tuple[str, float, float, bytes]]:
    statements = read(question, hits_for(question)).statements
    return [(one.unit.text, one.score, one.odds, one.vector.tobytes()) for one in statements]


def unreachable(texts: Sequence[str]) -> Vectors:
    raise AssertionError(f"{len(texts)} statements were encoded")


def test_each_statement_has_the_vector_of_its_text_under_its_context() -> None:
    indexed()
    rows = list(PassageStatement.objects.select_related("chunk", "vector"))
    texts = [embedded_statement(row.chunk.context, row.caption, row.text) for row in rows]
    kept = statement_vectors.restored([bytes(row.vector.components) for row in rows])
    made = get_embedder().encode(texts)
    assert len(rows) >= 3
    assert np.array_equal(kept, statement_vectors.rounded(made))
    assert np.allclose((kept * made).sum(axis=1), 1, atol=1e-3)
    assert np.allclose(np.linalg.norm(kept, axis=1), 1, atol=1e-6)


@pytest.mark.usefixtures("computed_anew")
def test_a_question_encodes_no_statement_and_reads_the_same_without_what_was_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    indexed()
    with monkeypatch.context() as patched:
        patched.setattr(choose, "_made_now", unreachable)
        kept = told(QUESTION)
    StatementVector.objects.all().delete()
    assert told(QUESTION) == kept != []


def test_what_was_made_of_another_text_or_by_another_encoder_counts_as_missing() -> None:
    document = indexed()
    space = encoder_facts().space
    chunks = list(document.chunks.order_by("index"))
    assert statement_vectors.unencoded(chunks, space) == statement_vectors.Unencoded()
    everything = statement_vectors.unencoded(chunks, "another")
    assert len(everything.keys) == PassageStatement.objects.count()
    chunks[0].context = "Another title"
    changed = statement_vectors.unencoded(chunks, space)
    assert set(changed.keys) == set(chunks[0].statements.values_list("pk", flat=True)) != set()
    assert statement_vectors.read(changed.keys, changed.digests) == {}


def test_nothing_is_kept_of_a_statement_that_is_gone() -> None:
    document = indexed()
    wanted = statement_vectors.unencoded(list(document.chunks.all()), "another")
    made = statement_vectors.encode(get_embedder(), wanted)
    gone = wanted.keys[0]
    PassageStatement.objects.filter(pk=gone).delete()
    statement_vectors.write(wanted, made)
    assert set(StatementVector.objects.values_list("pk", flat=True)) == set(wanted.keys) - {gone}
    assert len(statement_vectors.read(wanted.keys, wanted.digests)) == len(wanted.keys) - 1


def test_who_goes_on_makes_those_that_lack() -> None:
    document = indexed()
    whole = dict(StatementVector.objects.values_list("pk", "components"))
    last = Chunk.objects.filter(document=document).order_by("-index")[0]
    StatementVector.objects.filter(statement__chunk=last).delete()
    assert statement_vectors.lacking(document.chunks.all()) == {last.index}
    wanted = statement_vectors.unencoded([last], encoder_facts().space)
    statement_vectors.write(wanted, statement_vectors.encode(get_embedder(), wanted))
    again = dict(StatementVector.objects.values_list("pk", "components"))
    assert {pk: bytes(each) for pk, each in again.items()} == {
        pk: bytes(each) for pk, each in whole.items()
    }
    assert statement_vectors.lacking(document.chunks.all()) == set()


def test_a_vector_rounded_twice_is_rounded_once() -> None:
    drawn = np.random.default_rng(7).normal(size=(50, 384)).astype(np.float32)
    once = statement_vectors.rounded(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))
    assert np.array_equal(statement_vectors.rounded(once), once)
    assert statement_vectors.rounded(once[:0]).shape == (0, 384)
