"""Train on what a teacher wrote, use the result by a setting, and refuse what is malformed."""

import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from bench.silver.teaching import FILE
from bench.training.rows import divided, pairs_of, read_rows
from chat.evidence.judgements import Evidence, Pair
from chat.reader.pair_scorer import Group, reader_fault, reader_fingerprint, site_reader
from chat.verification.entailment.configured import verifier_fault, verifier_named
from corpus.encoders.pair_model import CALIBRATION
from evaluation.datasets.types import DatasetError
from tests.chat.sample_guidelines import publish_samples
from tests.llm.server import endpoint, replies
from tests.llm.teacher import claims, teaching
from tests.models import set_model

needs_accelerate = pytest.mark.skipif(
    importlib.util.find_spec("accelerate") is None,
    reason="Training needs accelerate: pip install -c constraints.txt '.[train]'.",
)
MEDICINES = ("gentamicin", "aspirin", "insulin", "heparin", "codeine", "digoxin")


def row(number: int) -> dict[str, Any]:
    statement = f"give {MEDICINES[number % 6]} {number + 2} mg once daily for pain."
    true, said, larger, denied, other = claims(statement)
    false = [(larger, "contradicted"), (denied, "contradicted"), (other, "not_found")]
    return {
        "doc": f"d{number % 6}", "title": f"Guideline {number % 6}", "heading": "Dose",
        "before": ["Weigh the patient first."], "statement": statement,
        "after": ["Write it in the notes."], "id": f"r{number}", "true": [true, said],
        "false": [{"kind": "written", "label": label, "text": text} for text, label in false],
        "questions": [{"style": "asked", "text": f"how much {MEDICINES[number % 6]}?"}],
    }  # fmt: skip


def written(folder: Path, rows: list[Any]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def train(what: str, *arguments: object) -> str:
    out = io.StringIO()
    call_command("train", what, *map(str, arguments), stdout=out)
    return out.getvalue()


def tiny(folder: Path) -> Path:
    """Make an encoder of BERT's family with random weights and the bundled tokenizer."""
    from transformers import AutoConfig, AutoModel, set_seed

    from corpus.encoders.folders import bundled_folder

    bundled = bundled_folder()
    set_seed(1)
    config = AutoConfig.from_pretrained(
        str(bundled), num_hidden_layers=1, hidden_size=32, num_attention_heads=2,
        intermediate_size=64,
    )  # fmt: skip
    AutoModel.from_config(config).save_pretrained(str(folder))  # type: ignore[no-untyped-call]
    (folder / "tokenizer.json").write_bytes((bundled / "tokenizer.json").read_bytes())
    return folder


@needs_accelerate
@pytest.mark.exhaustive
def test_what_some_hundred_pairs_of_a_teacher_teach(
    db: None, settings: Settings, tmp_path: Path
) -> None:
    """Print the card of a checker that was trained from the bundled encoder, in some minutes."""
    publish_samples()
    with endpoint(replies(teaching)) as server:
        set_model(settings, "teacher", server.url, model="teacher-1")
        call_command("evaluate", "silver", "documents", "--limit=130", "--out", tmp_path / "silver")
    file, out = tmp_path / "silver" / FILE, tmp_path / "checker"
    print(train("checker", file, "--licence", "the samples' own", "--out", out))
    assert json.loads((out / CALIBRATION).read_text())["threshold"] >= 0.5


@needs_accelerate
@pytest.mark.timeout(300)
def test_a_checker_is_trained_on_what_a_teacher_wrote_and_used_by_a_setting(
    db: None, settings: Settings, tmp_path: Path
) -> None:
    publish_samples()
    with endpoint(replies(teaching)) as server:
        set_model(settings, "teacher", server.url, model="teacher-1")
        call_command("evaluate", "silver", "documents", "--limit=12", "--out", tmp_path / "silver")
    file, out, base = tmp_path / "silver" / FILE, tmp_path / "checker", tiny(tmp_path / "base")
    options = ("--licence", "the samples' own", "--base", base, "--epochs", 1, "--held", 0.5)
    card = train("checker", file, *options, "--out", out)
    assert "| silver.jsonl |" in card
    assert "| teacher-1 | the samples' own |" in card
    assert "| trained |" in card
    assert "| in use |" in card
    again = tmp_path / "again"
    train("checker", file, *options, "--out", again)
    assert (again / "model.bin").read_bytes() == (out / "model.bin").read_bytes()

    bundled = verifier_named("checker").fingerprint
    set_model(settings, "checker", model=str(out))
    assert verifier_fault("checker") == ""
    used = verifier_named("checker")
    assert used.fingerprint != bundled
    (judgement,) = used.judge([Pair("Give 5 mg.", Evidence(("Give 5 mg.",)))], timeout_s=30)
    assert 0 <= judgement.score <= 1
    (out / CALIBRATION).unlink()
    assert "calibration.json" in verifier_fault("checker")


@needs_accelerate
def test_a_reader_learns_where_the_answer_is_and_is_used_by_a_setting(
    settings: Settings, tmp_path: Path
) -> None:
    file, out = written(tmp_path, [row(n) for n in range(12)]), tmp_path / "reader"
    said = train("reader", file, "--licence", "own", "--epochs", 6, "--held", 0.4, "--out", out)
    assert "right statement first" in said
    group = Group("Guideline", ("Weigh the patient first.", "give aspirin 3 mg once daily."))
    before = site_reader().odds("how much aspirin?", [group])
    assert reader_fingerprint() == ""
    set_model(settings, "reader", model=str(out))
    assert reader_fault() == ""
    assert reader_fingerprint()
    (odds,) = site_reader().odds("how much aspirin?", [group])
    assert [odds] != before
    assert odds[1] > odds[0]
    (out / "model.bin").unlink()
    assert "model.bin" in reader_fault()


def test_no_document_is_in_two_parts_and_the_seed_divides(tmp_path: Path) -> None:
    rows = read_rows([written(tmp_path, [row(n) for n in range(24)])])
    parts = divided(rows, held=0.5, seed=0)
    documents = [{each["doc"] for each in part} for part in parts]
    assert sum(map(len, parts)) == 24
    assert sum(map(len, documents)) == len(set.union(*documents)) == 6
    assert divided(rows, held=0.5, seed=0) == parts
    assert any(divided(rows, held=0.5, seed=seed) != parts for seed in range(1, 9))
    with pytest.raises(DatasetError, match="three parts"):
        divided(rows[:1], held=0.5, seed=0)
    assert len(pairs_of(rows + rows)) == len(pairs_of(rows)) == 24 * 5


@pytest.mark.parametrize(
    ("key", "value"),
    [("true", "a text"), ("false", [{"text": "a", "label": "wrong"}]), ("statement", None)],
)
def test_a_row_of_another_form_is_named(tmp_path: Path, key: str, value: Any) -> None:
    with pytest.raises(DatasetError, match=f"row 2.*{key}"):
        read_rows([written(tmp_path, [row(0), row(1) | {key: value}])])


def test_each_file_needs_its_licence_and_training_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, [row(n) for n in range(12)])
    with pytest.raises(CommandError, match="--licence"):
        train("checker", file, "--out", tmp_path / "out")
    with pytest.raises(CommandError, match="--data"):
        train("choice", "--out", tmp_path / "out")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CommandError, match=r"\.\[train\]"):
        train("checker", file, "--licence", "own", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
