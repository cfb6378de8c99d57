"""Test what is made of docling's result for a PDF; docling's models are not needed."""

from __future__ import annotations

from docling_core.types.doc.base import BoundingBox, Size
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.table.table_data import TableCell, TableData
from docling_core.types.doc.labels import DocItemLabel

from corpus.parsing.pdf.docling_models import pages_of
from tests.corpus.parsing import parsing_fixtures as fixtures

DOSES = (("Age", "Dose"), ("Adults", "5 mg"))


def on(page: int) -> ProvenanceItem:
    return ProvenanceItem(page_no=page, bbox=BoundingBox(l=0, t=0, r=1, b=1), charspan=(0, 1))


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
        )
        for row, texts in enumerate(DOSES)
        for column, text in enumerate(texts)
    ]


def test_each_page_has_its_blocks() -> None:
    first, second, third = pages_of(document(), 3)
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
