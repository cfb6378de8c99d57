"""The forms BioASQ, MedDialog, HealthSearchQA and MS²."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from evaluation.datasets.types import DatasetError
from evaluation.question_sets import read_question_set
from evaluation.question_sets.types import Item, ItemKind
from tests.evaluation.question_sets.test_forms import from_lines, read, write

BIOASQ = {
    "id": "55a",
    "body": "Does tea\nhelp?",
    "type": "yesno",
    "ideal_answer": ["No.", "It does not."],
    "exact_answer": "No",
    "documents": ["http://www.ncbi.nlm.nih.gov/pubmed/15829955", "http://example.org/a"],
    "snippets": [{"text": "Tea did nothing."}],
}
DIALOGUES = """id=1
https://example.org/1
Description
Q. What are these spots?

Dialogue
Patient:
Hello doctor,
my boy has spots.
Doctor:
It may be measles.
Patient:
Thank you.


id=2
Description
Is rest enough?
Dialogue
Doctor:
Yes.

id=3
Description
Anybody?
"""


def test_bioasq(tmp_path: Path) -> None:
    factoid = {"id": "2", "body": "Which gene?", "type": "factoid", "exact_answer": [["A1", "a"]]}
    listing = {
        "id": "3",
        "body": "Which drugs?",
        "type": "list",
        "ideal_answer": "Two.",
        "exact_answer": [["B", "b"], ["C"]],
    }
    unanswered = {"id": "4", "body": "What is new?", "type": "summary"}
    found = read(tmp_path, "bioasq", {"questions": [BIOASQ, factoid, listing, unanswered]})
    assert not found.problems
    assert found.items == (
        Item(
            "55a",
            "Does tea help?",
            ItemKind.YES_NO,
            gold_answer="No.",
            other_answers=("It does not.",),
            relevant=("15829955", "http://example.org/a"),
            gold_label="no",
            category="yesno",
        ),
        Item(
            "2",
            "Which gene?",
            ItemKind.ANSWERABLE,
            gold_answer="A1",
            gold_claims=("A1",),
            category="factoid",
        ),
        Item(
            "3",
            "Which drugs?",
            ItemKind.ANSWERABLE,
            gold_answer="Two.",
            gold_claims=("B", "C"),
            category="list",
        ),
        Item("4", "What is new?", ItemKind.UNLABELLED, category="summary"),
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"type": "essay"}, "the type must be one of yesno, factoid, list, summary."),
        ({"exact_answer": "perhaps"}, "the label must be one of yes, no, maybe."),
        ({"documents": "a"}, "documents must be a list."),
        ({"ideal_answer": 3}, "ideal_answer: a text is needed."),
        ({"ideal_answer": [3]}, "ideal_answer: a text is needed."),
        ({"type": "list", "exact_answer": [{}]}, "exact_answer: a text is needed."),
        ({"body": None}, "the question has no words."),
    ],
)
def test_questions_of_bioasq_that_are_left_out(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    rows = {"questions": [BIOASQ, {**BIOASQ, "id": "2", **change}]}
    assert read(tmp_path, "bioasq", rows).problems == (f"set.json, record 2: {reason}",)


def test_meddialog_in_json(tmp_path: Path) -> None:
    rows = [
        {"description": "Spots", "utterances": ["patient: My boy has spots.", "doctor: Measles."]},
        {"description": "Only this?", "utterances": ["Doctor: Yes."]},
        {"description": "x", "utterances": ["nurse: Yes."]},
        {"description": "x"},
    ]
    found = read(tmp_path, "meddialog", rows)
    assert found.items == (
        Item("1", "My boy has spots.", ItemKind.ANSWERABLE, gold_answer="Measles."),
        Item("2", "Only this?", ItemKind.ANSWERABLE, gold_answer="Yes."),
    )
    assert list(found.problems) == [
        "set.json, record 3: an utterance must begin with patient: or doctor:.",
        "set.json, record 4: utterances is missing.",
    ]


def test_meddialog_in_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", f"Dialogues of a site\n{DIALOGUES}")
    found = read_question_set(path, form="meddialog")
    answer = "It may be measles."
    assert found.items == (
        Item("1", "Hello doctor, my boy has spots.", ItemKind.ANSWERABLE, gold_answer=answer),
        Item("2", "Is rest enough?", ItemKind.ANSWERABLE, gold_answer="Yes."),
    )
    assert list(found.problems) == [
        "a.txt, line 1: it begins without an id=.",
        "a.txt, line 24: it has neither Patient: nor Doctor:.",
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '["What is gout?", {"question": "Why do I itch?"}]'),
        ("a.jsonl", '{"question": "What is gout?"}\n\n"Why do I itch?"'),
        ("a.csv", 'Id,Question\r\n1,What is gout?\r\n2,"Why do\nI itch?"\r\n'),
        ("a.txt", "\ufeffWhat is gout?\r\n\r\nWhy do I itch?"),
        ("a", "What is gout?\nWhy do I itch?\n"),
    ],
)
def test_healthsearchqa(tmp_path: Path, name: str, content: str) -> None:
    found = read_question_set(write(tmp_path / name, content), form="healthsearchqa")
    assert not found.problems
    assert [item.question for item in found.items] == ["What is gout?", "Why do I itch?"]
    assert {item.kind for item in found.items} == {ItemKind.UNLABELLED}


def test_healthsearchqa_packed(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"What is gout?"))
    assert len(read_question_set(tmp_path / "a.txt.gz", form="healthsearchqa").items) == 1


def test_rows_of_healthsearchqa_that_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,question\n1,What is gout?\n2\n1,Why?\n3,\n")
    assert read_question_set(path, form="healthsearchqa").problems == (
        "a.csv, line 3: 2 columns are needed.",
        "a.csv, line 4: the id '1' occurs twice; only the first is kept.",
        "a.csv, line 5: the question has no words.",
    )
    with pytest.raises(DatasetError, match="no column question"):
        read_question_set(write(tmp_path / "b.csv", "What is gout?\n"), form="healthsearchqa")


def test_ms2(tmp_path: Path) -> None:
    review = {"review_id": 9, "title": "Tea for pain", "background": "x", "target": "No effect."}
    shared = {
        "review_id": "8",
        "pmid": ["1", "2"],
        "title": ["A trial", "Another"],
        "background": "Does rest help?",
        "target": "",
    }
    found = from_lines(tmp_path, "ms2", [review, "", shared, "{", {"title": "x"}])
    assert found.items == (
        Item("9", "Tea for pain", ItemKind.ANSWERABLE, gold_answer="No effect."),
        Item("8", "Does rest help?", ItemKind.UNLABELLED, relevant=("1", "2")),
    )
    assert list(found.problems) == [
        "a.jsonl, line 4: no JSON.",
        "a.jsonl, line 5: background, target are missing.",
    ]
