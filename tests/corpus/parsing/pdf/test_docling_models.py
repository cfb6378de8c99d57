"""Test what is made of docling's result for a PDF; docling's models are not needed."""

from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.table.table_data import TableCell, TableData
from docling_core.types.doc.labels import DocItemLabel

from corpus.parsing.pdf.docling_models import pages_of
from tests.corpus.parsing import parsing_fixtures as fixtures

DOSES = (("Age", "Dose"), ("Adults", "5 mg"))


def on(page: int, start: int = 0) -> ProvenanceItem:
    """Return a place 10 points from the page's left side, as docling counts: upwards."""
    box = BoundingBox(l=10, t=90, r=60, b=70, coord_origin=CoordOrigin.BOTTOMLEFT)
    return ProvenanceItem(page_no=page, bbox=box, charspan=(start, start + 1))


def document() -> DoclingDocument:
    made = DoclingDocument(name="x")
    for number in (1, 2, 3):
        made.add_page(page_no=number, size=Size(width=100, height=100))
    made.add_title("Paracetamol", prov=on(1))
    made.add_heading("Dose", level=1, prov=on(1))
    made.add_text(DocItemLabel.TEXT, "Give 5 mg & <b>wait</b> if p < 3.", prov=on(1))
    points = made.add_list_group()
    made.add_list_item("by mouth", enumerated=False, parent=points, prov=on(1))
    made.add_list_item("by vein", enumerated=True, marker="a)", parent=points, prov=on(1))
    caption = made.add_text(DocItemLabel.CAPTION, "Table 1. Doses", prov=on(3))
    made.add_table(TableData(table_cells=cells(), num_rows=2, num_cols=2), caption, prov=on(3))
    return made


def cells() -> list[TableCell]:
    return [
        TableCell(
            text=text,
            start_row_offset_idx=row,
            end_row_offset_idx=row + 1,
            start_col_offset_idx=column,
            end_col_offset_idx=column + 1,
            column_header=row == 0,
            bbox=BoundingBox(l=10 * column, t=10 * row, r=10 * column + 9, b=10 * row + 9),
        )
        for row, texts in enumerate(DOSES)
        for column, text in enumerate(texts)
    ]


def test_each_page_has_its_blocks() -> None:
    (first, second, third), _ = pages_of(document(), [(100.0, 100.0)] * 3)
    assert fixtures.block_texts(first) == [
        ("heading", "Paracetamol"),
        ("heading", "Dose"),
        ("paragraph", "Give 5 mg & <b>wait</b> if p < 3."),
        ("list_item", "by mouth"),
        ("list_item", "a) by vein"),
    ]
    assert (second.number, second.text) == (2, "")
    assert third.text == "Table 1. Doses\nAge | Dose\nAdults | 5 mg"
    (table,) = [block.table for block in third.blocks if block.table]
    assert (table.header, table.caption) == (("Age", "Dose"), "Table 1. Doses")
    assert [cell.box for cell in table.cells] == [
        (0.0, 0.0, 9.0, 9.0),
        (10.0, 0.0, 19.0, 9.0),
        (0.0, 10.0, 9.0, 19.0),
        (10.0, 10.0, 19.0, 19.0),
    ]


def test_boxes_are_those_of_the_displayed_page() -> None:
    (first, *_), _ = pages_of(document(), [(200.0, 200.0)] * 3)
    assert (first.width, first.height) == (200.0, 200.0)
    assert {line.box for block in first.blocks for line in block.lines} == {(20, 20, 120, 60)}


def test_levels_are_those_of_headings_and_lists() -> None:
    made = document()
    outer = made.add_list_group()
    item = made.add_list_item("outer", parent=outer, prov=on(2))
    made.add_list_item("inner", parent=made.add_list_group(parent=item), prov=on(2))
    (first, second, _), _ = pages_of(made, [(100.0, 100.0)] * 3)
    assert [block.level for block in first.blocks] == [1, 2, 0, 1, 1]
    assert [block.level for block in second.blocks] == [1, 2]


def test_a_text_over_two_pages_is_on_both() -> None:
    made = document()
    text = made.add_text(DocItemLabel.TEXT, "Take it with information from us.", prov=on(1))
    text.prov.append(on(2, start=len("Take it with infor-") + 1))
    (first, second, _), _ = pages_of(made, [(100.0, 100.0)] * 3)
    assert first.text.endswith("Take it with")
    assert (second.text, second.blocks[0].continues) == ("information from us.", True)


def test_what_is_left_out_has_its_box_and_figures_a_doubt() -> None:
    made = document()
    header = made.add_text(DocItemLabel.PAGE_HEADER, "Trust guideline", prov=on(1))
    header.content_layer = ContentLayer.FURNITURE
    figure = made.add_picture(prov=on(2))
    made.add_text(DocItemLabel.TEXT, "Stop", parent=figure, prov=on(2))
    (first, second, _), left = pages_of(made, [(100.0, 100.0)] * 3)
    assert "Trust guideline" not in first.text
    assert second.text == ""
    assert [doubt.code for doubt in second.doubts] == ["figure_words_left_out"]
    box = (10.0, 10.0, 60.0, 30.0)
    assert ([*left[0].running], [*left[1].labels], left[2].boxes) == ([box], [box], [])
