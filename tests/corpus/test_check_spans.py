"""Every passage of a PDF is what is printed under its boxes, read again by another reader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from corpus.chunking import ChunkSettings, split
from corpus.parsing.pdf.rereading import reread
from corpus.parsing.types import Page
from tests.corpus import parsing_fixtures as fixtures

ENOUGH = 0.995


def _passages(pages: tuple[Page, ...]) -> list[tuple[tuple[int, int, int], ...]]:
    drafts = split(
        pages,
        title="",
        population="",
        sha256="",
        settings=ChunkSettings(200, 40),
        count_tokens=lambda text: len(text.split()) * 4 // 3,
    )
    return [draft.spans for draft in drafts]


def _check(path: Path, out: Path) -> tuple[int, int]:
    """How many passages were compared, and how many are equal."""
    pages = fixtures.parse(path, out).pages
    verdicts = [v for v in reread(path, pages, _passages(pages)) if v is not None]
    return len(verdicts), sum(verdict.equal for verdict in verdicts)


@fixtures.needs_samples
def test_passages_of_the_samples_are_what_is_printed(tmp_path: Path) -> None:
    paths = [p for p in sorted(fixtures.SAMPLES.glob("*.pdf")) if "scan" not in p.name]
    found = [_check(path, tmp_path) for path in paths]

    checked, equal = (sum(numbers) for numbers in zip(*found, strict=True))
    print(f"samples: {equal} of {checked} passages equal")
    assert checked > 100
    assert equal == checked


@fixtures.needs_papers
def test_passages_of_the_papers_are_what_is_printed(tmp_path: Path) -> None:
    found = [_check(path, tmp_path) for path in sorted(fixtures.PAPERS.glob("*.pdf"))]

    checked, equal = (sum(numbers) for numbers in zip(*found, strict=True))
    print(f"papers: {equal} of {checked} passages equal")
    assert checked > 80
    assert checked - equal <= 1, "one formula: the limits of a sum stand within a word"


@pytest.mark.parametrize("draw", [fixtures.two_columns, fixtures.dosing_table(ruled=True)])
@pytest.mark.parametrize("turn", [0, 90])
def test_boxes_are_true_on_turned_pages(tmp_path: Path, draw: fixtures.Draw, turn: int) -> None:
    import pypdfium2

    document = pypdfium2.PdfDocument(fixtures.make_pdf(tmp_path / "a.pdf", draw))
    document[0].set_rotation(turn)
    document.save(tmp_path / "b.pdf")

    checked, equal = _check(tmp_path / "b.pdf", tmp_path / "out")

    assert checked == equal > 0


@pytest.mark.parametrize("harm", ["moved box", "other word", "lost box"])
def test_what_is_not_printed_there_is_seen(tmp_path: Path, harm: str) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.plain_page("boxes"))
    (page,) = fixtures.parse(path, tmp_path / "out").pages
    block = page.blocks[1]
    (line,) = block.lines
    if harm == "moved box":
        left, top, right, bottom = line.box
        block = replace(block, lines=(replace(line, box=(left + 30, top, right + 30, bottom)),))
    elif harm == "lost box":
        block = replace(block, lines=(replace(line, end=line.end - 5),))
    else:
        page = replace(page, text=page.text.replace("nothing else", "anything else"))
        end = block.end + 1
        block = replace(block, end=end, lines=(replace(line, end=end),))
    page = replace(page, blocks=(page.blocks[0], block))

    (verdict,) = reread(path, [page], [((1, block.start, block.end),)])

    assert verdict is not None
    assert not verdict.equal
    assert verdict.page == 1


def test_the_command_prints_the_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fixtures.make_pdf(tmp_path / "a.pdf", fixtures.dosing_table(ruled=True))

    call_command("check_spans", str(tmp_path))

    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("a.pdf: ")
    assert first.endswith("equal, 100.0 %")
    assert last.startswith("all: ")


def test_the_command_wants_a_pdf(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Give 5 mg.")

    with pytest.raises(CommandError, match="no PDF"):
        call_command("check_spans", str(tmp_path))
    with pytest.raises(CommandError, match="There is no"):
        call_command("check_spans", str(tmp_path / "b.pdf"))
