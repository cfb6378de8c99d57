"""Vectors that an earlier version made, and the migrations that take them along."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction
from pytest_django import Settings

from corpus.encoders import model_folders, registry
from corpus.encoders.folders import former_space
from corpus.encoders.local_models import local_facts
from corpus.encoders.registry import EncoderUnavailable, active_encoders, facts_for, searched_rows
from corpus.encoders.specs import EncoderSpec, spec_from
from corpus.models import Chunk, Encoder, EncoderState
from corpus.services import encoders
from corpus.services.adoption import encoders_to_rename
from corpus.services.conversions import conversions_drop_unused
from corpus.services.encoders import encoder_reembed, encoders_sync
from retrieval.pipeline import retrieve
from tests.corpora import publish
from tests.corpus.encoder_sites import (
    ASKED,
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
from tests.corpus.encoders import tiny_models
from tests.processes import ROOT


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


@pytest.fixture
def chain(encoder_models: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder that says how it pools; it may be changed."""
    yield tiny_models.with_modules(tmp_path / "chain")
    forget()


def forget() -> None:
    """As in a new process."""
    for cached in (model_folders.facts_of, model_folders.weights_digest, local_facts):
        cached.cache_clear()
    registry._loaded.clear()


def by_its_former_name(row: Encoder) -> Encoder:
    """As the version before left it."""
    row.fingerprint = former_space(spec_from(row.spec))
    row.save()
    return row


def chain_site(settings: Settings, tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(f'[chain]\nmodel = "{folder}"\n')
    settings.ENCODERS = str(path)


def test_vectors_are_found_again_under_their_new_name(own_database: str) -> None:
    indexed()
    row = by_its_former_name(searched_rows()[0])
    before = everything(row)
    with pytest.raises(EncoderUnavailable, match="version before") as caught:
        active_encoders()
    assert "Run manage.py migrate" in caught.value.hint
    call_command("migrate", database="owner", verbosity=0)
    assert states() == {"minilm:384": "ACTIVE"}
    assert Encoder.objects.get().fingerprint == facts_for(EncoderSpec("minilm")).space
    assert everything(row) == before
    assert retrieve(ASKED).hits
    assert encoders_sync() == encoders.Synced()


def test_one_that_is_being_replaced_is_searched_under_its_new_name(site: Site) -> None:
    """It is configured no more, so that only its row says what it is."""
    site.configure(one="one")
    encoders_sync()
    encoders_sync()
    indexed()
    by_its_former_name(Encoder.objects.get())
    site.configure(wide="wide")
    assert encoders_sync().made == ("wide",)
    assert states() == {"one:32": "ACTIVE", "wide:64": "BUILDING"}
    assert retrieve(ASKED).hits


def test_one_whose_pooling_was_changed_since_is_made_anew(
    own_database: str, settings: Settings, tmp_path: Path, chain: Path
) -> None:
    chain_site(settings, tmp_path, chain)
    encoders_sync()
    encoders_sync()
    indexed(sections=20)
    row = by_its_former_name(Encoder.objects.get())
    path = chain / "1_Pooling" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"pooling_mode": "cls"}))
    forget()
    out = StringIO()
    call_command("migrate", database="owner", verbosity=0, stdout=out)
    assert "New vectors are to be made by chain" in out.getvalue()
    assert [row.state for row in Encoder.objects.order_by("pk")] == ["ACTIVE", "BUILDING"]
    with pytest.raises(EncoderUnavailable, match="version before"):
        active_encoders()
    encoder_reembed(building())
    assert searched_rows()[0].pk != row.pk
    assert retrieve(ASKED).hits


def test_one_whose_files_are_gone_is_left_as_it_is(site: Site, tmp_path: Path) -> None:
    site.configure(one="one")
    encoders_sync()
    row = by_its_former_name(Encoder.objects.get(name="one"))
    row.spec["model"] = str(tmp_path / "gone")
    row.save()
    assert encoders_to_rename("owner") == {}


def test_what_is_converted_for_nobody_is_deleted_by_migrate(
    site: Site, settings: Settings, tmp_path: Path, encoder_models: Path
) -> None:
    settings.MODELS_DIR = tmp_path / "converted"
    for name in ("one", "two", "wide"):
        make_in_a_process(encoder_models / name, settings.MODELS_DIR)
    settings.ENCODER_BACKEND = "openvino"
    site.configure(minilm="bundled", one="one")
    encoders_sync()  # searched at once, since nothing is indexed
    site.configure(minilm="bundled", wide="wide")
    call_command("migrate", database="owner", verbosity=0)
    assert kept(settings) == {"wide"}
    settings.ENCODER_BACKEND = "torch"
    assert conversions_drop_unused()
    assert kept(settings) == set()


def kept(settings: Settings) -> set[str]:
    return {path.name.split("-")[0] for path in settings.MODELS_DIR.iterdir()}


MAKES = """
import sys
from pathlib import Path
from corpus.encoders.openvino_model import converted
converted(Path(sys.argv[1]), pooling="mean", kept_in=Path(sys.argv[2]))
"""


def make_in_a_process(folder: Path, kept_in: Path) -> None:
    command = [sys.executable, "-c", MAKES, str(folder), str(kept_in)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
