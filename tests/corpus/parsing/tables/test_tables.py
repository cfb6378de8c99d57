"""Test tables, cell by cell: spans, labels, groups, page breaks, and what is no table."""

import unicodedata
from dataclasses import asdict
from pathlib import Path

import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from corpus.chunking import ChunkSettings
from corpus.parsing.doubts.grades import Grade
from corpus.parsing.tables.printed import begins_with_section, header_rows, with_header
from corpus.parsing.types import Block, Cell, ParsedDocument, Table
from corpus.statements import PageView, statements_of
from tests.corpus.chunking.passages import passages_of
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables import table_fixtures as drawn
from tests.corpus.parsing.tables.tree_notation import table_rows, tree_of

TREES = Path(__file__).parent / "trees"


def _blocks(document: ParsedDocument) -> list[Block]:
    return [block for page in document.pages for block in page.blocks if block.table]


def _tables(document: ParsedDocument) -> list[Table]:
    return [block.table for block in _blocks(document) if block.table]


@fixtures.needs_samples
@pytest.mark.parametrize("name", sorted(path.name for path in fixtures.SAMPLES.glob("*.*")))
def test_a_sample_is_read_as_a_careful_reader_sees_it(name: str) -> None:
    document = fixtures.read_sample(name)
    fixtures.assert_contract(document)

    assert tree_of(document) == (TREES / f"{Path(name).stem}.txt").read_text()
    if name.endswith(".pdf"):
        _assert_cells_hold_their_text(document, fixtures.SAMPLES / name)


DRAWN = {
    "spans both ways": (drawn.spans_both_ways, drawn.SPANS_BOTH_WAYS),
    "groups over the width": (drawn.groups_over_the_width, drawn.GROUPS_OVER_THE_WIDTH),
    "sections from the top": (drawn.sections_from_the_top, drawn.SECTIONS_FROM_THE_TOP),
    "journal rules": (drawn.journal_rules, drawn.JOURNAL_RULES),
    "words without rules": (drawn.words_without_rules, drawn.WORDS_WITHOUT_RULES),
    "groups without rules": (drawn.groups_without_rules, drawn.GROUPS_WITHOUT_RULES),
    "in a column": (drawn.table_in_a_column, drawn.TABLE_IN_A_COLUMN),
}


@pytest.mark.parametrize("turn", [0, 90])
@pytest.mark.parametrize("name", DRAWN)
def test_cells_stand_where_they_were_printed(name: str, turn: int, tmp_path: Path) -> None:
    draw, expected = DRAWN[name]
    path = fixtures.make_pdf(tmp_path / "a.pdf", draw)
    if turn:
        source = pypdfium2.PdfDocument(path)
        source[0].set_rotation(turn)
        source.save(path := tmp_path / "b.pdf")

    document = fixtures.read(path, tmp_path)

    (table,) = _tables(document)
    assert table_rows(table.cells) == expected
    _assert_cells_hold_their_text(document, path)


def _assert_cells_hold_their_text(document: ParsedDocument, path: Path) -> None:
    """Check each cell's text against the letters that PDFium finds in its box."""
    source = pypdfium2.PdfDocument(path)
    for page, sheet in zip(document.pages, source, strict=True):
        letters = _letters(sheet)
        if page.ocr_confidence is not None:
            continue
        for block in page.blocks:
            for cell in block.table.cells if block.table else ():
                assert _compact(_under(letters, cell)) == _compact(cell.text), (cell, page.number)


def _letters(sheet: pypdfium2.PdfPage) -> list[tuple[float, float, str]]:
    """Return the centre of each letter from the top left of the page as shown."""
    turn = sheet.get_rotation()
    sheet.set_rotation(0)  # so that coordinates are those of the unturned page
    width, height = sheet.get_size()
    text = sheet.get_textpage()
    found = []
    for index in range(text.count_chars()):
        left, bottom, right, top = text.get_charbox(index)
        x, y = (left + right) / 2, (bottom + top) / 2
        assert -1 <= x <= width + 1
        assert -1 <= y <= height + 1
        place = {0: (x, height - y), 90: (y, x)}[turn]
        found.append((*place, text.get_text_range(index, 1)))
    return found


def _under(letters: list[tuple[float, float, str]], cell: Cell) -> str:
    assert cell.box is not None
    left, top, right, bottom = cell.box
    return "".join(c for x, y, c in letters if left <= x <= right and top <= y <= bottom)


def _compact(text: str) -> str:
    """Return text without white space, with raised signs as plain ones."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def test_what_stands_around_a_table_is_told_from_it(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, drawn.spans_both_ways)
    kinds = [kind for kind, _ in fixtures.block_texts(document.pages[0])]
    assert kinds == ["heading", "caption", "table", "footnote"]
    assert not document.pages[0].doubts


DAILY, WEEKLY = "A. Daily examplol for six months", "B. Weekly samplin for three months"


@pytest.mark.parametrize(
    ("draw", "header", "rows"),
    [
        (
            drawn.spans_both_ways,
            ("Group", "Weight (kg)", "Dose, mg/kg", "Dose, Maximum", "Comment"),
            [
                ("Adults", "Under 50", "2", "80 mg", "Infuse slowly through a large vein"),
                ("Adults", "50 to 99", "3", "240 mg", ""),
                ("Adults", "100 or more", "3", "300 mg*", "Call the pharmacist"),
                ("Children", "10 to 30", "Avoid", "Avoid", "-"),
            ],
        ),
        (  # a label over the width stands in each row below it
            drawn.groups_over_the_width,
            ("", "Weight", "Dose"),
            [
                ("Adults", "Under 50 kg", "1 g"),
                ("Adults", "50 kg and over", "2 g"),
                ("Children", "Under 20 kg", "15 mg/kg"),
            ],
        ),
        (  # the first of several sections heads its own rows alone
            drawn.sections_from_the_top,
            (),
            [
                (DAILY, "Weight", "Tablets of 50 mg"),
                (DAILY, "Under 50 kg", "1"),
                (DAILY, "50 kg and over", "2"),
                (WEEKLY, "Product", "Tablets"),
                (WEEKLY, "Samplin 150 mg", "6"),
            ],
        ),
    ],
)
def test_every_row_can_be_read_alone(
    tmp_path: Path, draw: fixtures.Draw, header: tuple[str, ...], rows: list[tuple[str, ...]]
) -> None:
    (table,) = _tables(fixtures.read_pdf(tmp_path, draw))
    assert table.header == header
    assert [row.cells for row in table.rows][: len(rows)] == rows


def test_a_row_of_a_section_without_labels_is_quoted_only_if_it_gives_one_value(
    tmp_path: Path,
) -> None:
    def said(draw: fixtures.Draw) -> list[str]:
        document = fixtures.read_pdf(tmp_path, draw)
        (page,) = asdict(document)["pages"]
        whole = [((), [(1, 0, len(page["text"]))])]
        (found,) = statements_of(whole, {1: PageView(page["text"], page["blocks"])})
        return [one.text for one in found if one.is_row]

    two = said(drawn.sections_from_the_top)
    assert "A. Daily examplol for six months | Under 50 kg | 1" in two
    assert "B. Weekly samplin for three months | Samplin 150 mg | 6" in two
    assert said(drawn.sections_over_a_break) == []  # tablets, or weeks?
    assert any("Under 50 kg" in text for text in said(drawn.groups_over_the_width))


@pytest.mark.parametrize(
    ("rows", "labels", "is_section"),
    [
        ("A11B11", 1, True),
        ("A1B1", 1, True),
        ("TB11C11", 1, False),  # right above the first section
        ("TlB11C11", 2, False),
        ("TlB1C1", 2, False),
        ("TlB11C11", 1, False),  # labels not recognised as such
        ("AA11A11BB11", 1, True),  # a section with a label above its own, again
        ("AlBl", 1, True),  # as short as the one above it
        ("Al11Bl1", 2, True),
        ("Tl11", 1, False),
        ("lA11B11", 1, False),
    ],
)
def test_a_title_is_told_from_the_first_section(rows: str, labels: int, is_section: bool) -> None:
    """Each letter is a row: a capital is a bar, `l` holds labels and `1` a figure."""
    cells = [cell for at, kind in enumerate(rows) for cell in _row_of(at, kind)]

    assert begins_with_section(cells, labels) is is_section
    assert header_rows(with_header(cells, labels)) == (0 if is_section else labels)


def _row_of(at: int, kind: str) -> list[Cell]:
    if kind.isupper():
        return [Cell(at, 0, kind, columns=2)]
    return [Cell(at, 0, "Who"), Cell(at, 1, "Dose" if kind == "l" else "1 g")]


def test_a_repeated_cell_is_painted_where_it_is_printed(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, drawn.spans_both_ways)
    (page,), (block,), (table,) = document.pages, _blocks(document), _tables(document)
    adults = next(cell for cell in table.cells if cell.text == "Adults")
    second = table.rows[1]
    lines = [line for line in block.lines if second.start <= line.start < second.end]
    texts = [page.text[line.start : line.end] for line in lines]
    assert texts == ["Adults", "50 to 99 | 3 | 240 mg"]
    assert lines[0].box == adults.box


def test_groups_that_only_empty_cells_tell_are_doubted(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, drawn.groups_without_rules)
    (page,), (block,), (table,) = document.pages, _blocks(document), _tables(document)
    assert [row.cells[0] for row in table.rows] == ["Adults"] * 2 + ["Children"] * 2
    doubts = [(doubt.code, doubt.start, doubt.end) for doubt in page.doubts]
    assert ("table_groups_guessed", block.start, block.end) in doubts


def test_a_table_of_words_is_found_by_alignment_and_doubted(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, drawn.words_without_rules)

    kinds = [kind for kind, _ in fixtures.block_texts(document.pages[0])]
    assert kinds == ["heading", "paragraph", "table", "paragraph"]
    assert [doubt.code for doubt in document.pages[0].doubts] == ["table_by_alignment"]


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("repeated", [True, False])
def test_a_table_goes_on_over_a_page_break(tmp_path: Path, repeated: bool, ruled: bool) -> None:
    pages = drawn.over_a_break(repeated=repeated, ruled=ruled)
    document = fixtures.read_pdf(tmp_path, *pages)
    assert [block.continues for block in _blocks(document)] == [False, True]
    tables = first, second = _tables(document)
    assert first.header == second.header == drawn.LONG_LABELS
    assert first.caption == second.caption == "Table 1. Dose by weight"
    assert tuple(row.cells for table in tables for row in table.rows) == drawn.LONG
    printed = "Weight | Dose | Interval" in document.pages[1].text
    assert printed == repeated, "what the page does not say is not put into its text"


@pytest.mark.parametrize(
    ("named", "apart", "doubted"),
    [
        ("", False, True),
        ("Table 1 Cont.", False, False),
        ("Table 1. Dose by weight (continued)", False, False),
        ("Table 1 Cont.", True, True),  # the part before is in doubt
        ("Table 1 (continued)", False, False),
        ("Table 2, cont'd", False, True),
        ("Table 1.2 Cont.", False, True),
    ],
)
def test_labels_taken_over_are_sure_only_for_a_part_of_the_same_number(
    tmp_path: Path, named: str, apart: bool, doubted: bool
) -> None:
    pages = drawn.over_a_break(repeated=False, ruled=True, named=named, apart=apart)
    document = fixtures.read_pdf(tmp_path, *pages)
    second = _tables(document)[1]
    assert (second.header, second.rows[0].cells) == (drawn.LONG_LABELS, drawn.LONG[3])
    doubts = {doubt.code: doubt.grade for doubt in document.pages[1].doubts}
    assert doubts.get("table_labels_taken_over") == (Grade.VALUE if doubted else None)


@pytest.mark.parametrize(
    ("last", "first", "doubted"),
    [
        ("3", "4", False),
        ("13.9", "13.10", False),
        ("19.", "20.", False),
        ("7)", "8)", False),
        ("3", "5", True),  # a row may be missing, or it is another table
        ("3", "1", True),
        ("1.9", "2.1", True),
        ("1.3", "2.4", True),
        ("Mild", "4", True),
    ],
)
def test_labels_taken_over_are_sure_where_the_rows_are_numbered_on(
    tmp_path: Path, last: str, first: str, doubted: bool
) -> None:
    widths, labels = (60, 160, 120), ("Step", "Drug", "Dose")

    def above(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Text above the table."] * 40, y=760)
        rows = [labels, ("", "Before", "none"), (last, "Examplol", "5 mg")]
        drawn.draw_table(canvas, rows, widths=widths, top=250, style=[drawn.GRID])

    def below(canvas: Canvas) -> None:
        rows = [(first, "Samplin", "10 mg"), ("", "Trialone", "20 mg")]
        drawn.draw_table(canvas, rows, widths=widths, top=780, style=[drawn.GRID], labels=0)
        fixtures.write_lines(canvas, ["Text below the table."], y=600)

    document = fixtures.read_pdf(tmp_path, above, below)
    assert _tables(document)[1].header == labels
    codes = {doubt.code for doubt in document.pages[1].doubts}
    assert ("table_labels_taken_over" in codes) == doubted


@pytest.mark.parametrize(
    ("printed", "captions"),
    [
        ("T1T", ["", "Table 1. Doses"]),  # the first one goes on from elsewhere
        ("T1T2T", ["", "Table 1. Doses", "Table 2. Doses"]),
        ("1T2T", ["Table 1. Doses", "Table 2. Doses"]),
        ("T1T2", ["Table 1. Doses", "Table 2. Doses"]),  # captions below
        ("T1", ["Table 1. Doses"]),
    ],
)
def test_a_caption_between_two_tables_is_that_of_the_second(
    tmp_path: Path, printed: str, captions: list[str]
) -> None:
    def draw(canvas: Canvas) -> None:
        for at, part in enumerate(printed):
            y = 760 - 90 * at
            if part == "T":
                rows = [("Weight", "Dose"), (f"{at}0 kg", f"{at} mg"), (f"{at}5 kg", "9 mg")]
                drawn.draw_table(canvas, rows, widths=(150, 120), top=y, style=[drawn.GRID])
            else:
                drawn.caption(canvas, f"Table {part}. Doses", y=y - 30)

    document = fixtures.read_pdf(tmp_path, draw)
    assert [table.caption for table in _tables(document)] == captions


def test_another_table_takes_no_labels_over(tmp_path: Path) -> None:
    pages = drawn.over_a_break(repeated=False, ruled=True, named="Table 1.2. Another dose")
    document = fixtures.read_pdf(tmp_path, *pages)
    assert [(table.header, table.caption) for table in _tables(document)][1:] == [
        ((), "Table 1.2. Another dose")
    ]


def test_sections_take_no_labels_over_from_the_page_before(tmp_path: Path) -> None:
    first, _ = drawn.over_a_break(repeated=False, ruled=True)
    document = fixtures.read_pdf(tmp_path, first, drawn.sections_over_a_break)
    assert not _blocks(document)[1].continues
    above, below = _tables(document)
    assert (above.header, below.header) == (drawn.LONG_LABELS, ())
    assert below.rows[-1].cells == ("B. Weekly samplin", "Samplin 150 mg", "6", "12")


@pytest.mark.parametrize("draw", [drawn.short_columns, drawn.references, fixtures.two_columns])
def test_what_is_no_table_and_not_doubted(tmp_path: Path, draw: fixtures.Draw) -> None:
    document = fixtures.read_pdf(tmp_path, draw)
    assert not _blocks(document)
    assert not fixtures.unsure(document.pages[0])


def test_passages_of_a_table_that_goes_on_have_its_caption_and_labels(tmp_path: Path) -> None:
    pages = drawn.over_a_break(repeated=False, ruled=True)
    drafts = passages_of(fixtures.read_pdf(tmp_path, *pages), ChunkSettings(60, 10))
    (later,) = [draft.text for draft in drafts if "40 to 49 kg" in draft.text]
    above = "Table 1. Dose by weight\nWeight | Dose | Interval"
    assert later.startswith(f"{above}\n40 to 49 kg | 80 mg")


def test_what_may_be_a_table_is_doubted(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, drawn.names_beside_names)

    (page,) = document.pages
    assert not _blocks(document)
    (doubt,) = fixtures.unsure(page)
    assert doubt.code == "text_in_columns"
    assert page.text[doubt.start : doubt.end].startswith("Ward nurse Bleep holder")


def test_a_figure_in_a_cell_is_no_page_number(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, drawn.figures_at_the_top)

    (table,) = _tables(document)
    assert table_rows(table.cells) == drawn.FIGURES_AT_THE_TOP
