"""Test that each doubt has a grade, by what can go wrong for a reader."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.parsing import selfcheck
from corpus.parsing.clean import UNREADABLE
from corpus.parsing.doubts.grades import GRADES, WITHOUT_VALUE, Grade, grade_of, grade_where
from corpus.parsing.doubts.pages import graded
from corpus.parsing.layout.doubts import SIGN_UNREADABLE
from corpus.parsing.layout.panels import FLOW_CHART
from corpus.parsing.selfcheck.share import values_lost
from corpus.parsing.types import Doubt, Page

CORPUS = Path(selfcheck.__file__).parents[2]


def _codes() -> Iterator[str]:
    """Yield the code of each `Doubt(...)` in the app's source; names are looked up in its file."""
    for path in CORPUS.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = dict(_constants(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Doubt" and node.args:
                code = node.args[0]
                if isinstance(code, ast.Constant):
                    yield str(code.value)
                elif isinstance(code, ast.Name) and code.id in named:
                    yield named[code.id]


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(
            node.targets[0], ast.Name | ast.Tuple
        ):
            continue
        target = node.targets[0]
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for name, value in zip(names, values, strict=False):
            if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                yield name.id, str(value.value)


def test_every_code_has_one_grade() -> None:
    made = {*_codes(), "page_unreadable", "words_not_found", "values_not_found"}
    assert len(made) > 60
    assert made - set(GRADES) == set()
    assert set(GRADES) - made == set()
    assert set(WITHOUT_VALUE) <= {code for code in GRADES if grade_of(code) is Grade.VALUE}


def test_what_nobody_graded_is_a_value() -> None:
    assert grade_of("something_new") is Grade.VALUE
    assert Doubt("something_new", "New.").grade is Grade.VALUE


@pytest.mark.parametrize(
    ("words", "grade"),
    [
        ("Give 5 mg daily.", Grade.VALUE),
        ("Do not give it.", Grade.VALUE),
        ("Nicht geben.", Grade.VALUE),
        ("Take half a tablet.", Grade.VALUE),
        ("At SpO2 < that of rest", Grade.VALUE),
        ("Keep the patient warm.", Grade.STRUCTURE),
        ("", Grade.VALUE),  # of a whole page
    ],
)
def test_words_over_each_other_count_by_what_they_say(words: str, grade: Grade) -> None:
    assert grade_where("overprinted_words", words) is grade
    assert grade_where("text_cut", words) is Grade.VALUE  # its value may be what was cut


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        (f"CD4 {UNREADABLE} 200", Grade.VALUE),
        (f"Give 10 {UNREADABLE}g daily.", Grade.VALUE),
        (f"{UNREADABLE} Give 5 mg daily.", Grade.NOTE),  # a bullet
        (f"Shock {UNREADABLE}\n6.2 | Fever", Grade.NOTE),  # the next row's number
        (f"See {UNREADABLE} the ward's list.", Grade.NOTE),
    ],
)
def test_an_unreadable_sign_counts_beside_a_number(text: str, grade: Grade) -> None:
    doubt = Doubt(SIGN_UNREADABLE.code, SIGN_UNREADABLE.message, 0, len(text))
    (found,) = graded(Page(1, text, (), doubts=(doubt,))).doubts
    assert found.grade is grade


def test_one_flow_chart_is_one_doubt() -> None:
    nodes = tuple(Doubt(FLOW_CHART.code, "A box.", at, at + 2) for at in (0, 3, 6))
    doubts = graded(Page(1, "ab cd ef", (), doubts=nodes)).doubts
    assert [doubt.grade for doubt in doubts] == [Grade.STRUCTURE, Grade.NOTE, Grade.NOTE]
    assert [(doubt.start, doubt.end) for doubt in doubts] == [(0, 2), (3, 5), (6, 8)]


@pytest.mark.parametrize(
    ("printed", "read", "lost"),
    [
        ("Give 5 mg 2 times", "2 times Give 5 mg", 0),
        ("Give 1. 5 mg", "Give 1.5 mg", 0),
        ("Give 5 mg, then 5 mg", "Give 5 mg, then", 1),
        ("Do not give 5 mg", "Do give 8 mg", 2),
        ("Keep the patient warm", "Keep", 0),
    ],
)
def test_numbers_and_negations_lost_are_counted(printed: str, read: str, lost: int) -> None:
    assert values_lost(printed, read) == lost


def test_what_is_doubted_twice_at_one_place_is_one_doubt() -> None:
    twice = (Doubt("words_struck", "Struck.", 0, 4), Doubt("words_struck", "Struck.", 0, 4))
    others = (Doubt("words_struck", "Struck.", 5, 9), Doubt("sign_misread", "Misread.", 0, 4))
    doubts = graded(Page(1, "5 mg 6 mg", (), doubts=(*twice, *others))).doubts
    assert doubts == (twice[0], *others)
