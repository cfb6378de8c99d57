"""Test that `check_spans` measures files as ingestion does, and goes on after a bad one."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from reportlab.pdfgen.canvas import Canvas

from corpus.review.quotable import quotable_words
from tests.corpora import publish
from tests.corpus.parsing import parsing_fixtures as fixtures


def test_a_file_that_can_not_be_read_does_not_stop_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\nno more than that")
    fixtures.make_pdf(tmp_path / "b.pdf", fixtures.dosing_table(ruled=True))

    with pytest.raises(SystemExit) as ended:
        call_command("check_spans", str(tmp_path))

    printed = capsys.readouterr()
    assert ended.value.code == 1
    assert printed.err.startswith("a.pdf: not read. ")
    first, last = printed.out.splitlines()
    assert first.startswith("b.pdf: 1 page, ")
    assert "100.00 %; 0 pages below 97 %" in first
    assert last.startswith("all: 1 page, ")


def test_what_was_lost_is_named_with_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fixtures.make_pdf(tmp_path / "a.pdf", fixtures.plain_page("boxes"), _with_lost_words)

    with pytest.raises(SystemExit):
        call_command("check_spans", str(tmp_path), "--list")

    first, page, _ = capsys.readouterr().out.splitlines()
    assert "1 page below 97 %" in first
    assert page.startswith("    page 2: ")


def _with_lost_words(canvas: Canvas) -> None:
    """Draw slanted words, which the reader leaves out."""
    fixtures.plain_page("margins")(canvas)
    canvas.translate(100, 100)
    canvas.rotate(40)
    for number in range(3):
        canvas.drawString(0, 20 * number, "Never give this to a child of ten kilograms.")


def test_the_command_wants_a_pdf(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Give 5 mg.")
    for path, told in ((tmp_path, "no PDF"), (tmp_path / "b.pdf", "no such file")):
        with pytest.raises(CommandError, match=told):
            call_command("check_spans", str(path))


@pytest.mark.django_db
def test_what_can_be_quoted_is_told_by_kind_and_the_rest_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = publish(
        "# Zelomycin\n\nRates:\n\n| Group | Dose |\n| --- | --- |\n| Adults | 200 mg |\n\n"
        "BEFORE THE FIRST INFUSION\n\nGive water.\n\nSTOP METFORMIN\n\nThat is all.\n",
        filename="zelomycin.md",
    )
    call_command("check_spans", quotable=True, list=True)
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("zelomycin.md: ")
    assert "table 100.0 %" in first
    # What only announces a table is quoted with it; a title among the text never stands alone.
    assert [line.strip() for line in rest[:-1]] == ["page 1, paragraph: BEFORE THE FIRST INFUSION"]
    assert rest[-1].startswith("all: ")
    found = quotable_words(document)
    assert found.all["paragraph"] - found.quoted["paragraph"] == 4
    assert found.share("caption") is None


@pytest.mark.django_db
def test_nothing_published_has_no_share(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check_spans", quotable=True)
    assert capsys.readouterr().out == "all: no words\n"
