"""Test good files under wrong names, cut short, or randomly damaged."""

from pathlib import Path

import pytest

from tests.corpus.hostile import bad_files


@pytest.mark.parametrize("file", bad_files.share(bad_files.mutated(), repr))
def test_a_mutated_file_is_read_or_refused_with_a_sentence(
    file: bad_files.BadFile, tmp_path: Path
) -> None:
    assert bad_files.outcome_of(file, tmp_path) in file.outcomes
