"""Numbers and words that the end of a run broke are put together in every format."""

from pathlib import Path

import pytest
from docx import Document as Word
from openpyxl import Workbook

from tests.corpus.parsing import parsing_fixtures as fixtures

RUNS = [
    ("Give codeine 30–", " 60 mg.", "Give codeine 30–60 mg."),
    ("Do not exceed 1,", " 000 mg.", "Do not exceed 1,000 mg."),
    ("Give fl", " uconazole 50 mg.", "Give fluconazole 50 mg."),
    ("Is there infl", " ammation?", "Is there inflammation?"),
    ("Give 100, 500", " and 600 mg.", "Give 100, 500 and 600 mg."),
]
ELSEWHERE = "Look for signs of inflammation."


def _read(path: Path) -> list[str]:
    return fixtures.read(path, path.parent).pages[0].text.splitlines()


def test_runs_of_word_are_joined(tmp_path: Path) -> None:
    word = Word()
    for first, second, _ in RUNS:
        word.add_paragraph(first).add_run(second).bold = True
    word.add_paragraph(ELSEWHERE)
    cell = word.add_table(rows=1, cols=2).rows[0].cells[0].paragraphs[0]
    cell.add_run("Codeine 30–").bold = True
    cell.add_run(" 60 mg")
    word.save(str(tmp_path / "a.docx"))
    read = _read(tmp_path / "a.docx")
    assert read[: len(RUNS)] == [whole for *_, whole in RUNS]
    assert read[-1].startswith("Codeine 30–60 mg")


@pytest.mark.parametrize("name", ["a.html", "a.md", "a.txt"])
def test_elements_and_lines_are_joined(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    parts = [(f"<b>{a}</b>{b}" if name == "a.html" else a + b) for a, b, _ in RUNS]
    parts.append(ELSEWHERE)
    body = "".join(f"<p>{part}</p>" for part in parts)
    path.write_text(body if name == "a.html" else "\n\n".join(parts), encoding="utf-8")
    assert _read(path) == [*(whole for *_, whole in RUNS), ELSEWHERE]


def test_cells_of_a_sheet_are_joined(tmp_path: Path) -> None:
    book = Workbook()
    for row in (("Medicine", "Dose"), ("fl uconazole", "30– 60 mg"), ("codeine", "1, 000 mg")):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert _read(tmp_path / "a.xlsx")[-2:] == ["fluconazole | 30–60 mg", "codeine | 1,000 mg"]


def test_what_cannot_be_joined_is_doubted(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>Look for infl ammation. Give 0 .5 mg.</p>")
    (page,) = fixtures.read(path, tmp_path).pages
    assert [doubt.code for doubt in page.doubts] == ["word_parted", "number_broken"]
