"""Corpora that are made: the same each time, like the sample that they are made of."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from django.core.management.base import CommandError

from bench.speed import made, samples
from bench.speed.made import Made, intrinsic_dimension, nearest_cosines
from bench.speed.samples import Sample, passages_of, read_questions, read_sample
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


def test_no_two_vectors_are_the_same_and_all_are_of_unit_norm(sample: Sample) -> None:
    (block,) = islice(Made(sample).blocks(5000), 1)
    assert np.linalg.norm(block.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert len({vector.tobytes() for vector in block.vectors}) == 5000


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


def test_nearest_cosines_are_those_of_all_pairs() -> None:
    vectors = clustered(1203)
    every = vectors @ vectors.T
    np.fill_diagonal(every, -2)
    assert nearest_cosines(vectors, 3) == pytest.approx(-np.sort(-every, axis=1)[:, :3], abs=1e-5)


@pytest.mark.parametrize("dimension", [2, 6])
def test_intrinsic_dimension_of_a_flat_sheet(dimension: int) -> None:
    random = np.random.default_rng(2)
    found = np.zeros((4000, 30), dtype=np.float32)
    found[:, :dimension] = random.uniform(-0.05, 0.05, size=(4000, dimension))
    found[:, 29] = 1.0
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    measured = intrinsic_dimension(nearest_cosines(found.astype(np.float32), 20))
    assert measured == pytest.approx(dimension, rel=0.25)


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


def test_a_tar_and_its_folder_are_the_same_sample(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    medquad(folder, ["gout", "mumps", "croup"])
    with tarfile.open(tmp_path / "texts.tar.gz", "w:gz") as archive:
        for path in folder.iterdir():
            content = path.read_bytes()
            member = tarfile.TarInfo(path.name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    found = [
        read_sample(path, Lengths(), size=9, kept_in=tmp_path / "kept")
        for path in (folder, tmp_path / "texts.tar.gz")
    ]
    assert found[0].digest == found[1].digest
    assert read_questions(tmp_path / "texts.tar.gz", size=9) == read_questions(folder, size=9)


def test_passages_are_windows_of_whole_sentences() -> None:
    text = " ".join(f"Sentence number {n} has exactly seven words." for n in range(60))
    found = list(passages_of(text))
    assert [sentence for passage in found for sentence in passage] == [
        f"Sentence number {n} has exactly seven words." for n in range(60)
    ]
    assert max(len(" ".join(p).split()) for p in found) <= samples.PASSAGE_WORDS
    assert len(found) == 4


def test_questions_are_read_from_each_form(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        json.dumps([{"question": "Why?"}, "How?", {"question": "Why?"}])
    )
    (tmp_path / "a.txt").write_text("Why?\n\n How  now?\n")
    medquad(tmp_path, ["gout"])
    assert read_questions(tmp_path / "a.json", size=9) == ["How?", "Why?"]
    assert read_questions(tmp_path / "a.txt", size=9) == ["How now?", "Why?"]
    assert read_questions(tmp_path / "gout.xml", size=9) == ["What is gout?"]
    assert len(read_questions(tmp_path / "a.txt", size=1)) == 1


def test_what_holds_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no text"):
        read_sample(tmp_path, Lengths(), size=5, kept_in=tmp_path)
    with pytest.raises(CommandError, match="no such"):
        read_sample(tmp_path / "nowhere", Lengths(), size=5, kept_in=tmp_path)
    with pytest.raises(CommandError, match="no question"):
        read_questions(tmp_path, size=5)


def test_a_sample_smaller_than_its_neighbourhoods_works() -> None:
    few = Sample(tuple((f"Text {n}.",) for n in range(5)), clustered(5))
    assert len(next(Made(few).blocks(30)).texts) == 30
    assert made.NEIGHBOURS > 5
