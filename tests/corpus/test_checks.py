"""Test that unusable settings are reported before anything starts."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from pytest_django import Settings

from corpus.checks import check_models
from corpus.parsing.engines import DOCLING_MODELS, LAYOUT_EXTRA


def faults() -> list[str]:
    return [str(message.msg) for message in check_models(None)]


def test_the_defaults_are_well() -> None:
    assert faults() == []


def test_an_embedder_that_is_no_model(settings: Settings, tmp_path: Path) -> None:
    settings.EMBEDDER = str(tmp_path)
    (fault,) = faults()
    assert fault.startswith("MEDRAG_ENCODERS: ")
    assert str(tmp_path) in fault


@pytest.mark.parametrize(("dimensions", "count"), [(384, 0), (3072, 0), (4096, 1)])
def test_an_embedder_of_more_dimensions_than_an_index_takes(
    settings: Settings, tmp_path: Path, dimensions: int, count: int
) -> None:
    (tmp_path / "modules.json").write_text(
        json.dumps([{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])
    )
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    pooling = {"word_embedding_dimension": dimensions}
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    settings.EMBEDDER = str(tmp_path)
    assert len(faults()) == count


def test_artifacts_that_are_not_there(settings: Settings, tmp_path: Path) -> None:
    settings.DOCLING_ARTIFACTS_PATH = str(tmp_path / "missing")
    assert [fault.split(":")[0] for fault in faults()] == ["DOCLING_ARTIFACTS_PATH"]


def test_artifacts_without_the_extra(settings: Settings, tmp_path: Path) -> None:
    if all(map(find_spec, LAYOUT_EXTRA)):
        pytest.skip("the extra `layout` is installed")
    settings.DOCLING_ARTIFACTS_PATH = str(tmp_path)
    (fault,) = faults()
    assert fault.startswith("DOCLING_ARTIFACTS_PATH: ")
    assert "the extra `layout`" in fault


def test_artifacts_without_weights(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in LAYOUT_EXTRA:
        (tmp_path / "packages" / name).mkdir(parents=True)
        (tmp_path / "packages" / name / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    settings.DOCLING_ARTIFACTS_PATH = str(tmp_path)
    for folder in DOCLING_MODELS:
        (fault,) = faults()
        assert fault.startswith("DOCLING_ARTIFACTS_PATH: ")
        assert folder in fault
        (tmp_path / folder / "inside").mkdir(parents=True)
        (tmp_path / folder / "inside" / "model.safetensors").touch()
    assert faults() == []
