"""Going on from weights that were trained before, and rows whose statements are lines."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from django.core.management import CommandError, call_command

from bench.training.loop import best_weights
from tests.bench.training.test_training import asked, write
from tests.corpus.encoders.tiny_models import transformer


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return transformer(tmp_path_factory.mktemp("body") / "tiny", width=64, layers=3, spread=0.1)


def train(body: Path, data: Path, out: Path, **options: object) -> None:
    torch.set_num_threads(1)
    settings = {"epochs": 1, "precision": "float32", "threads": 1, **options}
    call_command("train", "reader", data=[data], out=out, body=body, **settings)


@pytest.mark.exhaustive
def test_training_goes_on_from_weights_of_other_rows(body: Path, tmp_path: Path) -> None:
    one, other = (
        write(tmp_path / name, [asked(n, is_answered=n % 2 > 0) for n in numbers])
        for name, numbers in (("one", range(90)), ("other", range(90, 180)))
    )
    train(body, one, tmp_path / "first")
    train(body, other, tmp_path / "anew")
    train(body, other, tmp_path / "on", start=tmp_path / "first")
    anew, on = (best_weights(tmp_path / name) for name in ("anew", "on"))
    assert anew.keys() == on.keys()
    assert any(not torch.equal(anew[name], on[name]) for name in on)
    with pytest.raises(CommandError, match="another encoder"):
        train(body, other, tmp_path / "anew", start=tmp_path / "first")
