"""The pieces that were written to train with, as rows of both models."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from bench.datasets.written_pieces import checker_rows, main, parts_of, pieces, reader_rows
from bench.training.checker import Checker
from bench.training.material import read_material
from bench.training.reader import Reader


def test_every_claim_and_question_is_about_a_part_of_its_piece() -> None:
    every = pieces()
    assert len({piece["id"] for piece in every}) == len(every) == 320
    for piece in every:
        about = [place for claim in piece["claims"] for place in claim["about"]]
        assert about
        assert max(about) < len(parts_of(piece))


def test_rows_hold_what_answers() -> None:
    every = pieces()
    for piece in every[:40]:
        for row in reader_rows(piece, every, random.Random(1)):
            for answer in row["answers"]:
                start = answer["start"]
                assert row["passage"][start : start + len(answer["text"])] == answer["text"]
    labels = Counter(row["label"] for row in checker_rows(every[0], random.Random(1)))
    assert set(labels) == {"supported", "contradicted", "not_found"}


def test_training_reads_them(tmp_path: Path) -> None:
    main(tmp_path)
    checked = read_material([tmp_path / "checker"], Checker(), is_open=True)
    assert len(checked.training) + len(checked.validation) == 7777
    assert read_material([tmp_path / "reader"], Reader(), is_open=True).validation
