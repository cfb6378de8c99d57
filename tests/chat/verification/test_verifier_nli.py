"""Test a local NLI model from a folder, with the real loading, tokenizer and forward pass."""

import itertools
import json
import shutil
import threading
from math import exp
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Evidence, Label, Pair
from chat.system_checks import check_verifier
from chat.verification.entailment.configured import site_verifier, warm_up
from chat.verification.entailment.cross_encoder import CrossEncoderVerifier, folder_fault, load
from tests.chat.verification.verifiers import LABELS, LOGIT, make_nli
from tests.models import set_model

CLAIM = "give 5 mg"
FILLER = "the dose is 5 mg daily . " * 3
# The logit of the one mark of the pair, the negative one of the other, and neutral 0.
SURE = exp(LOGIT) / (exp(LOGIT) + exp(-LOGIT) + 1)
UNSURE = exp(-LOGIT) / (2 * exp(-LOGIT) + 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_nli(tmp_path_factory.mktemp("models") / "tiny-nli")


@pytest.fixture(scope="module")
def model(folder: Path) -> CrossEncoderVerifier:
    return CrossEncoderVerifier(folder, bar=0.5)


def pair(*quotes: str, claim: str = CLAIM, context: str = "") -> Pair:
    return Pair(claim, Evidence(quotes, context))


def test_the_labels_are_those_of_the_largest_probability(model: CrossEncoderVerifier) -> None:
    pairs = [pair("confirms"), pair("denies"), pair("the dose is 5 mg")]
    yes, no, nothing = model.judge(pairs, timeout_s=60)
    assert [each.label for each in (yes, no, nothing)] == [
        Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_FOUND
    ]  # fmt: skip
    assert yes.score == pytest.approx(SURE, abs=1e-4)
    assert no.contradiction == pytest.approx(SURE, abs=1e-4)
    assert nothing.score == pytest.approx(UNSURE, abs=1e-4)
    assert model.judge([], timeout_s=60) == []


@pytest.mark.parametrize("order", list(itertools.permutations(LABELS)), ids="-".join)
def test_the_order_of_the_outputs_is_read_from_the_model(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    other = CrossEncoderVerifier(make_nli(tmp_path / "m", labels=order), bar=0.5)
    yes, no = other.judge([pair("confirms"), pair("denies")], timeout_s=60)
    assert (yes.label, no.label) == (Label.SUPPORTED, Label.CONTRADICTED)


def test_a_model_of_two_outputs_contradicts_nothing(tmp_path: Path) -> None:
    labels = ("ENTAILMENT", "not_entailment")
    other = CrossEncoderVerifier(make_nli(tmp_path / "m", labels=labels), bar=0.5)
    yes, no = other.judge([pair("confirms"), pair("denies")], timeout_s=60)
    assert (yes.label, no.label) == (Label.SUPPORTED, Label.NOT_FOUND)
    assert no.contradiction == 0.0


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (("LABEL_0", "LABEL_1", "LABEL_2"), "'LABEL_0'"),
        (("entailment", "entailed", "neutral"), "'entailed'"),
        (("contradiction", "neutral"), "no label for what follows"),
        (("entailment",), "two or three labels"),
        (("entailment", "neutral", "contradiction", "other"), "two or three labels"),
        (("yes", "no"), "'yes'"),
    ],
)
def test_labels_that_say_nothing_are_refused_by_name(
    tmp_path: Path, labels: tuple[str, ...], named: str, settings: Settings
) -> None:
    folder = make_nli(tmp_path / "m", labels=labels)
    settings.VERIFIER = "nli"
    set_model(settings, "verifier", model=str(folder))
    (fault,) = check_verifier(None)
    assert str(fault.msg).startswith("model in [verifier] of MEDRAG_MODELS: ")
    assert named in str(fault.msg)
    with pytest.raises(ImproperlyConfigured, match=r"model in \[verifier\]"):
        site_verifier()


def test_a_bar_above_what_the_model_says_supports_nothing(folder: Path) -> None:
    strict = CrossEncoderVerifier(folder, bar=0.999)
    yes, no = strict.judge([pair("confirms"), pair("denies")], timeout_s=60)
    assert (yes.label, no.label) == (Label.NOT_FOUND, Label.NOT_FOUND)
    assert yes.score == pytest.approx(SURE, abs=1e-4)


def test_both_marks_in_one_window_are_neither(model: CrossEncoderVerifier) -> None:
    (found,) = model.judge([pair("confirms denies")], timeout_s=60)
    assert found.label is Label.NOT_FOUND
    assert found.score == pytest.approx(exp(LOGIT) / (2 * exp(LOGIT) + 1), abs=1e-4)


@pytest.mark.parametrize("place", range(8))
def test_long_evidence_is_read_to_its_end(model: CrossEncoderVerifier, place: int) -> None:
    sentences = ["The dose is 5 mg daily."] * 8
    sentences[place] = "The dose confirms."
    (found,) = model.judge([pair("\n".join(sentences))], timeout_s=60)
    assert found.label is Label.SUPPORTED
    (found,) = model.judge([pair("\n".join(sentences).replace("confirms", "denies"))], timeout_s=60)
    assert found.label is Label.CONTRADICTED


def test_a_window_that_contradicts_weighs_more_than_one_that_entails(
    model: CrossEncoderVerifier,
) -> None:
    far = "\n".join(["It confirms.", *["The dose is 5 mg daily."] * 12, "It denies."])
    (found,) = model.judge([pair(far)], timeout_s=60)
    assert found.label is Label.CONTRADICTED
    assert found.score == pytest.approx(SURE, abs=1e-3)


def test_the_context_is_read_with_every_window(model: CrossEncoderVerifier) -> None:
    found = model.judge(
        [pair("the dose is 5 mg", context="confirms"), pair("the dose", context="")], timeout_s=60
    )
    assert [each.label for each in found] == [Label.SUPPORTED, Label.NOT_FOUND]


def test_what_can_not_be_read_whole_supports_nothing(model: CrossEncoderVerifier) -> None:
    long_claim = pair("confirms", claim="give 5 mg daily " * 40)
    long_sentence = pair("confirms " + "the dose is 5 mg daily , " * 40)
    no_text = pair("")
    for found in model.judge([long_claim, long_sentence, no_text], timeout_s=60):
        assert (found.label, found.score, found.contradiction) == (Label.NOT_FOUND, 0.0, 0.0)


def test_the_same_pairs_have_the_same_figures_in_any_company(model: CrossEncoderVerifier) -> None:
    pairs = [pair(f"{FILLER} {word}") for word in ("confirms", "denies", "a", "b", "c", "d")]
    together = model.judge(pairs, timeout_s=60)
    alone = [model.judge([each], timeout_s=60)[0] for each in pairs]
    assert [each.label for each in together] == [each.label for each in alone]
    assert [each.score for each in together] == pytest.approx([e.score for e in alone], abs=1e-6)
    assert together == model.judge(pairs, timeout_s=60)
    assert model.judge([pairs[1], pairs[0], pairs[1]], timeout_s=60)[2].label is Label.CONTRADICTED


def test_it_is_late_or_busy_and_says_so(model: CrossEncoderVerifier) -> None:
    with pytest.raises(VerifierUnavailable, match="not done after 0 s"):
        model.judge([pair(f"confirms {n}") for n in range(50)], timeout_s=0.0)
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with model._lock:
            held.set()
            release.wait(30)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(30)
    with pytest.raises(VerifierUnavailable, match="was busy"):
        model.judge([pair("confirms")], timeout_s=0.1)
    release.set()
    other.join()
    assert model.judge([pair("confirms")], timeout_s=60)[0].label is Label.SUPPORTED


def test_figures_that_are_none_are_refused(tmp_path: Path) -> None:
    broken = CrossEncoderVerifier(make_nli(tmp_path / "m", scales=(float("nan"), 1.0)), bar=0.5)
    with pytest.raises(VerifierUnavailable, match="can't be used"):
        broken.judge([pair("confirms")], timeout_s=60)


def test_the_site_s_own_is_loaded_once_and_named(folder: Path, settings: Settings) -> None:
    settings.VERIFIER = "nli"
    set_model(settings, "verifier", model=str(folder))
    assert check_verifier(None) == []
    warm_up()
    assert site_verifier() is site_verifier()
    assert site_verifier().fingerprint.startswith("nli-1:tiny-nli:")
    assert load(str(folder), bar=0.9).fingerprint != load(str(folder), bar=0.5).fingerprint


def test_without_a_model_the_start_stops(settings: Settings) -> None:
    settings.VERIFIER = "nli"
    set_model(settings, "verifier", model="")
    (fault,) = check_verifier(None)
    assert str(fault.msg) == "MEDRAG_VERIFIER=nli needs model in [verifier] of MEDRAG_MODELS."
    set_model(settings, "verifier", model="/nowhere/at/all")
    (fault,) = check_verifier(None)
    assert "there is no folder /nowhere/at/all" in str(fault.msg)


@pytest.mark.parametrize("missing", ["config.json", "tokenizer_config.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_refused(folder: Path, tmp_path: Path, missing: str) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "broken"))
    (copy / missing).unlink()
    assert folder_fault(str(copy))


def test_weights_that_can_not_be_read_are_refused(
    folder: Path, tmp_path: Path, settings: Settings
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "broken"))
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    settings.VERIFIER = "nli"
    set_model(settings, "verifier", model=str(copy))
    (fault,) = check_verifier(None)
    assert "model.safetensors can't be read" in str(fault.msg)


def test_a_tokenizer_that_can_not_be_read_is_refused_by_name(
    folder: Path, tmp_path: Path, settings: Settings
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "broken"))
    for name in ("tokenizer.json", "vocab.txt"):
        (copy / name).unlink(missing_ok=True)
    (copy / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "NoSuchTokenizer"}))
    settings.VERIFIER = "nli"
    set_model(settings, "verifier", model=str(copy))
    with pytest.raises(ImproperlyConfigured, match=r"model in \[verifier\] .* can't be loaded"):
        site_verifier()
