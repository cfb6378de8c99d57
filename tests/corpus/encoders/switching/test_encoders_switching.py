"""Test a new encoder beside the old one, and the switch to it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from pytest_django import Settings

from corpus.encoders import statement_vectors, vectors
from corpus.encoders.batches import BATCH, encode_rows
from corpus.encoders.registry import active_encoders, encoder_facts
from corpus.encoders.types import Embedder, Vectors
from corpus.indexing.vector_index import FILLING
from corpus.models import (
    Chunk,
    Document,
    Encoder,
    EncoderState,
    JobState,
    SectionSummary,
    Stage,
    StatementVector,
)
from corpus.services import encoders
from corpus.services.encoders import encoder_reembed, encoder_switch, encoders_sync
from corpus.services.indexing import document_index
from corpus.services.summaries import documents_to_summarise
from retrieval.pipeline import retrieve
from tests.corpus.documents import guideline, ingest
from tests.corpus.encoders.encoder_sites import (
    ASKED,
    Site,
    building,
    everything,
    has_index,
    indexed,
    searched,
    states,
    tables,
)


def test_what_asks_may_change_without_new_vectors(site: Site, encoder_models: Path) -> None:
    site.configure(one="one")
    encoders_sync()
    encoders_sync()  # drops the bundled encoder's vectors
    indexed()
    before = tables()
    site.configure(one='one query_prefix = "query "')
    assert encoders_sync() == encoders.Synced()
    assert (tables(), Encoder.objects.get(name="one").spec["query_prefix"]) == (before, "query ")


def test_statements_have_vectors_of_the_new_one_too(site: Site) -> None:
    document = indexed()
    site.configure(minilm="wide")
    encoders_sync()
    encoder_reembed(building())
    space = encoder_facts().space
    assert statement_vectors.unencoded(list(document.chunks.all()), space).keys == ()
    kept = StatementVector.objects.values_list("components", flat=True)
    assert {len(bytes(each)) for each in kept} == {64}


def test_the_old_one_is_searched_until_the_new_one_has_every_vector(site: Site) -> None:
    indexed()
    before = retrieve(ASKED)
    site.configure(minilm="wide")
    assert encoders_sync().made == ("minilm",)
    assert states() == {"minilm:384": "ACTIVE", "minilm:64": "BUILDING"}
    assert retrieve(ASKED).hits == before.hits
    new = building()
    assert not encoder_switch(new)
    seen: list[tuple[int, int]] = []

    def look(done: int, total: int) -> None:
        seen.append((done, total))
        assert retrieve(ASKED).hits == before.hits

    encoder_reembed(new, on_progress=look)
    total = Chunk.objects.count()
    assert (seen[0], seen[-1]) == ((0, total), (total, total))
    assert states() == {"minilm:384": "RETIRED", "minilm:64": "ACTIVE"}
    after = retrieve(ASKED)
    assert after.trace.fingerprint != before.trace.fingerprint
    assert {hit.key for hit in after.hits} == {hit.key for hit in before.hits}
    assert has_index(new)
    assert len(tables()) == 2
    assert encoders_sync().dropped == ("minilm",)
    assert tables() == {new.table}
    assert retrieve(ASKED).hits == after.hits


def test_a_new_primary_takes_its_place_only_when_it_is_made(site: Site) -> None:
    """Until then the old one stays the primary one, whose cosine the gate reads."""
    site.configure(minilm="bundled", one="one")
    encoders_sync()
    indexed()
    site.configure(wide="wide", one="one")
    encoders_sync()
    assert searched() == ["minilm", "one"]
    encoder_reembed(building())
    assert searched() == ["wide", "one"]
    encoders_sync()
    assert states() == {"one:32": "ACTIVE", "wide:64": "ACTIVE"}


def test_one_that_is_taken_out_does_not_become_the_primary_one_meanwhile(site: Site) -> None:
    site.configure(minilm="bundled", one="one")
    encoders_sync()
    indexed()
    for names in ({"minilm": "bundled", "wide": "wide"}, {"wide": "wide", "minilm": "bundled"}):
        site.configure(**names)
        encoders_sync()
        assert searched() == ["minilm", "one"]
    encoder_reembed(building())
    assert searched() == ["wide", "minilm"]


def test_one_that_is_taken_out_of_the_file_is_not_searched_any_more(site: Site) -> None:
    site.configure(minilm="bundled", one="one")
    encoders_sync()
    indexed()
    site.configure(minilm="bundled")
    encoders_sync()
    assert searched() == ["minilm"]
    assert encoders_sync().dropped == ("one",)
    assert len(tables()) == 1


def test_a_change_that_is_taken_back_leaves_nothing(site: Site) -> None:
    indexed()
    site.configure(minilm="wide")
    encoders_sync()
    first = Chunk.objects.values_list("pk", flat=True)[0]
    vectors.write(building(), [first], np.eye(1, 64, dtype=np.float32))
    site.configure(minilm="bundled")
    assert encoders_sync() == encoders.Synced(dropped=("minilm",))
    assert states() == {"minilm:384": "ACTIVE"}
    assert len(tables()) == 1


def test_a_table_of_another_kind_is_made_anew(site: Site) -> None:
    indexed()
    site.configure(minilm='bundled storage = "vector"')
    encoders_sync()
    encoder_reembed(building())
    (encoder,) = active_encoders()
    assert encoder.storage == "vector"
    assert retrieve(ASKED).hits


@pytest.fixture
def read_again(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list to which the chunks that are encoded from now on are added."""
    found: list[int] = []

    def looked_at(embedder: Embedder, rows: Sequence[Chunk]) -> Vectors:
        found.extend(row.pk for row in rows)
        return encode_rows(embedder, rows)

    monkeypatch.setattr(encoders, "encode_rows", looked_at)
    return found


@pytest.mark.parametrize(
    ("before", "after", "encoded"),
    [
        ("bundled", "bundled m = 24", 0),
        ('bundled storage = "vector"', "bundled", 0),
        ("bundled", 'bundled storage = "vector"', 3),  # 32 bits can't be recovered from 16
        ("bundled", 'bundled passage_prefix = "text: "', 3),
    ],
)
def test_the_same_vectors_are_not_computed_again(
    site: Site, read_again: list[int], before: str, after: str, encoded: int
) -> None:
    site.configure(minilm=before)
    encoders_sync()
    indexed(sections=3)
    (old,) = vectors.searched()
    site.configure(minilm=after)
    encoders_sync()
    new = building()
    kept = everything(old)
    encoder_reembed(new)
    assert len(read_again) == encoded
    if before == "bundled" and not encoded:
        assert everything(new) == kept
    assert [row.pk for row in vectors.searched()] == [new.pk]


def test_a_batch_that_lacks_one_vector_is_encoded_whole(site: Site, read_again: list[int]) -> None:
    indexed(sections=20)
    (old,) = vectors.searched()
    first, *others = Chunk.objects.order_by("index").values_list("pk", flat=True)
    site.configure(minilm="bundled m = 24")
    encoders_sync()
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {old.table} WHERE chunk_id = %s", [first])
    encoder_reembed(building())
    assert read_again == [first, *others[: BATCH - 1]]


@pytest.mark.parametrize(("after", "is_kept"), [("bundled m = 24", True), ("one", False)])
def test_summaries_stay_where_their_vectors_would_be_the_same(
    site: Site, settings: Settings, after: str, is_kept: bool
) -> None:
    settings.SUMMARIES = "extractive"
    indexed(sections=20)
    assert SectionSummary.objects.exists() and not documents_to_summarise().exists()
    site.configure(minilm=after)
    encoders_sync()
    encoder_reembed(building())
    assert encoders_sync().dropped == ("minilm",)
    assert SectionSummary.objects.exists() is is_kept
    assert documents_to_summarise().exists() is not is_kept


def test_a_document_that_is_indexed_meanwhile_is_waited_for(site: Site) -> None:
    indexed()
    site.configure(minilm="one")
    encoders_sync()
    new = building()
    late: list[Document] = []

    def look(done: int, total: int) -> None:
        if done == total and not late:
            late.append(ingest(guideline("# Tobramycin")))
            document_index(late[0].pk)

    encoder_reembed(new, on_progress=look)
    assert states() == {"minilm:384": "RETIRED", "minilm:32": "ACTIVE"}
    assert vectors.progress(new) == (Chunk.objects.count(),) * 2
    assert late[0].chunks.exists()


def test_one_that_was_embedded_before_the_switch_is_embedded_again(site: Site) -> None:
    indexed()
    document = ingest(guideline("# Tobramycin"))
    document_index(document.pk)
    job = document.job
    Document.objects.filter(pk=document.pk).update(indexed_at=None)
    type(job).objects.filter(pk=job.pk).update(state=JobState.PENDING, stage=Stage.EMBEDDED)
    site.configure(minilm="bundled", one="one")
    encoders_sync()
    encoder_reembed(building())
    made_by_one = Encoder.objects.get(name="one")
    assert vectors.lacking(made_by_one, document.chunks.all())
    document_index(document.pk)
    document.job.refresh_from_db()
    assert (document.job.state, document.job.stage) == (JobState.DONE, Stage.INDEXED)
    assert not vectors.lacking(made_by_one, document.chunks.all())


def test_only_one_process_makes_the_vectors_of_an_encoder(site: Site) -> None:
    indexed()
    site.configure(minilm="one")
    encoders_sync()
    new = building()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [FILLING, new.pk])
        with pytest.raises(CommandError, match="another process"):
            call_command("reembed")
        call_command("reembed", background=True)
        assert states()["minilm:32"] == "BUILDING"
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [FILLING, new.pk])
    call_command("reembed")
    assert states()["minilm:32"] == "ACTIVE"


def test_a_document_waits_for_the_first_encoder(site: Site) -> None:
    Encoder.objects.update(state=EncoderState.BUILDING)
    document = ingest(guideline(sections=1))
    document_index(document.pk)
    job = document.job
    job.refresh_from_db()
    assert job.state == JobState.PENDING  # not failed
    assert "reembed" in job.last_error
    encoder_reembed(building())
    document_index(document.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE
