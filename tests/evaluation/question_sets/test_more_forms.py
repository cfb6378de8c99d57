"""Multiple choice in four published forms, and BioASQ, MedDialog, HealthSearchQA and MS²."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from evaluation.datasets.types import DatasetError
from evaluation.question_sets import read_question_set
from evaluation.question_sets.types import Item, ItemKind
from tests.evaluation.question_sets.test_forms import from_lines, read, write
from tests.tables import rows

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


@pytest.mark.parametrize(("change", "reason"), rows(__file__, "left_out_of_bioasq.jsonl"))
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


TEA_OR_REST = {"A": "Tea", "B": "Rest"}
MEDQA = {"question": "What helps?", "options": TEA_OR_REST, "answer_idx": "B"}
MEDMCQA = {
    "id": "x",
    "question": "What helps?",
    "opa": "Tea",
    "opb": "Rest",
    "opc": "Salt",
    "opd": "Sun",
    "subject_name": "Medicine",
}


def choice(key: str, *, category: str = "", split: str = "", relevant: Any = ()) -> Item:
    return Item(
        key,
        "What helps?",
        ItemKind.MULTIPLE_CHOICE,
        gold_answer="Rest",
        options=("Tea", "Rest"),
        gold_label="B",
        category=category,
        split=split,
        relevant=relevant,
    )


def test_medqa(tmp_path: Path) -> None:
    rows = [{**MEDQA, "answer": "Rest", "meta_info": "step1"}, MEDQA]
    found = from_lines(tmp_path, "medqa", rows)
    assert found.items == (choice("1", category="step1"), choice("2"))


@pytest.mark.parametrize(("change", "reason"), rows(__file__, "left_out_of_medqa.jsonl"))
def test_lines_of_medqa_that_are_left_out(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    found = from_lines(tmp_path, "medqa", [MEDQA, {**MEDQA, **change}])
    assert found.problems == (f"a.jsonl, line 2: {reason}",)


@pytest.mark.parametrize(("cops", "letters"), [((0, 1, 3), "ABD"), ((1, 2, 4), "ABD")])
def test_medmcqa_counts_from_0_or_1(tmp_path: Path, cops: tuple[int, ...], letters: str) -> None:
    rows = [{**MEDMCQA, "id": f"q{cop}", "cop": cop} for cop in cops]
    found = from_lines(tmp_path, "medmcqa", rows)
    assert "".join(item.gold_label for item in found.items) == letters
    assert found.items[1].gold_answer == "Rest"
    assert found.items[0].category == "Medicine"


@pytest.mark.parametrize("cops", [(1, 2), (3,), (0, 4)])
def test_medmcqa_that_does_not_tell_from_what_it_counts(
    tmp_path: Path, cops: tuple[int, ...]
) -> None:
    rows = [{**MEDMCQA, "id": f"q{cop}", "cop": cop} for cop in cops]
    with pytest.raises(DatasetError, match="may count from 0 or from 1"):
        from_lines(tmp_path, "medmcqa", rows)


def test_lines_of_medmcqa_that_are_left_out(tmp_path: Path) -> None:
    rows = [{**MEDMCQA, "cop": 0}, {**MEDMCQA, "cop": -1}, {**MEDMCQA, "cop": True}, MEDMCQA, "{"]
    assert from_lines(tmp_path, "medmcqa", rows).problems == (
        "a.jsonl, line 2: cop names no option.",
        "a.jsonl, line 3: cop names no option.",
        "a.jsonl, line 4: cop is missing.",
        "a.jsonl, line 5: no JSON.",
    )


@pytest.mark.parametrize("head", ["", "question,A,B,C,D,answer\n"])
def test_mmlu(tmp_path: Path, head: str) -> None:
    rows = 'What helps?,Tea,Rest,Salt,"Sun, too",B\nWhy?,a,b,c,d,E\nWhy?,a,b,c,d\n'
    write(tmp_path / "anatomy_test.csv", head + rows)
    write(tmp_path / "virology.csv", "Who?,a,b,c,d,A\n")
    found = read_question_set(tmp_path, form="mmlu")
    first, second = found.items
    assert (first.key, first.category, first.split) == ("anatomy_test/1", "anatomy", "test")
    assert (first.options[3], first.gold_answer) == ("Sun, too", "Rest")
    assert (second.key, second.category, second.split) == ("virology/1", "virology", "")
    at = 2 + bool(head)
    assert found.problems == (
        f"anatomy_test.csv, line {at}: the answer is not a letter from A to D.",
        f"anatomy_test.csv, line {at + 1}: the columns question, A, B, C, D and answer are needed.",
    )
    alone = read_question_set(tmp_path / "virology.csv", form="mmlu")
    assert alone.items == (second,)


def test_mirage(tmp_path: Path) -> None:
    row = {"question": "What helps?", "options": TEA_OR_REST, "answer": "B"}
    sets = {
        "medqa": {"0000": row, "0001": {**row, "answer": "D"}},
        "bioasq": {"0000": {**row, "PMID": [11]}},
        "odd": [row],
    }
    path = write(tmp_path / "benchmark.json", sets)
    found = read_question_set(path, form="mirage")
    assert found.items == (
        choice("medqa/0000", category="medqa", split="test"),
        choice("bioasq/0000", category="bioasq", split="test", relevant=("11",)),
    )
    assert found.problems == (
        "benchmark.json, medqa/'0001': the answer is not a letter from A to B.",
        "benchmark.json, 'odd': questions by their ids are needed.",
    )


def test_an_option_that_stands_twice(tmp_path: Path) -> None:
    twice = '{"question": "a?", "options": {"A": "a", "A": "b", "B": "c"}, "answer_idx": "A"}'
    found = from_lines(tmp_path, "medqa", [MEDQA, twice])
    assert found.problems == ("a.jsonl, line 2: the option A occurs twice.",)
