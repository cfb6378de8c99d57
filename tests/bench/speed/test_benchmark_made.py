"""Synthetic corpora are the same each time, and like their sample."""

import numpy as np
import pytest

from bench.speed.made import Made, nearest_cosines
from bench.speed.samples import Sample
from corpus.encoders.types import Vectors


def clustered(count: int, width: int = 24) -> Vectors:
    random = np.random.default_rng(5)
    centres = random.normal(size=(40, width))
    found = centres[random.integers(40, size=count)] + 0.6 * random.normal(size=(count, width))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def sample() -> Sample:
    passages = tuple((f"First {n} stands.", *(["Then more."] * (n % 5))) for n in range(900))
    return Sample(passages, clustered(900))


def test_the_same_sample_and_seed_make_the_same_corpus(sample: Sample) -> None:
    for one, other in zip(Made(sample).blocks(7000), Made(sample).blocks(7000), strict=True):
        assert one.texts == other.texts
        assert one.vectors.tobytes() == other.vectors.tobytes()
    first, second = (next(Made(sample, seed=seed).blocks(10)) for seed in (0, 1))
    assert first.texts != second.texts


def test_a_larger_corpus_begins_with_the_smaller(sample: Sample) -> None:
    small, large = (list(Made(sample).blocks(n)) for n in (5100, 12_000))
    assert sum(len(block.texts) for block in small) == 5100
    assert [block.first for block in large] == [0, 5000, 10_000]
    assert large[1].texts[:100] == small[1].texts
    assert large[1].vectors[:100].tobytes() == small[1].vectors.tobytes()


def test_neighbours_are_as_near_as_in_the_sample(sample: Sample) -> None:
    made = np.concatenate([block.vectors for block in Made(sample).blocks(900)])
    real, found = (np.median(nearest_cosines(vectors, 1)) for vectors in (sample.vectors, made))
    assert found == pytest.approx(real, abs=0.02)
