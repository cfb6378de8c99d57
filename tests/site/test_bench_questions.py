"""What `bench` says of a question holds its encoding, however often it was asked."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from corpus.encoders.query_cache import QueryCache
from medrag_site.management.commands.bench import timings
from tests import corpora

pytestmark = pytest.mark.django_db


def test_a_question_is_encoded_each_time_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    corpora.publish("# Gentamicin\nGive gentamicin once daily here.")
    encoded: Counter[bytes] = Counter()
    keep = QueryCache._keep

    def counted(self: QueryCache, made: dict[bytes, Any]) -> None:
        encoded.update(made.keys())
        keep(self, made)

    monkeypatch.setattr(QueryCache, "_keep", counted)
    steps = timings(["How often is gentamicin given?"] * 3)
    assert len(steps["search"]) == 3
    assert encoded and min(encoded.values()) >= 3
