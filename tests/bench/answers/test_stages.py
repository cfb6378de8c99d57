"""Questions written from documents, and the stage at which their text is lost."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bench.answers.questions import read_questions
from bench.answers.stages import stages_lines, stages_of
from evaluation.datasets.types import DatasetError
from evaluation.measures.patterns import matches
from evaluation.question_sets.patterned import Question
from tests.corpora import publish

GUIDELINE = """# Zelomycin in cystitis

## Dose

Give adults with cystitis zelomycin 200 mg twice a day for 3 days.

Give children with cystitis zelomycin 50 mg twice a day for 3 days.
"""
PLACE: dict[str, Any] = {
    "id": "place-1",
    "document": "zelomycin.md",
    "page": None,
    "answer": "zelomycin **200 mg** twice a\u00a0day",
    "needs": ["adults"],
    "form": "sentence",
    "question": "zelomycin dose adult cystitis?",
    "plain": "Which dose of zelomycin for an adult with cystitis?",
    "wrong": ["50 mg twice"],
}
NOWHERE = {**PLACE, "id": "place-2", "form": "none", "answer": None, "needs": None, "wrong": None}


def questions(folder: Path, *rows: dict[str, Any]) -> tuple[Question, ...]:
    documents = folder / "documents"
    documents.mkdir(exist_ok=True)
    (documents / "zelomycin.md").write_text(GUIDELINE)
    path = folder / "places.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return read_questions(path, documents).questions


def test_a_place_is_asked_in_both_wordings_in_the_half_of_its_document(tmp_path: Path) -> None:
    short, full = questions(tmp_path, PLACE)
    assert (short.text, full.text) == (PLACE["question"], PLACE["plain"])
    assert short.half is full.half
    assert short.half is questions(tmp_path, {**PLACE, "id": "place-3"})[0].half


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Give zelomycin 200 mg twice a day.", 1),
        ("zelomycin | 200 mg | twice-a day", 1),
        ("zelomycin 20 mg twice a day", 0),
    ],
)
def test_a_place_is_found_whatever_stands_between_its_words(
    tmp_path: Path, text: str, found: int
) -> None:
    assert matches(questions(tmp_path, PLACE)[0].decisive, text) == found


def test_a_row_is_asked_as_often_as_it_has_questions(tmp_path: Path) -> None:
    asked = [{"text": "zelomycin child?"}, {"text": "Which dose for children?"}]
    row = {"id": "row-1", "title": "zelomycin.md", "statement": "50 mg", "questions": asked}
    assert [each.quotes for each in questions(tmp_path, row)] == [("50 mg",)] * 2


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="can't be read"):
        questions(tmp_path, {"id": "place-1"})


@pytest.mark.django_db
def test_stages_that_the_text_came_through(tmp_path: Path) -> None:
    publish(GUIDELINE, filename="zelomycin.md")
    found = {each.id: stages_of(each) for each in questions(tmp_path, PLACE, NOWHERE)}
    assert found["place-1"]["reached"][:4] == [
        "passages",
        "first three passages",
        "statement",
        "with what it stands under",
    ]
    # What was never shown is nowhere lost: of these only whether the gate opens is counted.
    assert set(found["place-2"]["reached"]) <= {"let in"}

    lacks = questions(tmp_path, {**PLACE, "needs": ["porphyria"]})[0]
    assert "with what it stands under" not in stages_of(lacks)["reached"]
    absent = questions(tmp_path, {**PLACE, "answer": "zelomycin 900 mg"})[0]
    assert stages_of(absent)["reached"] == []


def test_the_table_counts_by_wording_half_and_kind() -> None:
    row = {"half": "counted", "kind": "cell", "answerable": True}
    rows = [
        {**row, "id": "a", "reached": ["passages", "first"]},
        {**row, "id": "a-plain", "reached": ["passages"]},
        {**row, "id": "b", "answerable": False, "reached": ["let in"]},
    ]
    lines = {line.split(" | ")[0]: line.split(" | ")[1:] for line in stages_lines(rows)[2:]}
    assert lines["| as asked, counted"] == ["1", "1", "0", "0", "0", "0", "0", "1", "0 |"]
    assert lines["| in full, kind cell"][:2] == ["1", "1"]
    assert lines["| as asked, unanswerable"] == ["1", "0", "0", "0", "0", "0", "0", "0", "1 |"]
