"""Test that a process notices when the files of its encoder are replaced while it runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from safetensors.numpy import load_file, save_file

from corpus.encoders import registry
from corpus.encoders.backends import local
from corpus.encoders.backends.local import LocalEmbedder, LocalModel
from corpus.encoders.folders import facts_of
from corpus.encoders.registry import embedder_for
from corpus.encoders.specs import EncoderSpec
from corpus.encoders.types import EncoderUnusable

TEXTS = ["dose of gentamicin"]


def rescale(folder: Path) -> None:
    """Replace the projection's weights in place by others of the same size."""
    path = folder / "2_Dense" / "model.safetensors"
    weights = load_file(path)
    save_file({name: value[::-1].copy() for name, value in weights.items()}, path)


@pytest.fixture
def folder(projected_model: Path, tmp_path: Path) -> Path:
    return shutil.copytree(projected_model, tmp_path / "mine")


def test_replaced_files_are_loaded_again_under_their_own_fingerprint(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_loaded", {})
    spec = EncoderSpec("mine", model=str(folder), backend="torch")
    old = embedder_for(spec)
    assert embedder_for(spec) is old
    before = old.encode(TEXTS)
    rescale(folder)
    new = embedder_for(spec)
    assert new.fingerprint == facts_of(spec).fingerprint != old.fingerprint
    assert (new.encode(TEXTS) != before).any()
    assert (old.encode(TEXTS) == before).all()  # what is at work goes on with what it began


def test_files_that_are_replaced_while_they_are_loaded_are_not_used(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = local._runner

    def replaced(*arguments: object) -> object:
        runner = load(*arguments)  # type: ignore[arg-type]
        rescale(folder)
        return runner

    monkeypatch.setattr(local, "_runner", replaced)
    with pytest.raises(EncoderUnusable, match="changed while they were loaded"):
        LocalEmbedder(LocalModel(folder, backend="torch"), kept_in=tmp_path, threads=1)
