"""Test the bundled encoder, and the errors where another one can't be used."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured

from corpus.encoders.folders import bundled_folder, facts_of
from corpus.encoders.registry import get_embedder
from corpus.encoders.specs import EncoderSpec

DIMENSIONS = 384
TEXTS = [
    "Gentamicin is given once daily.",
    "The aminoglycoside is given every 24 hours.",
    "The hospital car park closes at ten.",
]


def test_vectors_are_float32_of_unit_norm_in_order() -> None:
    vectors = get_embedder().encode(TEXTS)
    assert vectors.shape == (3, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert float(get_embedder().encode([text])[0] @ vector) == pytest.approx(1.0, abs=1e-3)


def test_meaning_is_nearer_than_words() -> None:
    vectors = get_embedder().encode(TEXTS)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_nothing_gives_no_rows() -> None:
    assert get_embedder().encode([]).shape == (0, DIMENSIONS)


@pytest.mark.parametrize("text", ["", " ", "\x00", "🩺", "a" * 50_000, "word " * 20_000, "\ufffd"])
def test_odd_texts_have_a_vector(text: str) -> None:
    vector = get_embedder().encode([text])[0]
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_tokens_are_counted_whole_and_without_marks() -> None:
    embedder = get_embedder()
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("dose") == 1
    assert embedder.count_tokens("dose " * 900) == 900  # not cut at `max_tokens`
    assert 100 < embedder.max_tokens < 512


def test_what_lies_beyond_the_limit_is_not_read() -> None:
    """Why passages are limited to `max_tokens`: more could never be found."""
    embedder = get_embedder()
    start = "dose " * embedder.max_tokens
    same = embedder.encode([start, start + "tungsten " * 50])
    assert float(same[0] @ same[1]) == pytest.approx(1.0, abs=1e-5)


def test_one_instance_and_one_fingerprint_in_a_process() -> None:
    assert get_embedder() is get_embedder()
    name, digest, computed_by = get_embedder().fingerprint.split(":")
    assert name
    assert len(digest) == 16
    assert computed_by in ("openvino-bf16", "openvino-f32")


def test_a_folder_that_is_no_model_stops_with_the_name_of_the_setting(
    settings: LazySettings, tmp_path: Path
) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        settings.EMBEDDER = str(folder)
        with pytest.raises(ImproperlyConfigured, match="MEDRAG_ENCODERS"):
            get_embedder()


def test_other_weights_have_another_fingerprint(tmp_path: Path) -> None:
    bundled = EncoderSpec("x")
    folders = [tmp_path / name / bundled_folder().name for name in ("one", "two")]
    for folder in folders:
        shutil.copytree(bundled_folder(), folder)
    with (folders[1] / "model.safetensors").open("r+b") as stream:
        stream.seek(-1, 2)
        stream.write(b"\x01")
    one, two = (facts_of(EncoderSpec("x", model=str(folder))) for folder in folders)
    assert one == facts_of(bundled)
    assert one.fingerprint != two.fingerprint
    assert one.space != two.space
    assert one.tokenizer == two.tokenizer  # so that passages are cut the same
