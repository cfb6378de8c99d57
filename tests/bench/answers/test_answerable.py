"""Learning the gate for a language model from questions with and without an answer."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from chat.reader.features import LARGE, READER
from evaluation.measures.patterns import RIGHT, WRONG

QUESTIONS = 120


def row(number: int, draw: random.Random, *, answered: bool) -> dict[str, Any]:
    level = 0.7 if answered else 0.3
    columns = {
        name: [level + draw.gauss(0, 0.08) for _ in range(4)]
        for name in ("likeness", "words", "words with context", "passage words")
    }
    for name in (READER, LARGE):
        columns |= {name: columns["likeness"], f"{name} behind": columns["likeness"]}
    right = [RIGHT if answered and not place else WRONG for place in range(4)]
    return {
        "id": f"q{number}",
        "document": f"d{number % 20}" if answered else "",
        "half": "looked at" if number % 3 else "counted",
        "answerable": answered,
        "cheap": columns,
        "cheap_right": right,
        "features": columns,
        "right": right,
    }


def written(folder: Path, share: int) -> Path:
    draw = random.Random(0)
    rows = [row(n, draw, answered=n % share != 0) for n in range(QUESTIONS)]
    folder.mkdir(exist_ok=True)
    (folder / "choice.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder


def learn(data: Path, out: Path) -> dict[str, Any]:
    call_command("train", "gate", data=[data], out=out, name="made-1", verbosity=0)
    found: dict[str, Any] = json.loads((out / "answerable.json").read_text())
    return found


def test_it_tells_the_two_apart_and_lets_nearly_all_answers_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = learn(written(tmp_path / "data", 2), tmp_path / "out")
    assert found["version"] == "made-1"
    assert found["weights"]["highest likeness"] > 0
    assert 0 < found["threshold"] < 1
    said = capsys.readouterr().out
    assert "looked at, answer there, let through: 40 of 40" in said or "39 of 40" in said
    assert "counted, others, stopped: 20 of 20" in said


def test_the_same_rows_give_the_same_file(tmp_path: Path) -> None:
    data = written(tmp_path / "data", 2)
    assert learn(data, tmp_path / "one") == learn(data, tmp_path / "two")


def test_questions_of_one_kind_alone_teach_nothing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="both needed"):
        learn(written(tmp_path / "data", 10_000), tmp_path / "out")
