"""`bench` times the encoding of a question however often it was asked before."""

from collections import Counter
from collections.abc import Sequence

import pytest

from bench.management.commands.bench import timings
from corpus.encoders.backends.openvino import OpenvinoRunner
from corpus.encoders.types import Vectors
from tests import corpora

pytestmark = pytest.mark.django_db


def test_a_question_is_encoded_each_time_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    corpora.publish("# Gentamicin\nGive gentamicin once daily here.")
    encoded: Counter[str] = Counter()
    encode = OpenvinoRunner.query_vectors

    def counted(self: OpenvinoRunner, texts: Sequence[str]) -> Vectors:
        encoded.update(texts)
        return encode(self, texts)

    monkeypatch.setattr(OpenvinoRunner, "query_vectors", counted)
    steps = timings(["How often is gentamicin given?"] * 3)
    assert len(steps["search"]) == 3
    assert encoded and min(encoded.values()) >= 3
