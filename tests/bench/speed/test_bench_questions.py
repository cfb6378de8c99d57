"""What `bench` says of a question holds its encoding, however often it was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"json": "nowhere/found.json"}, "can't be written"),
        ({"plot": "."}, "is a folder"),
        ({"questions": "nowhere.json"}, "can't be read as questions"),
        ({"questions": "text/broken.json"}, "can't be read as questions"),
    ],
)
def test_what_it_needs_is_looked_at_before_passages_are_made(
    tmp_path: Path, options: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(*args: Any, **more: Any) -> None:
        raise AssertionError("passages were encoded")

    monkeypatch.setattr("bench.management.commands.bench.read_sample", made)
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "broken.json").write_text("[")
    paths: dict[str, Any] = {name: tmp_path / value for name, value in options.items()}
    with pytest.raises(CommandError, match=said):
        call_command("bench", chunks=(10,), text=tmp_path / "text", **paths)
