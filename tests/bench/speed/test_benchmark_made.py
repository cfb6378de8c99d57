"""Corpora that are made: the same each time, like the sample that they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from bench.speed.made import Made
from bench.speed.samples import Sample, read_sample
from corpus.encoders.counting import TokenCounter
from corpus.encoders.types import Vectors

ANSWERED = """<Document><QAPairs><QAPair><Question>What is {0}?</Question>
<Answer>The illness {0} is treated slowly. It is rare in adults. See a doctor about {0}.</Answer>
</QAPair></QAPairs></Document>"""


class Lengths:
    """Encodes by the letters of a text, and counts how often it is asked."""

    fingerprint = "letters"
    max_tokens = dimensions = 26

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked += 1
        counts = [[text.lower().count(chr(97 + i)) + 0.1 for i in range(26)] for text in texts]
        found = np.array(counts, dtype=np.float32)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))

    encode_queries = encode

    def count_tokens(self, text: str) -> int:
        return len(text)

    def token_counter(self, folder: Path) -> TokenCounter:
        return TokenCounter()


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
    found = Made(sample).likeness()
    assert found.made_cosines[2] == pytest.approx(found.real_cosines[2], abs=0.005)
    assert found.made_cosines == pytest.approx(found.real_cosines, abs=0.1)
    assert found.made_dimension == pytest.approx(found.real_dimension, rel=0.5)


def test_words_are_as_frequent_as_in_the_sample(sample: Sample) -> None:
    (block,) = islice(Made(sample).blocks(4000), 1)
    real = np.mean([len(passage) for passage in sample.passages])
    assert np.mean([text.count(".") for text in block.texts]) == pytest.approx(real, rel=0.05)
    share = np.mean(["Then more." in text for text in block.texts])
    assert 0.5 < share < 0.9


def medquad(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        (folder / f"{name}.xml").write_text(ANSWERED.format(name))
    return folder


def test_a_sample_is_read_and_its_vectors_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    medquad(folder, ["gout", "mumps", "croup"])
    (folder / "notes.txt").write_text("Give fluids at once. Then call for help now.")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    encoder = Lengths()
    kept = tmp_path / "kept"
    first = read_sample(folder, encoder, size=10, kept_in=kept)
    assert len(first.passages) == 4
    assert ("Give fluids at once.", "Then call for help now.") in first.passages
    again = read_sample(folder, encoder, size=10, kept_in=kept)
    assert encoder.asked == 1
    assert again.digest == first.digest
    assert read_sample(folder, encoder, size=2, kept_in=kept).digest != first.digest
