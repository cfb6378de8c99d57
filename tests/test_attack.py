"""Test `make attack` with tests that pass, fail, can't run, or come too late."""

import os
import subprocess
import sys
from pathlib import Path

from tests.attack import ATTACKS

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import pytest

def test_holds(record_property):
    record_property("kills", 20)

@pytest.mark.parametrize("n", [1, 2])
def test_breaks(n):
    assert n == 1
"""
RUN = """
import sys
from tests.attack import Attack, run
name, time_s, *tests = sys.argv[1:]
sys.exit(run([Attack(name, "tests", tests)], float(time_s)))
"""


def attacked(folder: Path, *names: str, time_s: float = 60.0) -> tuple[int, str]:
    """Return the exit status and the row of an attack."""
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


def test_what_comes_too_late_is_not_tried_and_a_failure(tmp_path: Path) -> None:
    status, row = attacked(tmp_path, "test_holds", time_s=-1.0)
    assert (status, row) == (1, "some attack not tried: 1 (no time was left) -")


def test_a_control_of_a_hazard_that_comes_too_late_did_not_break(tmp_path: Path) -> None:
    control = "import tests.controls\ntests.controls.controlling_tests = lambda: {NAME: ['H01']}\n"
    hook = "from tests.controls import pytest_runtest_makereport\n"
    name = "'test_made.py::test_holds'"
    (tmp_path / "conftest.py").write_text(control.replace("NAME", name) + hook)
    status, row = attacked(tmp_path, "test_holds", time_s=-1.0)
    assert (status, row) == (1, "some attack not tried: 1 (no time was left) -")


def test_the_attacks_keep_their_order_whatever_comes_first_in_the_suite(tmp_path: Path) -> None:
    hook = "def pytest_collection_modifyitems(items):\n    items.reverse()\n"
    (tmp_path / "conftest.py").write_text(f"import pytest\n@pytest.hookimpl(trylast=True)\n{hook}")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    say = "    open('order', 'a').write('{0}')\n"
    made = (f"def test_{name}():\n{say.format(name)}" for name in "bac")
    (tmp_path / "test_made.py").write_text("\n".join(made))
    attacks = [f"Attack('{name}', 'tests', ['test_made.py::test_{name}'])" for name in "abc"]
    script = f"from tests.attack import Attack, run\nrun([{', '.join(attacks)}], 60.0)"
    subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
    )
    assert (tmp_path / "order").read_text() == "abc"


def test_every_test_of_an_attack_is_there_and_belongs_to_one_alone() -> None:
    named = [test for attack in ATTACKS for test in attack.tests]
    assert len(named) == len(set(named))
    for test in named:
        path, _, name = test.partition("::")
        text = (ROOT / path).read_text()
        assert f"def {name.partition('[')[0]}" in text, test
        assert sum(attack.has(test) for attack in ATTACKS) == 1
