"""Multiple choice in its four published forms: the right option is never guessed."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.datasets.types import DatasetError
from evaluation.question_sets import read_question_set
from evaluation.question_sets.types import Item, ItemKind
from tests.evaluation.question_sets.test_forms import from_lines, write

TEA_OR_REST = {"A": "Tea", "B": "Rest"}
BY_LETTERS = "options with letters, from A on, are needed."
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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer_idx": "C"}, "the answer is not a letter from A to B."),
        ({"answer_idx": 1}, "the answer: a text is needed."),
        ({"answer": "Tea"}, "answer is not the text of the option answer_idx."),
        ({"options": ["Tea", "Rest"]}, BY_LETTERS),
        ({"options": {"A": "Tea", "C": "Rest"}}, BY_LETTERS),
        ({"options": {"A": "Tea"}}, "2 to 26 options with text are needed."),
        ({"options": {"A": "Tea", "B": " "}}, "2 to 26 options with text are needed."),
    ],
)
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
