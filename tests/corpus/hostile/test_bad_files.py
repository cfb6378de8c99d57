"""Test that every bad file ends as pages or as a sentence, and its caller lives on."""

from pathlib import Path

import pytest

from tests.corpus.hostile import bad_files, bad_markup, bad_office, bad_opened, bad_pdfs

MADE = [*bad_office.CRAFTED, *bad_opened.CRAFTED, *bad_markup.CRAFTED]
CRAFTS = [
    *bad_files.share(bad_pdfs.CRAFTED, lambda craft: craft[0]),
    *bad_files.share(MADE, lambda craft: craft[0]),
]


def test_there_are_enough_of_them_and_no_two_share_a_name() -> None:
    crafts = [*bad_pdfs.CRAFTED, *MADE]
    names = [*(name for name, *_ in crafts), *(file.name for file in bad_files.mutated())]
    assert len(set(names)) == len(names) >= 200
    assert len({name.rsplit(".", 1)[1] for name in names}) == 13


@pytest.mark.parametrize("craft", CRAFTS)
def test_a_bad_file_is_read_or_refused_with_a_sentence(
    craft: bad_files.Craft, tmp_path: Path
) -> None:
    (file,) = bad_files.crafted([craft])
    assert bad_files.outcome_of(file, tmp_path) in file.outcomes
