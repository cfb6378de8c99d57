"""Bad Office, XML, HTML, Markdown and text files: each ends as pages or as a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.hostile import bad_files, bad_markup, bad_office

CRAFTS = [*bad_office.CRAFTED, *bad_markup.CRAFTED]
OUTCOMES: list[str] = []


@pytest.mark.parametrize("craft", bad_files.share(CRAFTS, lambda craft: craft[0]))
def test_a_bad_file_is_read_or_refused_with_a_sentence(
    craft: bad_files.Craft, tmp_path: Path
) -> None:
    (file,) = bad_files.crafted([craft])
    outcome = bad_files.outcome_of(file, tmp_path)
    OUTCOMES.append(outcome)
    assert outcome in file.outcomes


def test_counts(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        bad_files.print_counts(OUTCOMES, "bad Office and text files")
