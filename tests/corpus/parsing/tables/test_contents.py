"""Test that lists of contents and indexes are known as such in PDF, Word and HTML."""

from collections.abc import Sequence
from pathlib import Path

import docx
import pytest

from corpus.parsing.types import BlockKind, Page, ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.parsing_fixtures import Draw, at, heading
from tests.corpus.parsing.tables.said import said_in

ENTRIES = (
    ("1 Introduction", 3),
    ("2 Who is at risk", 4),
    ("3 Doses of gentamicin for children", 6),
    ("4 Monitoring", 9),
    ("5 References", 14),
)
INDEX = (
    "Abscess, 4", "Adrenaline, 6, 9", "Anaphylaxis, 6–8", "Burns, 10", "Croup, 11, 12",
    "Dehydration, 3, 14", "Epilepsy, 15", "Fever, 2, 5, 16", "Gentamicin, 6", "Hypoglycaemia, 17",
)  # fmt: skip
PROSE = "Give gentamicin at once, and measure its level before the second dose."


def _kinds(page: Page, text: str) -> set[BlockKind]:
    return {b.kind for b in page.blocks if text in page.text[b.start : b.end]}


def _whole(page: Page) -> ParsedDocument:
    return ParsedDocument((page,), "")


def _rows(y: float, rows: Sequence[tuple[str, str]], *, right: float = 500) -> Draw:
    def draw(canvas: object) -> None:
        for index, (label, number) in enumerate(rows):
            at(y - index * 16, label)(canvas)
            at(y - index * 16, number, x=right)(canvas)

    return draw


def _assert_known(page: Page, texts: Sequence[str]) -> None:
    for text in texts:
        assert _kinds(page, text) == {BlockKind.CONTENTS}, text
    assert not any(block.table for block in page.blocks)
    assert not page.doubts
    assert not any(text in one for one in said_in(_whole(page)) for text in texts)


@pytest.mark.parametrize("joint", ["leaders", "blank"])
def test_contents_of_a_pdf_are_no_table_and_not_quoted(tmp_path: Path, joint: str) -> None:
    if joint == "leaders":
        lines = [f"{label} {'.' * (60 - len(label))} {page}" for label, page in ENTRIES]
        listed = at(700, *lines)
    else:
        listed = _rows(700, [(label, str(page)) for label, page in ENTRIES])
    page = fixtures.read_page(tmp_path, heading(740, "Contents"), listed, at(560, PROSE))
    _assert_known(page, [label for label, _ in ENTRIES])
    assert _kinds(page, PROSE) == {BlockKind.PARAGRAPH}
    assert any(PROSE in one for one in said_in(_whole(page)))


def test_an_alphabetic_index_of_a_pdf_is_known(tmp_path: Path) -> None:
    page = fixtures.read_page(tmp_path, heading(740, "Index"), at(700, *INDEX))
    _assert_known(page, INDEX)


def test_contents_of_word_are_known(tmp_path: Path) -> None:
    file = docx.Document()
    file.add_heading("Table of contents", 1)
    for label, page in ENTRIES:
        file.add_paragraph(f"{label}\t{page}")
    file.add_heading("Doses", 1)
    file.add_paragraph(PROSE)
    (read,) = fixtures.read_saved(tmp_path, file).pages
    _assert_known(read, [label for label, _ in ENTRIES])
    assert _kinds(read, PROSE) == {BlockKind.PARAGRAPH}


def test_contents_and_index_of_html_are_known(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{label}</td><td>{page}</td></tr>" for label, page in ENTRIES)
    entries = "".join(f"<li>{entry}</li>" for entry in INDEX)
    html = f"<h1>Burns</h1><h2>Contents</h2><table>{rows}</table><h2>Doses</h2><p>{PROSE}</p>"
    (page,) = fixtures.read_text(tmp_path, f"{html}<h2>Index</h2><ul>{entries}</ul>").pages
    _assert_known(page, [*(label for label, _ in ENTRIES), *INDEX])
    assert _kinds(page, PROSE) == {BlockKind.PARAGRAPH}


@pytest.mark.parametrize(
    ("title", "rows"),
    [
        # doses, under a title or without one
        ("Contents", [("Under 1 year", "5"), ("1–5 years", "10"), ("6–12 years", "15"),
                      ("Over 12 years", "20")]),
        ("Dose in mL", [("Neonates", "1"), ("Infants", "2"), ("Children", "5"), ("Adults", "10"),
                        ("Pregnant women", "12")]),
        # telephone numbers that don't rise
        ("Contents", [("Ward nine", "41"), ("Pharmacy", "17"), ("Theatre", "38"), ("Blood", "2")]),
        # medicines in the order of the alphabet, each with its dose
        ("Doses", [(name, "5, 10") for name in (
            "Aciclovir", "Baclofen", "Codeine", "Digoxin", "Enalapril", "Folate")]),
    ],
)  # fmt: skip
def test_what_may_be_a_dose_is_no_list_of_contents(
    tmp_path: Path, title: str, rows: Sequence[tuple[str, str]]
) -> None:
    body = "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in rows)
    html = f"<h1>Burns</h1><h2>{title}</h2><table>{body}</table><p>{PROSE}</p>"
    (page,) = fixtures.read_text(tmp_path, html).pages
    assert not any(block.kind is BlockKind.CONTENTS for block in page.blocks)
    lines = [f"{label} {'.' * 30} {value}" for label, value in rows]
    page = fixtures.read_page(tmp_path, heading(740, title), at(700, *lines), at(500, PROSE))
    assert not any(block.kind is BlockKind.CONTENTS for block in page.blocks)


def test_a_list_without_a_title_is_known_by_the_headings_it_names(tmp_path: Path) -> None:
    lines = [f"{label} {'.' * 40} {page}" for label, page in ENTRIES]
    heads = [fixtures.together(heading(760, label), at(730, PROSE)) for label, _ in ENTRIES[:4]]
    first, *others = fixtures.read_pdf(tmp_path, at(700, *lines), *heads).pages
    _assert_known(first, [label for label, _ in ENTRIES])
    assert all(_kinds(page, PROSE) == {BlockKind.PARAGRAPH} for page in others)
    alone = fixtures.read_page(tmp_path, at(700, *lines), at(400, PROSE))
    assert BlockKind.CONTENTS not in {block.kind for block in alone.blocks}
