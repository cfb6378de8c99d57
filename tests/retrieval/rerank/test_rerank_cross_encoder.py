"""A cross-encoder from a folder, with the real loading, tokenizer and forward pass."""

import json
import shutil
import threading
import time
from pathlib import Path

import pytest
from pytest_django import Settings

from core.rounding import LOGIT_DIGITS
from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import check_retrieval
from retrieval.rerank import rerank, reranker_fingerprint, warm_up
from retrieval.rerank.cross_encoder import BATCH, CrossEncoderReranker, folder_fault, load
from retrieval.rerank.types import Passage, RerankUnavailable
from tests.models import set_model
from tests.retrieval.rerank.rerankers import TEXTS, candidates, keys, make_cross_encoder

CONFIG = RetrievalConfig(reranker="cross-encoder")
PASSAGES = [Passage(key, "Gentamicin", text) for key, text in TEXTS.items()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_cross_encoder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def model(folder: Path, settings: Settings) -> CrossEncoderReranker:
    set_model(settings, "rerank", model=str(folder))
    return load(str(folder))


def test_it_starts_and_names_its_weights(folder: Path, settings: Settings) -> None:
    settings.RETRIEVAL = "reranker=cross-encoder"
    set_model(settings, "rerank", model=str(folder))
    assert check_retrieval(None) == []
    warm_up(CONFIG)
    assert reranker_fingerprint(CONFIG) == load(str(folder)).fingerprint
    assert reranker_fingerprint(CONFIG).startswith("tiny:")


def test_scores_are_the_logits_of_each_pair(model: CrossEncoderReranker, folder: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    plain = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        expected = [
            float(
                plain(**tokenizer("the dose", f"{p.context}\n{p.text}", return_tensors="pt")).logits
            )
            for p in PASSAGES
        ]
    got = model.score("the dose", PASSAGES, timeout_s=60)
    assert got == pytest.approx(expected, abs=0.5 * 10**-LOGIT_DIGITS + 1e-4)
    assert len(set(got)) == len(PASSAGES)


def test_the_order_is_that_of_the_scores_and_always_the_same(model: CrossEncoderReranker) -> None:
    scores = dict(zip(TEXTS, model.score("dose?", PASSAGES, timeout_s=60), strict=True))
    hits = candidates(**{key: {"context": "Gentamicin"} for key in TEXTS})
    found = [rerank("dose?", hits, CONFIG) for _ in range(3)]
    assert {keys(one.hits) for one in found} == {"".join(sorted(scores, key=lambda k: -scores[k]))}
    assert len({tuple(hit.score for hit in one.hits) for one in found}) == 1
    assert found[0].fell_back == ""


def test_a_long_question_still_leaves_room_for_the_passage(model: CrossEncoderReranker) -> None:
    question = "gentamicin " * 500
    first = model.score(question, PASSAGES, timeout_s=60)
    assert len(set(first)) == len(PASSAGES)
    assert first == model.score(question + "and more", PASSAGES, timeout_s=60)


def test_the_part_of_a_long_passage_that_answers_is_read(model: CrossEncoderReranker) -> None:
    filler = "Keep the list. " * 60
    ends = [Passage("k", "", f"{filler}{last}") for last in ("Dose 5 mg of gentamicin.", "Zq xv.")]
    one, other = model.score("gentamicin", ends, timeout_s=60)
    assert one != other  # truncated at the end they would be equal


def test_the_clock_is_looked_at_between_batches(model: CrossEncoderReranker) -> None:
    many = [Passage(str(n), "", f"Dose {n} mg. " * 8) for n in range(100 * BATCH)]
    started = time.monotonic()
    with pytest.raises(RerankUnavailable, match="not done after"):
        model.score("dose", many, timeout_s=0.0)
    assert len(model.score("dose", many[:9], timeout_s=60)) == 9  # the model is released
    assert time.monotonic() - started < 60


def test_one_question_at_a_time_and_none_waits_for_ever(model: CrossEncoderReranker) -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with model._lock:
            held.set()
            release.wait(30)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(30)
    config = config_from("reranker=cross-encoder rerank_timeout_s=0.2")
    found = rerank("dose", candidates(), config)
    release.set()
    other.join()
    assert keys(found.hits) == "abcd"
    assert found.notes == ("reranker cross-encoder: was busy with other questions for 0.2 s",)
    assert rerank("dose", candidates(), CONFIG).fell_back == ""


def broken(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "broken"))


@pytest.mark.parametrize("missing", ["config.json", "tokenizer_config.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_refused_at_start(
    folder: Path, tmp_path: Path, missing: str, settings: Settings
) -> None:
    copy = broken(folder, tmp_path)
    (copy / missing).unlink()
    settings.RETRIEVAL = "reranker=cross-encoder"
    set_model(settings, "rerank", model=str(copy))
    (fault,) = check_retrieval(None)
    assert str(fault.msg).startswith("model in [rerank] of MEDRAG_MODELS: ")


def test_a_model_that_gives_no_one_score_is_refused(folder: Path, tmp_path: Path) -> None:
    assert "more than one score" in folder_fault(
        str(make_cross_encoder(tmp_path / "two", labels=2))
    )
    copy = broken(folder, tmp_path)
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"architectures": ["BertModel"]}))
    assert "not a cross-encoder" in folder_fault(str(copy))
    (copy / "config.json").write_text("{")
    assert "can't be read" in folder_fault(str(copy))


def test_weights_that_do_not_load_leave_the_fused_order(
    folder: Path, tmp_path: Path, settings: Settings
) -> None:
    copy = broken(folder, tmp_path)
    (copy / "model.safetensors").write_bytes(b"\x08" * 100)
    set_model(settings, "rerank", model=str(copy))
    found = rerank("dose", candidates(), CONFIG)
    assert keys(found.hits) == "abcd"
    assert found.fell_back.startswith("failed unexpectedly (")
