"""Test several encoders at once: configured, searched, and asked."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from pytest_django import Settings

from corpus.checks import check_models
from corpus.encoders import vectors
from corpus.encoders.registry import (
    EncoderUnavailable,
    active_encoders,
    embedder_of,
    get_embedder,
    searched_rows,
)
from corpus.models import Encoder
from corpus.services import encoders
from corpus.services.encoders import encoders_sync
from retrieval.pipeline import retrieve
from tests.corpus.encoders.encoder_sites import (
    ASKED,
    Site,
    encoders_config,
    indexed,
    searched,
    tables,
)


def test_without_a_file_the_bundled_one_is_searched(own_database: str) -> None:
    (encoder,) = active_encoders()
    assert (encoder.name, encoder.storage, encoder.dimensions) == ("minilm", "halfvec", 384)
    assert encoder.embedder is get_embedder()
    assert tables() == {encoder.table}
    assert encoders_sync() == encoders.Synced()


def test_before_anything_is_indexed_each_is_searched_at_once(site: Site) -> None:
    site.configure(minilm="bundled", one="one", wide='wide storage = "vector"')
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
    site.configure(minilm="bundled", one="one", wide='wide storage = "vector"')
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


def test_a_name_that_has_no_vectors_is_an_error(own_database: str) -> None:
    with pytest.raises(EncoderUnavailable, match="medcpt"):
        active_encoders(("medcpt",))
    Encoder.objects.all().delete()
    with pytest.raises(EncoderUnavailable, match="No encoder is set up"):
        active_encoders()


def test_what_is_still_being_made_is_said_with_how_far_it_is(site: Site) -> None:
    document = indexed()
    site.configure(minilm="bundled", one="one")
    encoders_sync()
    total = document.chunks.count()
    for names in (("one",), ()):
        with pytest.raises(EncoderUnavailable) as caught:
            active_encoders(names)
        assert f"one 0 of {total} passages" in caught.value.sentence
        assert "manage.py reembed" in caught.value.hint
        assert "migrate" not in caught.value.sentence
        Encoder.objects.filter(name="minilm").delete()


def test_questions_are_asked_by_the_second_model_and_its_prefix(
    site: Site, encoder_models: Path
) -> None:
    site.configure(one=f'one query_model = "{encoder_models / "two"}"\nquery_prefix = "query "')
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


def test_files_that_were_replaced_under_the_vectors_are_noticed(
    site: Site, encoder_models: Path
) -> None:
    site.configure(one="one")
    encoders_sync()
    row = searched_rows()[0]
    row.spec["model"] = str(encoder_models / "two")
    row.save()
    with pytest.raises(EncoderUnavailable, match="not those that computed"):
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


def test_the_application_can_index_a_table_and_no_more(site: Site) -> None:
    (encoder,) = searched_rows()
    with connection.cursor() as cursor:
        cursor.execute("SELECT corpus_vectors_index(%s)", [encoder.pk])
        for forbidden in ("DROP TABLE {}", "TRUNCATE {}", "CREATE INDEX ON {} (chunk_id)"):
            with pytest.raises(Exception, match=r"permission denied|must be owner"):
                cursor.execute(forbidden.format(encoder.table))
