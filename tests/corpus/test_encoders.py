"""Several encoders at once, a new one beside the old, and the moment when it takes over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections, transaction
from pytest_django import Settings

from corpus import vectors
from corpus.checks import check_models
from corpus.encoders.registry import (
    EncoderUnavailable,
    active_encoders,
    embedder_of,
    get_embedder,
    searched_rows,
)
from corpus.models import Chunk, Document, Encoder, EncoderState, JobState, Lifecycle, Stage
from corpus.services import encoders
from corpus.services.encoders import encoder_reembed, encoder_switch, encoders_sync
from corpus.services.indexing import document_index
from retrieval.config import RetrievalConfig, config_from
from retrieval.pipeline import retrieve
from retrieval.types import Query
from tests.corpora import publish
from tests.corpus.documents import guideline, ingest
from tests.corpus.encoders import tiny_models
from tests.processes import ROOT

TEXT = "# Gentamicin\nGentamicin is given once daily.\n# Warfarin\nWarfarin for stroke in adults."
ASKED = Query("gentamicin once daily", on=date(2026, 5, 1))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`one` and `two` make 32 dimensions, `wide` makes 64."""
    folder = tmp_path_factory.mktemp("encoders")
    for seed, (name, width) in enumerate((("one", 32), ("two", 32), ("wide", 64)), start=1):
        tiny_models.transformer(folder / name, width=width, seed=seed)
    return folder


class Site:
    """The file of a site's encoders, written anew for each change."""

    def __init__(self, settings: Settings, folder: Path, models: Path) -> None:
        self._settings, self._folder, self._models, self._count = settings, folder, models, 0

    def configure(self, **tables: str) -> None:
        """An encoder for each keyword: `bundled`, or a model's folder with more of its table."""
        lines = []
        for name, said in tables.items():
            model, _, more = said.partition(" ")
            path = model if model == "bundled" else self._models / model
            pooling = "" if model == "bundled" else 'pooling = "mean"\n'
            lines.append(f'[{name}]\nmodel = "{path}"\n{pooling}{more}\n')
        self._count += 1
        path = self._folder / f"encoders-{self._count}.toml"
        path.write_text("\n".join(lines))
        self._settings.ENCODERS = str(path)


@pytest.fixture
def site(own_database: str, settings: Settings, tmp_path: Path, models: Path) -> Site:
    return Site(settings, tmp_path, models)


def states() -> dict[str, str]:
    return {f"{row.name}:{row.dimensions}": row.state for row in Encoder.objects.order_by("pk")}


def searched() -> list[str]:
    return [row.name for row in searched_rows()]


def tables() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class "
            "WHERE relname LIKE 'corpus\\_vectors\\_%' AND relkind = 'r'"
        )
        return {name for (name,) in cursor.fetchall()}


def indexed(sections: int = 3) -> Document:
    document = ingest(guideline(sections=sections))
    document_index(document.pk)
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    return Document.objects.get(pk=document.pk)


def building() -> Encoder:
    return Encoder.objects.get(state=EncoderState.BUILDING)


def test_without_a_file_the_bundled_one_is_searched(own_database: str) -> None:
    (encoder,) = active_encoders()
    assert (encoder.name, encoder.storage, encoder.dimensions) == ("minilm", "vector", 384)
    assert encoder.embedder is get_embedder()
    assert tables() == {encoder.table}
    assert encoders_sync() == encoders.Synced()


def test_before_anything_is_indexed_each_is_searched_at_once(site: Site) -> None:
    site.configure(minilm="bundled", one="one", wide='wide storage = "halfvec"')
    assert encoders_sync().activated == ("one", "wide")
    assert searched() == ["minilm", "one", "wide"]
    document = indexed()
    rows = Encoder.objects.order_by("pk")
    assert [vectors.progress(row) for row in rows] == [(document.chunks.count(),) * 2] * 3
    for row in rows:
        chunk = document.chunks.first()
        assert chunk is not None
        kept = vectors.read(row, [chunk.pk])[chunk.pk]
        made = embedder_of(row).encode([f"{chunk.context}\n{chunk.text}"])[0]
        assert kept.shape == (row.dimensions,)
        assert float(kept @ made) == pytest.approx(1.0, abs=2e-3)


def test_every_encoder_has_a_ranking_of_its_own_and_the_first_gives_the_cosine(site: Site) -> None:
    site.configure(minilm="bundled", one="one", wide='wide storage = "halfvec"')
    encoders_sync()
    indexed()
    names = ["dense:minilm", "dense:one", "dense:wide"]
    for fusion in ("rrf", "convex", "sum"):
        config = encoders_config(fusion=fusion)
        evidence = retrieve(ASKED, config)
        assert [ranking.name for ranking in evidence.trace.rankings] == ["lexical", *names]
        assert all(ranking.entries for ranking in evidence.trace.rankings)
        best = evidence.hits[0]
        own = get_embedder().encode([f"{best.context}\n{best.text}"])[0]
        asked = get_embedder().encode_queries([ASKED.text])[0]
        assert best.cosine == pytest.approx(float(own @ asked), abs=1e-3)
        assert retrieve(ASKED, config).hits == evidence.hits
    one = retrieve(ASKED, encoders_config(encoders="wide,one"))
    assert [r.name for r in one.trace.rankings] == ["lexical", "dense:wide", "dense:one"]
    assert one.trace.fingerprint != evidence.trace.fingerprint


def encoders_config(**said: str) -> RetrievalConfig:
    return config_from(" ".join(f"{name}={value}" for name, value in said.items()))


def test_a_name_that_has_no_vectors_is_an_error(own_database: str) -> None:
    with pytest.raises(EncoderUnavailable, match="medcpt"):
        active_encoders(("medcpt",))
    Encoder.objects.all().delete()
    with pytest.raises(EncoderUnavailable, match="No encoder is set up"):
        active_encoders()


def test_questions_are_asked_by_the_second_model_and_its_prefix(site: Site, models: Path) -> None:
    site.configure(one=f'one query_model = "{models / "two"}"\nquery_prefix = "query "')
    encoders_sync()
    (pair,) = active_encoders()
    site.configure(one="two")
    second = get_embedder()
    asked = pair.embedder.encode_queries(["dose in renal failure"])[0]
    plain = second.encode_queries(["query dose in renal failure"])[0]
    assert float(asked @ plain) == pytest.approx(1.0, abs=1e-3)
    passage = pair.embedder.encode(["dose in renal failure"])[0]
    assert abs(float(asked @ passage)) < 0.99


def test_prefixes_reach_the_model(site: Site) -> None:
    site.configure(one='one passage_prefix = "passage "')
    prefixed = get_embedder().encode(["fever in child"])[0]
    site.configure(one="one")
    plain = get_embedder().encode(["passage fever in child", "fever in child"])
    assert float(prefixed @ plain[0]) == pytest.approx(1.0, abs=1e-3)
    assert float(prefixed @ plain[1]) < 0.999


def test_what_asks_may_change_without_new_vectors(site: Site, models: Path) -> None:
    site.configure(one="one")
    encoders_sync()
    encoders_sync()  # drops the bundled one's
    indexed()
    before = tables()
    site.configure(one='one query_prefix = "query "')
    assert encoders_sync() == encoders.Synced()
    assert (tables(), Encoder.objects.get(name="one").spec["query_prefix"]) == (before, "query ")


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


def has_index(encoder: Encoder) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_class WHERE relname = %s", [f"{encoder.table}_hnsw"])
        return cursor.fetchone() is not None


def test_a_new_primary_takes_its_place_only_when_it_is_made(site: Site) -> None:
    """Another name: until then the old one stays the primary one, whose cosine a gate reads."""
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
    vectors.write(building(), [Chunk.objects.values_list("pk", flat=True)[0]], np.eye(1, 64, dtype=np.float32))  # noqa: E501  # fmt: skip
    site.configure(minilm="bundled")
    assert encoders_sync() == encoders.Synced(dropped=("minilm",))
    assert states() == {"minilm:384": "ACTIVE"}
    assert len(tables()) == 1


def test_a_table_of_another_kind_is_made_anew(site: Site) -> None:
    indexed()
    site.configure(minilm='bundled storage = "halfvec"')
    encoders_sync()
    encoder_reembed(building())
    (encoder,) = active_encoders()
    assert encoder.storage == "halfvec"
    assert retrieve(ASKED).hits


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


_DYING = """
import os, signal
import django
django.setup()
from corpus import vectors
from corpus.models import Encoder
from corpus.services.encoders import encoder_reembed
written = []
write = vectors.write
def dying(*arguments):
    write(*arguments)
    written.append(1)
    if len(written) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
vectors.write = dying
encoder_reembed(Encoder.objects.get(state="BUILDING"))
"""


def test_a_kill_in_the_middle_changes_nothing_in_the_end(site: Site, settings: Settings) -> None:
    document = indexed(sections=48)
    site.configure(minilm="one")
    encoders_sync()
    new = building()
    died = subprocess.run(
        [sys.executable, "-c", _DYING],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "MEDRAG_ENCODERS": str(settings.ENCODERS),
        },
        check=False,
        timeout=300,
    )
    assert died.returncode == -signal.SIGKILL
    done, total = vectors.progress(new)
    assert 0 < done < total == document.chunks.count()
    assert searched_rows()[0].dimensions == 384
    encoder_reembed(new)
    disturbed = everything(new)
    assert len(disturbed) == total
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"DELETE FROM {new.table}")
    Encoder.objects.exclude(pk=new.pk).delete()
    Encoder.objects.update(state=EncoderState.BUILDING)
    encoder_reembed(new)
    assert everything(new) == disturbed


def everything(encoder: Encoder) -> dict[int, bytes]:
    ids = list(Chunk.objects.values_list("pk", flat=True))
    return {pk: vector.tobytes() for pk, vector in vectors.read(encoder, ids).items()}


def test_only_one_process_makes_the_vectors_of_an_encoder(site: Site) -> None:
    indexed()
    site.configure(minilm="one")
    encoders_sync()
    new = building()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [encoders._LOCK_CLASS, new.pk])
        with pytest.raises(CommandError, match="another process"):
            call_command("reembed")
        call_command("reembed", background=True)
        assert states()["minilm:32"] == "BUILDING"
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [encoders._LOCK_CLASS, new.pk])
    call_command("reembed")
    assert states()["minilm:32"] == "ACTIVE"


def test_files_that_were_replaced_under_the_vectors_are_noticed(site: Site, models: Path) -> None:
    site.configure(one="one")
    encoders_sync()
    row = searched_rows()[0]
    row.spec["model"] = str(models / "two")
    row.save()
    with pytest.raises(EncoderUnavailable, match="not those that made its vectors"):
        active_encoders()


def test_what_cannot_be_indexed_stops_the_start_by_name(site: Site, settings: Settings) -> None:
    for said, named in (
        ("wide dimensions = 32", "[minilm]: the model makes 64 dimensions, not 32"),
        ("wide dimension = 64", "[minilm]: dimension is not one of"),
        ("nowhere", "is not the folder"),
    ):
        site.configure(minilm=said)
        (fault,) = [str(message.msg) for message in check_models(None)]
        assert fault.startswith("MEDRAG_ENCODERS: ")
        assert named in fault
        with pytest.raises(ImproperlyConfigured, match="MEDRAG_ENCODERS"):
            encoders_sync()
    site.configure(minilm="bundled")
    settings.EMBEDDER = "/elsewhere"
    (fault,) = [str(message.msg) for message in check_models(None)]
    assert "only one of them" in fault


def test_the_application_can_index_a_table_and_no_more(site: Site) -> None:
    (encoder,) = searched_rows()
    with connection.cursor() as cursor:
        cursor.execute("SELECT corpus_vectors_index(%s)", [encoder.pk])
        for forbidden in ("DROP TABLE {}", "TRUNCATE {}", "CREATE INDEX ON {} (chunk_id)"):
            with pytest.raises(Exception, match=r"permission denied|must be owner"):
                cursor.execute(forbidden.format(encoder.table))


def test_vectors_move_out_of_the_chunks_and_back(own_database: str) -> None:
    publish(TEXT)
    before = everything(searched_rows()[0])
    quiet = {"database": "owner", "verbosity": 0}
    call_command("migrate", "corpus", "0004", **quiet)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(embedding) FROM corpus_chunk")
        assert cursor.fetchone()[0] == len(before) > 0
    assert tables() == set()
    call_command("migrate", "corpus", **quiet)
    (encoder,) = active_encoders()
    assert encoder.name == "minilm"
    assert everything(searched_rows()[0]) == before
    assert has_index(searched_rows()[0])
    assert encoders_sync() == encoders.Synced()


def unknown_vectors() -> Encoder:
    """As a migration leaves them: nothing says what made them."""
    Encoder.objects.update(fingerprint="", spec={}, name="minilm")
    return Encoder.objects.get()


def test_moved_vectors_are_not_taken_for_those_of_another_encoder(site: Site) -> None:
    site.configure(one="one")
    encoders_sync()
    Encoder.objects.filter(name="minilm").update(state=EncoderState.RETIRED)
    encoders_sync()
    indexed()
    old = unknown_vectors()
    before = everything(old)
    site.configure(two="two")  # of as many dimensions
    with pytest.raises(CommandError, match=r"not made by the encoder two.*MEDRAG_EMBEDDER back"):
        call_command("migrate", database="owner", verbosity=0)
    with pytest.raises(EncoderUnavailable, match="not known which encoder"):
        active_encoders()
    assert Encoder.objects.get().fingerprint == ""
    site.configure(one="one")
    call_command("migrate", database="owner", verbosity=0)
    assert searched() == ["one"]
    assert everything(Encoder.objects.get()) == before
    assert encoders_sync() == encoders.Synced()


def test_tables_in_use_are_said_in_words(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed()
    site.configure(minilm="bundled", one="one")
    monkeypatch.setattr(encoders, "_LOCK_LIMIT", "100ms")
    with transaction.atomic():
        Chunk.objects.update(disabled_reason="")  # as a worker that writes
        with pytest.raises(CommandError, match=r"in use.*Nothing was lost.*migrate again"):
            call_command("migrate", database="owner", verbosity=0)
    assert states() == {"minilm:384": "ACTIVE"}
    call_command("migrate", database="owner", verbosity=0)
    assert states() == {"minilm:384": "ACTIVE", "one:32": "BUILDING"}


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
