"""Test vectors of earlier versions, and the migrations that keep them."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections, transaction
from pytest_django import Settings

from corpus.encoders import vectors
from corpus.encoders.backends.openvino_model import converted
from corpus.encoders.registry import (
    EncoderUnavailable,
    active_encoders,
    conversions_drop_unused,
    facts_for,
    searched_rows,
)
from corpus.encoders.specs import EncoderSpec
from corpus.models import Chunk, Encoder, EncoderState
from corpus.services import encoders
from corpus.services.encoders import encoder_reembed, encoders_sync
from corpus.services.indexing import document_index
from tests.corpora import publish
from tests.corpus.documents import guideline, ingest
from tests.corpus.encoders.encoder_sites import (
    TEXT,
    Site,
    building,
    everything,
    has_index,
    indexed,
    searched,
    states,
    tables,
)


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
    """Make the encoder unknown, as a migration leaves it."""
    Encoder.objects.update(fingerprint="", spec={}, name="minilm")
    return Encoder.objects.get()


def adopted() -> Encoder:
    """Return the searched encoder, while its vectors are stored and indexed as configured."""
    assert set(Encoder.objects.values_list("state", flat=True)) == {"ACTIVE", "BUILDING"}
    return Encoder.objects.get(state=EncoderState.ACTIVE)


def test_moved_vectors_are_not_taken_for_those_of_another_encoder(site: Site) -> None:
    site.configure(one="one")
    encoders_sync()
    Encoder.objects.filter(name="minilm").update(state=EncoderState.RETIRED)
    encoders_sync()
    indexed()
    old = unknown_vectors()
    before = everything(old)
    site.configure(two="two")  # of the same dimensions
    with pytest.raises(CommandError, match=r"encoder two.*old MEDRAG_ENCODERS"):
        call_command("migrate", database="owner", verbosity=0)
    with pytest.raises(EncoderUnavailable, match="not known which encoder"):
        active_encoders()
    assert Encoder.objects.get().fingerprint == ""
    site.configure(one="one")
    call_command("migrate", database="owner", verbosity=0)
    assert searched() == ["one"]
    assert everything(adopted()) == before
    assert encoders_sync() == encoders.Synced()
    encoder_reembed(building())
    assert everything(Encoder.objects.get(state=EncoderState.ACTIVE)) == before


def test_moved_vectors_are_looked_at_from_the_first_to_the_last_document(site: Site) -> None:
    """Those of the first document alone would look like the configured encoder's."""
    first = indexed(sections=20)
    other = ingest(guideline("# Tobramycin", sections=20))
    document_index(other.pk)
    keys = list(other.chunks.order_by("pk").values_list("pk", flat=True))
    assert first.chunks.count() >= 20 and len(keys) >= 20
    old = unknown_vectors()
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"DELETE FROM {old.table} WHERE chunk_id = ANY(%s)", [keys])
    vectors.write(old, keys, np.eye(len(keys), 384, dtype=np.float32))
    with pytest.raises(EncoderUnavailable, match="not computed by the encoder minilm"):
        encoders_sync()
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"DELETE FROM {old.table} WHERE chunk_id = ANY(%s)", [keys])
    assert encoders_sync() == encoders.Synced(made=("minilm",))
    assert adopted().fingerprint == facts_for(EncoderSpec("minilm")).space


def test_tables_in_use_are_said_in_words(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed()
    site.configure(minilm="bundled", one="one")
    monkeypatch.setattr(encoders, "_LOCK_LIMIT", "100ms")
    with transaction.atomic():
        Chunk.objects.update(disabled_reason="")  # as a worker does while it writes
        with pytest.raises(CommandError, match=r"in use.*Nothing was .*migrate again"):
            call_command("migrate", database="owner", verbosity=0)
    assert states() == {"minilm:384": "ACTIVE"}
    call_command("migrate", database="owner", verbosity=0)
    assert states() == {"minilm:384": "ACTIVE", "one:32": "BUILDING"}


def test_what_is_converted_for_nobody_is_deleted_by_migrate(
    site: Site, settings: Settings, tmp_path: Path, encoder_models: Path
) -> None:
    settings.MODELS_DIR = tmp_path / "converted"
    for name in ("one", "two", "wide"):
        converted(encoder_models / name, pooling="mean", kept_in=tmp_path / "elsewhere")
    shutil.copytree(tmp_path / "elsewhere", settings.MODELS_DIR)  # no process uses the copies
    settings.ENCODER_BACKEND = "openvino"
    site.configure(minilm="bundled", one="one")
    encoders_sync()  # searched at once, since nothing is indexed
    site.configure(minilm="bundled", wide="wide")
    settings.DATABASE_NAME = "evaluation_0a1b2c3d"  # without the site's encoders
    call_command("migrate", database="owner", verbosity=0)
    assert kept(settings) == {"one", "two", "wide"}
    settings.DATABASE_NAME = ""
    call_command("migrate", database="owner", verbosity=0)
    assert kept(settings) == {"wide", "model"}  # the bundled encoder was converted ahead
    settings.ENCODER_BACKEND = "torch"
    assert conversions_drop_unused()
    assert kept(settings) == {"model"}  # this process made it, and may still use it


def kept(settings: Settings) -> set[str]:
    return {path.name.split("-")[0] for path in settings.MODELS_DIR.iterdir()}
