"""Test that what docling would quote or drop of a Word file is looked up beside it."""

from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import OxmlElement

from corpus.parsing.office.docling.documents import html_of, opened
from corpus.parsing.office.docling.word import Word
from corpus.parsing.types import ParseError
from tests.corpus.hostile import bad_office
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.office.test_parsing_word import codes, filled, paragraph, read, run, saved

DOCLING: Any = Word.__base__


def alone(path: Path) -> str:
    """Return what docling reads of a file without the look-up."""
    document = DOCLING.convert(opened(Word, path))
    return html_of(document.body, document)


@pytest.mark.parametrize("where", ["paragraph", "cell"])
def test_docling_alone_quotes_a_struck_dose(tmp_path: Path, where: str) -> None:
    file = docx.Document()
    cells = file.add_table(rows=1, cols=2).rows[0].cells
    cells[0].text, cells[1].text = "Drug", "Dose"
    line = file.add_paragraph("Give ") if where == "paragraph" else cells[1].paragraphs[0]
    line.add_run("10 mg").font.strike = True
    line.add_run(" 5 mg")
    page = saved(tmp_path, file)
    assert "10 mg" in alone(tmp_path / "a.docx")
    assert "10 mg" not in page.text and "5 mg" in page.text
    assert [doubt.code for doubt in page.doubts] == ["struck_out"]


def test_a_style_of_paragraphs_may_strike_them_out(tmp_path: Path) -> None:
    file = docx.Document()
    file.styles.add_style("Old", 1).font.strike = True
    file.add_paragraph("Give 10 mg.", style="Old")
    file.add_paragraph("Give 5 mg.")
    assert saved(tmp_path, file).text == "Give 5 mg."


def row(*texts: str, properties: str = "") -> str:
    cells = "".join(f"<w:tc>{paragraph(run(text))}</w:tc>" for text in texts)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{cells}</w:tr>"


def test_cells_beyond_the_declared_grid_and_rows_in_controls_are_read(tmp_path: Path) -> None:
    control = f"<w:sdt><w:sdtContent>{row('Alpha', '5 mg')}</w:sdtContent></w:sdt>"
    grid = "<w:tblGrid><w:gridCol/></w:tblGrid>"
    page = read(tmp_path, f"<w:tbl>{grid}{row('Drug', 'Dose')}{control}</w:tbl>")
    assert page.text == "Drug | Dose\nAlpha | 5 mg"
    assert "5 mg" not in alone(tmp_path / "a.docx")


def test_a_table_of_which_all_is_deleted_is_doubted(tmp_path: Path) -> None:
    table = f"<w:tbl>{row('9 mg', properties='<w:del/>')}</w:tbl>"
    page = read(tmp_path, table, paragraph(run("Give 5 mg.")))
    assert (page.text, codes(page)) == ("Give 5 mg.", [("struck_out", "")])


def test_a_row_that_begins_late_keeps_its_columns(tmp_path: Path) -> None:
    late = '<w:gridBefore w:val="1"/><w:tblHeader/>'
    rows = row("Dose", "Max", properties=late) + row("Alpha", "5 mg", "9 mg")
    page = read(tmp_path, f"<w:tbl>{rows}</w:tbl>")
    assert page.text == " | Dose | Max\nAlpha | 5 mg | 9 mg"


def test_a_cell_that_continues_none_keeps_its_text(tmp_path: Path) -> None:
    file = docx.Document()
    table = filled(file.add_table(rows=2, cols=2), ("Drug", "Dose"), ("Alpha", "5 mg"))
    table.cell(1, 1)._tc.get_or_add_tcPr().append(OxmlElement("w:vMerge"))
    page = saved(tmp_path, file)
    assert "5 mg" not in alone(tmp_path / "a.docx")
    assert page.text == "Drug | Dose\nAlpha | 5 mg"


def test_a_table_that_docling_cannot_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(DOCLING, "_is_rich_table_cell", fail)
    file = docx.Document()
    file.add_paragraph("Give 5 mg.")
    file.add_table(rows=2, cols=2)
    with pytest.raises(ParseError) as caught:
        saved(tmp_path, file)
    assert caught.value.code == "file_corrupt"


def test_a_box_in_a_control_is_read_and_a_deleted_one_is_not(tmp_path: Path) -> None:
    def box(text: str) -> str:
        inner = f"<w:sdt><w:sdtContent>{paragraph(run(text))}</w:sdtContent></w:sdt>"
        return f"<w:r><w:pict><w:txbxContent>{inner}</w:txbxContent></w:pict></w:r>"

    page = read(
        tmp_path, paragraph(run("Give 5 mg.") + box("Stop.") + f"<w:del>{box('Go')}</w:del>")
    )
    assert page.text == "Give 5 mg.\nStop."


def test_a_chosen_version_of_a_block_is_read_with_its_marks(tmp_path: Path) -> None:
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    block = paragraph(run("Give ") + run("10 mg", "<w:strike/>") + run("5 mg."))
    both = f"<mc:Choice>{block}</mc:Choice><mc:Fallback>{block}</mc:Fallback>"
    page = read(tmp_path, f"<mc:AlternateContent {mc}>{both}</mc:AlternateContent>")
    assert page.text == "Give 5 mg."
    assert codes(page) == [("struck_out", "Give 5 mg.")]


def test_deeply_nested_parts_are_told_from_damage(tmp_path: Path) -> None:
    deep = b"<w:sdt><w:sdtContent>" * 300 + b"</w:sdtContent></w:sdt>" * 300
    (tmp_path / "a.docx").write_bytes(bad_office.body(deep))
    with pytest.raises(ParseError) as caught:
        fixtures.parse(tmp_path / "a.docx", tmp_path / "out")
    assert caught.value.code == "too_deep"
