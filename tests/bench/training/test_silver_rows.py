"""Silver sets as rows of both tasks, and a model trained on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from bench.training.checker import Checker
from bench.training.material import Material, read_material
from bench.training.reader import Reader
from bench.training.types import Row, Task
from evaluation.datasets.types import DatasetError
from tests.corpus.encoders.tiny_models import transformer

LABELS = ("supported", "contradicted", "not_found")


def line(number: int, label: str, **more: Any) -> dict[str, Any]:
    """Make a line about a passage of its own words, which `number` chooses."""
    letters = " ".join("abcdef"[number // 6**place % 6] for place in range(4))
    passage = f"Adults {letters}. The dose of {letters} is two grams. Three children {letters}."
    return {
        "question": f"the dose of {letters} ?",
        "passage": passage,
        "claim": f"{label} dose of {letters}",
        "label": label,
        "quote": "" if label == "not_found" else f"The dose of {letters}",
        "teacher": "teacher-1",
        "prompt": "silver_v1:0",
        **more,
    }


def written(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "silver.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def rows(path: Path, task: Task) -> list[Row]:
    material: Material = read_material([path], task, is_open=False)
    assert material.validation
    return [*material.training, *material.validation]


def many(folder: Path) -> Path:
    return written(folder, [line(n, label) for n in range(60) for label in LABELS[n % 2 :]])


def test_each_claim_is_a_row_of_the_checker(tmp_path: Path) -> None:
    found = rows(many(tmp_path), Checker())
    assert len(found) == 30 * 3 + 30 * 2
    row = next(row for row in found if row.first == "contradicted dose of b a a a")
    assert row.second == line(1, "supported")["passage"]
    assert (row.record["label"], row.source) == ("contradicted", "silver of teacher-1")


def test_claims_about_a_question_are_not_in_both_parts(tmp_path: Path) -> None:
    material = read_material([many(tmp_path)], Checker(), is_open=False)
    training, held = ({row.second for row in part} for part in (material.training, material.validation))  # noqa: E501  # fmt: skip
    assert held
    assert not training & held


def test_each_passage_is_a_row_of_the_reader_answered_by_its_quotes(tmp_path: Path) -> None:
    lines = [
        *(line(n, "supported") for n in range(1, 60)),
        *(line(n, "contradicted", quote="is two grams") for n in range(1, 3)),
        line(1, "supported", claim="said again"),
        *(line(n, "not_found") for n in range(2)),
    ]
    found = {row.first: row.record["answers"] for row in rows(written(tmp_path, lines), Reader())}
    assert len(found) == 60
    # `Adults b a a a. ` has 16 characters, `The dose of b a a a ` 20.
    both = [{"start": 16, "text": "The dose of b a a a"}, {"start": 36, "text": "is two grams"}]
    assert found["the dose of b a a a ?"] == both
    assert found["the dose of a a a a ?"] == []
    assert len(found["the dose of d a a a ?"]) == 1


@pytest.mark.parametrize("task", [Checker(), Reader()])
def test_a_teachers_words_are_of_no_open_licence_unless_it_is_said(
    tmp_path: Path, task: Task
) -> None:
    path = many(tmp_path)
    with pytest.raises(DatasetError, match="0 rows are left") as raised:
        read_material([path], task, is_open=True)
    assert "left out for their licence" in raised.value.hint
    (tmp_path / "licences.json").write_text(json.dumps({"silver of teacher-1": "CC BY 4.0"}))
    assert read_material([path], task, is_open=True).licences == {"silver of teacher-1": "CC BY 4.0"}  # noqa: E501  # fmt: skip


@pytest.mark.parametrize("what", ["checker", "reader"])
def test_the_command_takes_the_file(tmp_path: Path, what: str) -> None:
    body, out = tmp_path / "body", tmp_path / "out"
    transformer(body, width=64, layers=3, spread=0.1)
    call_command(
        *("train", what, "--data", many(tmp_path), "--out", out),
        *("--body", body, "--licence", "any"),
        *("--epochs", "1", "--batch", "64", "--threads", "1", "--precision", "float32"),
    )  # fmt: skip
    card = json.loads((out / "card.json").read_text())
    counts = card["data"]["silver of teacher-1"]
    total = 150 if what == "checker" else 60
    assert counts["training"] + counts["validation"] == total
    assert counts["licence"] == "not stated"
