"""Learning the weights of features from made-up questions whose answer is known."""

import json
import random
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from bench.answers.material import labels
from bench.training.choice import Asked, Choice, Linear, without_answer
from chat.evidence.quotable import quotable_units
from chat.reader.choose import REREAD
from chat.reader.features import LARGE, READER
from chat.types import Unit
from evaluation.measures.patterns import RIGHT, UNCLEAR, WRONG
from evaluation.question_sets.patterned import Question
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

QUESTIONS = 120


def row(number: int, draw: random.Random) -> dict[str, Any]:
    """A question whose right statement has the highest `signal`; a fifth has no answer."""
    answerable = number % 5 != 0
    right = [WRONG] * 6
    signal = [draw.gauss(0, 1) for _ in right]
    if answerable:
        right[number % 6] = RIGHT
        right[(number + 1) % 6] = UNCLEAR
        signal[number % 6] += 6
    cheap = {
        "noise": [draw.gauss(0, 1) for _ in right],
        "passage rank": [log(place + 1) for place in range(6)],
        "signal": signal,
    }
    odds = [draw.gauss(0, 1) for _ in right]
    readers = {READER: odds, LARGE: [2 * each - 1 for each in odds]}
    readers |= {f"{name} behind": column for name, column in readers.items()}
    return {
        "id": f"q{number}",
        "document": f"d{number % 20}",
        "half": "looked at" if number % 3 else "counted",
        "answerable": answerable,
        "cheap": cheap,
        "cheap_right": right,
        "features": {**cheap, **readers, **({"rare": [1.0] * 6} if number % 3 else {})},
        "right": right,
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    draw = random.Random(0)
    rows = [json.dumps(row(number, draw)) for number in range(QUESTIONS)]
    (tmp_path / "choice.jsonl").write_text("\n".join(rows) + "\n")
    return tmp_path


def learn(data: Path, out: Path) -> dict[str, Any]:
    call_command("train", "choice", data=[data], out=out, name="made-1", verbosity=0)
    found: dict[str, Any] = json.loads((out / "weights.json").read_text())
    return found


def test_it_learns_what_tells_and_nothing_of_what_does_not(data: Path, tmp_path: Path) -> None:
    found = learn(data, tmp_path / "out")
    assert found["version"] == "made-1"
    for model in ("shortlist", "best", "order", "right"):
        assert found[model]["signal"] > 5 * abs(found[model]["noise"])
    assert found["unread"] == [-1.0, 2.0]  # of the large reader, from the small one's odds
    figures = json.loads((tmp_path / "out" / "choice.json").read_text())["figures"]
    assert figures["questions"] == QUESTIONS * 2 // 3  # of the half that is looked at
    assert figures["with an answer among their statements"] == 64
    assert figures["first statement right, of these"] > 0.9
    assert figures["first right or not, AUROC"] > 0.9
    assert figures["right of what is shown"] > 0.9


def test_the_same_rows_give_the_same_weights(data: Path, tmp_path: Path) -> None:
    assert learn(data, tmp_path / "one") == learn(data, tmp_path / "two")


def test_the_large_reader_reads_the_best_statements_and_is_estimated_for_others() -> None:
    count = REREAD + 2
    row = asked([WRONG] * count, signal=list(range(count)), reader=[1.0] * count)
    row.features[LARGE] = np.full(count, 7.0)
    none = Linear({})
    learned = Choice(none, Linear({"signal": 1.0}), (0.5, 2.0), none, none)
    found = learned.partly_read(row)
    assert found.features[LARGE].tolist() == [2.5, 2.5, *[7.0] * REREAD]
    assert found.features[f"{LARGE} behind"].max() == 0


def asked(right: list[int], **features: list[float]) -> Asked:
    columns = {name.replace("_", " "): np.array(column) for name, column in features.items()}
    known = np.array(right)
    return Asked("d", "counted", True, columns, known, columns, known)


def test_a_question_without_the_passages_that_answer_it_is_one_to_refuse() -> None:
    """Of five passages the first is right and the third unclear: both are removed."""
    ranks = [log(rank) for rank in (1, 1, 2, 3, 4, 5)]
    row = asked(
        [RIGHT, WRONG, WRONG, UNCLEAR, WRONG, WRONG],
        passage_rank=ranks,
        likeness=[0.9, 0.2, 0.6, 0.8, 0.5, 0.1],
        likeness_behind=[0.0, -0.7, -0.3, -0.1, -0.4, -0.8],
    )
    left = without_answer(row)
    assert not left.is_answerable and left.right.tolist() == [WRONG] * 3
    assert left.features["likeness"].tolist() == [0.6, 0.5, 0.1]
    assert left.features["likeness behind"] == pytest.approx([0.0, -0.1, -0.5])
    assert left.features["passage rank"] == pytest.approx([log(1), log(2), log(3)])


TEXT = """# Amoxicillin
Give amoxicillin 500 mg three times a day for 5 days.

Keep it cool and dry."""


def question(**values: Any) -> Question:
    return Question("q", "amoxicillin dose", is_answerable=True, **values)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        (("amoxicillin 500 mg three times a day",), [RIGHT, WRONG]),
        (("Before. Give amoxicillin 500 mg three times a day for 5 days. After.",), [RIGHT, WRONG]),
        (("cool and dry", "500 mg"), [RIGHT, RIGHT]),
        (("something else",), [WRONG, WRONG]),
    ],
)
def test_statements_are_labelled_by_the_words_of_a_quote(
    quotes: tuple[str, ...], expected: list[int]
) -> None:
    document = publish(TEXT)
    asked = question(quotes=quotes, document=document.filename)
    units = sorted(quotable(), key=lambda unit: unit.quotes[0].start)
    assert labels(asked, units) == expected


def quotable() -> list[Unit]:

    return quotable_units(hits_for("amoxicillin dose"), "amoxicillin dose")
