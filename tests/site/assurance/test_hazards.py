"""The hazard log is whole, its page is up to date, and each control is held by tests that run."""

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from medrag_site.assurance import hazards as log
from medrag_site.assurance.hazards import HazardLogError, Risk, controlling_tests, hazards

pytest_plugins = ["pytester"]
Row = dict[str, Any]
ROOT = Path(__file__).resolve().parents[3]


def test_thirty_hazards_are_rated_and_none_is_left_that_must_not_be_accepted() -> None:
    assert len(hazards()) >= 25
    assert all(each.residual.rating <= log.LARGEST_ACCEPTED for each in hazards())
    assert any(each.needs_acceptance for each in hazards())


@pytest.mark.parametrize(
    ("severity", "likelihood", "rating"),
    [
        ("minor", "very low", 1),
        ("catastrophic", "very low", 3),
        ("minor", "very high", 3),
        ("considerable", "medium", 3),
        ("major", "high", 4),
        ("catastrophic", "high", 5),
    ],
)
def test_ratings_are_those_of_the_matrix(severity: str, likelihood: str, rating: int) -> None:
    assert Risk(severity, likelihood).rating == rating


@pytest.mark.parametrize("test", sorted(controlling_tests()))
def test_each_control_is_held_by_a_test_that_is_not_marked_to_be_skipped(test: str) -> None:
    file, _, name = test.partition("::")
    assert name in _functions(file), f"{test} is gone: a control of {controlling_tests()[test]}"
    marks = [ast.unparse(mark) for mark in _functions(file)[name].decorator_list]
    seldom = tuple(f"pytest.mark.{name}" for name in ("skip", "xfail", "exhaustive"))
    assert not [mark for mark in marks if mark.startswith(seldom)]


@cache
def _functions(file: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_a_test_of_a_control_that_is_skipped_fails(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.controls import pytest_runtest_makereport\n")
    name = next(iter(controlling_tests()))
    file, _, function = name.partition("::")
    path = pytester.path / file
    path.parent.mkdir(parents=True)
    path.write_text(f"import pytest\ndef {function}(): pytest.skip('no data')\n")
    pytester.makepyfile(test_other="import pytest\ndef test_other(): pytest.skip('no data')\n")
    result = pytester.runpytest_inprocess("-p", "no:django", "-p", "no:cacheprovider", ".")
    result.assert_outcomes(failed=1, skipped=1)


def test_the_page_is_made_from_the_log() -> None:
    assert log.PAGE.read_text(encoding="utf-8") == log.page()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"severity": "bad"}, "matrix"),
        ({"residual": "very high"}, "worse"),
        ({"controls": [{"text": "none", "tests": []}]}, "without a test"),
        ({"left": None}, "lacks left"),
    ],
)
def test_what_is_not_whole_is_named(change: Row, named: str) -> None:
    row = tomllib.loads(log.LOG.read_text(encoding="utf-8"))["hazard"][0] | change
    row = {key: value for key, value in row.items() if value is not None}
    with pytest.raises(HazardLogError, match=f"H01.*{named}"):
        log._hazard(row)
