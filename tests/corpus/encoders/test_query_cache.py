"""Test the cache of questions' vectors: the same vectors, and fewer computed."""

from collections.abc import Sequence

import numpy as np

from corpus.encoders.query_cache import QueryCache
from corpus.encoders.types import Vectors


class Counting:
    """Encode by length, and record the texts."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return np.array([[len(t), 1.0] for t in texts], dtype=np.float32).reshape(-1, 2)


def test_only_what_is_not_known_is_encoded_and_in_one_call() -> None:
    encode = Counting()
    cache = QueryCache(encode)
    first = cache.vectors(["a", "bbb", "a"])
    assert first[:, 0].tolist() == [1, 3, 1]
    assert cache.vectors(["bbb", "cc"])[:, 0].tolist() == [3, 2]
    assert encode.asked == [["a", "bbb"], ["cc"]]


def test_of_no_text_there_are_no_rows_of_the_right_width() -> None:
    assert QueryCache(Counting()).vectors([]).shape == (0, 2)


def test_the_caller_cannot_change_what_is_kept() -> None:
    cache = QueryCache(Counting())
    for _ in range(2):
        vectors = cache.vectors(["abc"])
        assert vectors[0, 0] == 3
        vectors[:] = 0


def test_the_oldest_goes_and_what_is_used_stays() -> None:
    encode = Counting()
    cache = QueryCache(encode, entries=2)
    for text in ["a", "bb", "a", "ccc", "a", "bb"]:
        cache.vectors([text])
    assert encode.asked == [["a"], ["bb"], ["ccc"], ["bb"]]


def test_more_texts_than_it_keeps_are_all_answered() -> None:
    texts = ["x" * n for n in range(1, 9)]
    assert QueryCache(Counting(), entries=3).vectors(texts)[:, 0].tolist() == list(range(1, 9))


def test_texts_that_are_no_text_have_a_key() -> None:
    assert QueryCache(Counting()).vectors(["\ud800", "\x00"]).shape == (2, 2)
