"""TREC files: scores strictly decreasing as trec_eval reads them, in the order of the run."""

from pathlib import Path

import numpy as np
import pytest

from bench.datasets.trec import qrels_lines, run_lines
from evaluation.folders import write_lines

TIED = {"q1": (("a", 0.5), ("b", 0.5), ("c", 0.5 - 1e-12), ("d", 0.0), ("e", 0.0), ("f", -1.0))}


def test_ties_are_written_strictly_decreasing(tmp_path: Path) -> None:
    write_lines(tmp_path / "run.trec", run_lines(TIED, tag="t"))
    lines = (tmp_path / "run.trec").read_text().splitlines()
    assert [line.split()[2:4] for line in lines] == [[d, str(r)] for r, d in enumerate("abcdef", 1)]
    scores = np.array([line.split()[4] for line in lines], dtype=np.float32)
    assert (np.diff(scores) < 0).all()
    assert scores == pytest.approx([0.5, 0.5, 0.5, 0.0, 0.0, -1.0], abs=1e-6)


def test_qrels_are_written_in_order(tmp_path: Path) -> None:
    write_lines(tmp_path / "qrels", qrels_lines({"q1": {"a": 3, "b": 0}, "q2": {"c": 1}}))
    assert (tmp_path / "qrels").read_text() == "q1 0 a 3\nq1 0 b 0\nq2 0 c 1\n"
