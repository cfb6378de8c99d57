"""Test what is left of an encoder whose making was killed."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from django.db import connections
from pytest_django import Settings

from corpus.encoders import vectors
from corpus.encoders.batches import BATCH, encode_rows
from corpus.encoders.registry import embedder_for, searched_rows
from corpus.encoders.specs import EncoderSpec
from corpus.models import Chunk, Document, Encoder, EncoderState
from corpus.services.encoders import encoder_reembed, encoders_sync
from tests.corpus.encoders.encoder_sites import Site, building, everything, indexed
from tests.processes import ROOT

_DYING = """
import os, signal
import django
django.setup()
from corpus.encoders import statement_vectors, vectors
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
_REPEATING = """
import django
django.setup()
from corpus.models import Encoder
from corpus.services.encoders import encoder_reembed
encoder_reembed(Encoder.objects.get(state="BUILDING"))
"""


def run_anew(code: str, settings: Settings) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with this test's encoders."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "MEDRAG_ENCODERS": str(settings.ENCODERS),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def killed_in_the_middle(settings: Settings) -> None:
    """Fill the table of the encoder that is being built, and kill the process that does it."""
    assert run_anew(_DYING, settings).returncode == -signal.SIGKILL


def test_a_kill_in_the_middle_changes_nothing_in_the_end(site: Site, settings: Settings) -> None:
    document = indexed(sections=48)
    site.configure(minilm="one")
    encoders_sync()
    new = building()
    killed_in_the_middle(settings)
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


def assert_made_by(encoder: Encoder, model: Path) -> None:
    """Compare each stored vector with what this model alone makes of the passages."""
    alone = EncoderSpec(name="alone", model=str(model), pooling="mean")
    embedder, held = (
        embedder_for(alone),
        vectors.read(encoder, list(Chunk.objects.values_list("pk", flat=True))),
    )
    for document in Document.objects.all():
        rows = list(document.chunks.order_by("index"))
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            for row, vector in zip(batch, encode_rows(embedder, batch), strict=True):
                assert float(np.dot(held[row.pk], vector)) > 0.999, row.index
    assert len(held) == Chunk.objects.count()


@pytest.mark.parametrize(
    "then",
    [
        pytest.param("repeated", marks=pytest.mark.exhaustive),
        pytest.param("another model", marks=pytest.mark.exhaustive),
        "back",
    ],
)
def test_a_killed_change_to_a_model_of_the_same_dimension_mixes_no_vectors(
    site: Site, settings: Settings, encoder_models: Path, then: str
) -> None:
    site.configure(minilm="one")
    encoders_sync()
    indexed(sections=48)
    assert_made_by(searched_rows()[0], encoder_models / "one")
    site.configure(minilm="two")
    encoders_sync()
    half = building()
    assert half.dimensions == searched_rows()[0].dimensions
    killed_in_the_middle(settings)
    done, total = vectors.progress(half)
    assert 0 < done < total
    assert_made_by(searched_rows()[0], encoder_models / "one")  # which is searched meanwhile
    expected = "one" if then == "back" else "two"
    if then == "another model":
        site.configure(minilm="wide")
        encoders_sync()
        site.configure(minilm="two")
    elif then == "back":
        site.configure(minilm="one")
    encoders_sync()
    for encoder in Encoder.objects.filter(state=EncoderState.BUILDING):
        encoder_reembed(encoder)
    (row,) = searched_rows()
    assert_made_by(row, encoder_models / expected)


def test_files_replaced_after_a_kill_by_a_model_of_the_same_dimension_are_refused(
    site: Site, settings: Settings, encoder_models: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "replaced"
    shutil.copytree(encoder_models / "one", folder)
    indexed(sections=48)
    site.configure(minilm=str(folder))
    encoders_sync()
    half = building()
    killed_in_the_middle(settings)
    before = everything(half)
    shutil.rmtree(folder)
    shutil.copytree(encoder_models / "two", folder)
    repeated = run_anew(_REPEATING, settings)
    assert repeated.returncode == 1
    assert "are not those that computed its vectors" in repeated.stderr
    assert everything(half) == before
