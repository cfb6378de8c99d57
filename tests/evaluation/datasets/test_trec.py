"""Files of TREC: strictly decreasing as trec_eval reads them, and the same when read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluation.datasets.trec import (
    RunError,
    qrels_lines,
    read_qrels,
    read_run,
    run_lines,
    write_lines,
)

TIED = {"q1": (("a", 0.5), ("b", 0.5), ("c", 0.5 - 1e-12), ("d", 0.0), ("e", 0.0), ("f", -1.0))}


def test_ties_are_written_strictly_decreasing(tmp_path: Path) -> None:
    write_lines(tmp_path / "run.trec", run_lines(TIED, tag="t"))
    lines = (tmp_path / "run.trec").read_text().splitlines()
    assert [line.split()[2:4] for line in lines] == [[d, str(r)] for r, d in enumerate("abcdef", 1)]
    scores = np.array([line.split()[4] for line in lines], dtype=np.float32)
    assert (np.diff(scores) < 0).all()
    assert scores == pytest.approx([0.5, 0.5, 0.5, 0.0, 0.0, -1.0], abs=1e-6)


def test_a_run_that_is_read_again_has_the_same_order(tmp_path: Path) -> None:
    write_lines(tmp_path / "run.trec", run_lines(TIED, tag="t"))
    assert [d for d, _ in read_run(tmp_path / "run.trec")["q1"]] == list("abcdef")


def test_ties_of_others_are_broken_by_id_whatever_the_order_of_lines(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 b 2 1.0 x\nq Q0 c 1 2.0 x\nq Q0 a 3 1.0 x\n")
    assert [d for d, _ in read_run(tmp_path / "run")["q"]] == ["c", "a", "b"]


def test_qrels_are_the_same_when_read_again(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 3, "b": 0}, "q2": {"c": 1}}
    write_lines(tmp_path / "qrels", qrels_lines(qrels))
    assert read_qrels(tmp_path / "qrels") == qrels


@pytest.mark.parametrize("line", ["q Q0 a 1 x t", "q Q0 a 1 1.0", "q Q0 a 1 1.0 t\nq Q0 a 2 0.5 t"])
def test_what_is_no_run_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "run").write_text(line + "\n")
    with pytest.raises(RunError):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("identifier", ["", "a b", "a\tb"])
def test_an_id_that_the_form_cannot_hold_is_refused(identifier: str) -> None:
    with pytest.raises(RunError):
        list(run_lines({"q": ((identifier, 1.0),)}, tag="t"))
