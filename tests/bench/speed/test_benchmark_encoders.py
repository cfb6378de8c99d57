"""The comparison of backends: their times, and that they rank alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from bench.speed import encoders
from bench.speed.encoders import agreement, timed_in_turns
from corpus.encoders.backends.local import LocalEmbedder, LocalModel
from corpus.encoders.folders import bundled_folder
from corpus.encoders.registry import get_embedder


@pytest.fixture(scope="module")
def by_torch() -> LocalEmbedder:
    model = LocalModel(bundled_folder(), backend="torch")
    return LocalEmbedder(model, kept_in=settings.MODELS_DIR, threads=1)


def test_texts_have_exactly_the_tokens_that_are_said() -> None:
    marks = 2
    for tokens in (encoders.QUESTION_TOKENS, encoders.PASSAGE_TOKENS):
        counted = [get_embedder().count_tokens(text) for text in encoders._texts(20, tokens, 1)]
        assert set(counted) == {tokens - marks}


def test_every_encoder_is_timed_in_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "PASSAGES", 2)
    monkeypatch.setattr(encoders, "QUESTIONS", 3)
    found = timed_in_turns({"one": get_embedder(), "two": get_embedder()}, rounds=2)
    assert set(found) == {"one", "two"}
    for timed in found.values():
        assert (len(timed.questions_ms), len(timed.passages_s)) == (6, 2)
        assert 0 < timed.p50_ms <= timed.p95_ms
        assert timed.per_second > 0
        assert timed.work_ms > 0


def scifact() -> Path:
    """Return SciFact's folder below any parent of the checkout; skip the test if there is none."""
    for above in settings.BASE_DIR.parents:
        if (above / "shared" / "data" / "scifact").is_dir():
            return above / "shared" / "data" / "scifact"
    pytest.skip("SciFact's files are not here")


@pytest.mark.exhaustive
def test_both_backends_rank_alike(by_torch: LocalEmbedder) -> None:
    """In 16 bits, abstracts with nearly equal scores may swap places."""
    found = agreement(by_torch, get_embedder(), scifact(), documents=120, questions=80)
    assert found.documents == 120
    assert found.lowest_cosine > 0.9995
    assert found.overlap >= 0.99
    assert found.same_first >= 0.97
    assert found.ndcg[0] == pytest.approx(found.ndcg[1], abs=0.01)
    assert found.ndcg[0] > 0.5
