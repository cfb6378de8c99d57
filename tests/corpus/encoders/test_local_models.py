"""Test that both backends compute the same with models in folders of every form."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from corpus.encoders.backends.local import LocalEmbedder, LocalModel, local_facts
from corpus.encoders.query_cache import forget_queries
from corpus.encoders.types import EncoderUnusable
from tests.corpus.encoders import tiny_models

TEXTS = [
    "gentamicin is given once daily",
    "",
    "warfarin for atrial fibrillation",
    "dose " * 100,
    "no fever",
]


def embedder(model: LocalModel, kept_in: Path, *, threads: int = 2) -> LocalEmbedder:
    return LocalEmbedder(model, kept_in=kept_in, threads=threads)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_backends_agree_on_a_plain_transformer(
    plain_model: Path, kept_in: Path, pooling: str
) -> None:
    model = LocalModel(plain_model, pooling=pooling)
    by_torch = embedder(replace(model, backend="torch"), kept_in).encode(TEXTS)
    by_openvino = embedder(replace(model, backend="openvino"), kept_in).encode(TEXTS)
    assert by_torch.shape == by_openvino.shape == (len(TEXTS), 32)
    assert (by_torch * by_openvino).sum(axis=1) == pytest.approx(1.0, abs=1e-2)


def test_backends_agree_on_a_chain_with_a_projection(projected_model: Path, kept_in: Path) -> None:
    both = [
        embedder(LocalModel(projected_model, backend=backend), kept_in)
        for backend in ("torch", "auto")
    ]
    assert [one.dimensions for one in both] == [16, 16]
    assert local_facts(LocalModel(projected_model)).dimensions == 16
    found = [one.encode(TEXTS) for one in both]
    assert (found[0] * found[1]).sum(axis=1) == pytest.approx(1.0, abs=1e-2)


def test_a_pair_encodes_questions_by_its_second_model(
    plain_model: Path, other_plain_model: Path, kept_in: Path
) -> None:
    pair = embedder(LocalModel(plain_model, other_plain_model, pooling="cls"), kept_in)
    alone = embedder(LocalModel(other_plain_model, pooling="cls"), kept_in)
    assert pair.encode_queries(TEXTS).tobytes() == alone.encode(TEXTS).tobytes()
    assert pair.encode(TEXTS).tobytes() != alone.encode(TEXTS).tobytes()
    assert pair.fingerprint != local_facts(LocalModel(plain_model, pooling="cls")).fingerprint


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_prefixes_reach_the_model(plain_model: Path, kept_in: Path, backend: str) -> None:
    bare = LocalModel(plain_model, pooling="mean", backend=backend)
    model = replace(bare, passage_prefix="passage ", query_prefix="query ")
    prefixed, without = embedder(model, kept_in), embedder(bare, kept_in)
    text = "no fever"
    assert prefixed.encode([text]).tobytes() == without.encode([f"passage {text}"]).tobytes()
    assert prefixed.encode_queries([text]).tobytes() == without.encode([f"query {text}"]).tobytes()
    assert prefixed.fingerprint != without.fingerprint
    assert prefixed.count_tokens(text) == without.count_tokens(text) == 2
    assert prefixed.max_tokens == without.max_tokens - len("passage ")


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_a_question_has_the_same_bytes_whatever_is_kept(
    plain_model: Path, kept_in: Path, backend: str
) -> None:
    made = embedder(LocalModel(plain_model, pooling="mean", backend=backend), kept_in)
    cold = made.encode_queries(TEXTS)
    forget_queries()
    kept = [made.encode_queries([text]) for text in TEXTS[1:4]]  # the longest is among them
    assert np.concatenate(kept).tobytes() == cold[1:4].tobytes()
    assert made.encode_queries(TEXTS).tobytes() == cold.tobytes()
    assert made.encode_queries([]).shape == (0, 32)


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_no_more_is_read_than_is_set(plain_model: Path, kept_in: Path, backend: str) -> None:
    model = LocalModel(plain_model, pooling="mean", backend=backend, max_tokens=13)
    short = embedder(model, kept_in)
    assert short.max_tokens == 11
    same = short.encode(["dose " * 11, "dose " * 11 + "fever " * 8])
    assert same[0].tobytes() == same[1].tobytes()
    assert short.count_tokens("dose " * 40) == 40


def test_the_longest_text_that_a_model_reads_can_be_read(plain_model: Path, kept_in: Path) -> None:
    """Padding must not exceed the model's positions."""
    model = LocalModel(plain_model, pooling="mean", backend="openvino")
    assert local_facts(model).max_tokens == tiny_models.READS - 2
    vectors = embedder(model, kept_in).encode(["dose " * n for n in range(20, 60)])
    assert np.isfinite(vectors).all()


def test_two_models_of_other_widths_are_no_pair(
    plain_model: Path, tmp_path: Path, kept_in: Path
) -> None:
    wide = tiny_models.transformer(tmp_path / "wide", width=64)
    with pytest.raises(EncoderUnusable, match=r"32 dimensions.*64"):
        embedder(LocalModel(plain_model, wide, pooling="cls"), kept_in)


def test_a_folder_without_a_model_or_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnusable, match="is not the folder"):
        local_facts(LocalModel(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(EncoderUnusable, match="no weights"):
        local_facts(LocalModel(tmp_path))


def test_the_fingerprint_says_what_computes(plain_model: Path) -> None:
    named = {
        backend: local_facts(LocalModel(plain_model, backend=backend)).fingerprint
        for backend in ("torch", "openvino", "auto")
    }
    assert named["torch"].endswith(":torch-f32")
    assert named["openvino"] == named["auto"] != named["torch"]


def test_pooling_decides_the_vector_and_the_fingerprint(plain_model: Path, kept_in: Path) -> None:
    models = [LocalModel(plain_model, pooling=pooling) for pooling in ("mean", "cls")]
    first, second = (embedder(model, kept_in) for model in models)
    assert float(first.encode(TEXTS[:1])[0] @ second.encode(TEXTS[:1])[0]) < 0.99
    assert first.fingerprint != second.fingerprint
