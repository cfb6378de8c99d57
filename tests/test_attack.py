"""What `make attack` says of tests that pass, fail, can't run, or come too late."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.attack import ATTACKS, Attack, Table

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import pytest

def test_holds(record_property):
    record_property("kills", 20)

@pytest.mark.parametrize("n", [1, 2])
def test_breaks(n):
    assert n == 1

def test_can_not_be_tried():
    pytest.skip("no tmpfs can be mounted here")
"""
RUN = """
import sys
from tests.attack import Attack, run
name, time_s, *tests = sys.argv[1:]
sys.exit(run([Attack(name, "tests", tests)], float(time_s)))
"""


def attacked(folder: Path, *names: str, time_s: float = 60.0) -> tuple[int, str]:
    """Return the end status and the row."""
    made = folder / "test_made.py"
    made.write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n")
    tests = [f"{made.name}::{name}" for name in names]
    done = subprocess.run(
        [sys.executable, "-c", RUN, "some attack", str(time_s), *tests],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    rows = [line for line in done.stdout.splitlines() if line.startswith("some attack")]
    assert len(rows) == 1, done.stdout + done.stderr
    return done.returncode, " ".join(rows[0].split()[:-1])


def test_what_held_is_counted_as_the_test_says(tmp_path: Path) -> None:
    assert attacked(tmp_path, "test_holds") == (0, "some attack 20 kills nothing")


def test_what_broke_is_named_and_is_the_end_status(tmp_path: Path) -> None:
    status, row = attacked(tmp_path, "test_breaks", "test_holds")
    assert (status, row) == (1, "some attack 2 tests; 20 kills test_breaks[2]")


def test_what_can_not_be_tried_says_why_and_is_no_failure(tmp_path: Path) -> None:
    status, row = attacked(tmp_path, "test_can_not_be_tried")
    assert (status, row) == (0, "some attack not tried: 1 (no tmpfs can be mounted here) -")


def test_what_comes_too_late_is_not_tried_and_a_failure(tmp_path: Path) -> None:
    status, row = attacked(tmp_path, "test_holds", time_s=-1.0)
    assert (status, row) == (1, "some attack not tried: 1 (no time was left) -")


def test_one_that_takes_too_long_takes_nothing_from_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    first, second = Attack("first", "tests", ["a.py"], share=3), Attack("second", "tests", ["b.py"])
    table = Table([first, second], time_s=100)

    def is_tried(test: str, after_s: float) -> bool:
        clock[0] = after_s
        item = SimpleNamespace(nodeid=f"{test}::test")
        try:
            table.pytest_runtest_setup(cast(pytest.Item, item))
        except pytest.skip.Exception:
            return False
        return True

    assert [is_tried("a.py", after_s) for after_s in (0, 74, 76)] == [True, True, False]
    assert [is_tried("b.py", after_s) for after_s in (90, 114, 116)] == [True, True, False]


def test_every_test_of_an_attack_is_there_and_belongs_to_one_alone() -> None:
    named = [test for attack in ATTACKS for test in attack.tests]
    assert len(named) == len(set(named))
    for test in named:
        path, _, name = test.partition("::")
        text = (ROOT / path).read_text()
        assert f"def {name.partition('[')[0]}" in text, test
        assert sum(attack.has(test) for attack in ATTACKS) == 1
