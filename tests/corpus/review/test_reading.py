"""Test a page of the passage view: blocks, tables as printed, doubts and their places."""

from typing import Any

from corpus.review.pages import ReadPage, read_page

TEXT = "Dosing\nGive 5 mg once daily.\nFirst point\nSecond point\nAge | Dose\nadult | 10 mg"


def block(kind: str, words: str, **more: Any) -> dict[str, Any]:
    start = TEXT.index(words)
    line = {"start": start, "end": start + len(words), "box": [10.0, 20.0, 110.0, 32.0]}
    plain = {"kind": kind, "start": start, "end": start + len(words), "level": 0, "table": None}
    return {**plain, "lines": [line], **more}


def cell(row: int, column: int, text: str, **more: Any) -> dict[str, Any]:
    spans = {"rows": 1, "columns": 1, "is_header": row == 0, "box": [0.0, 0.0, 10.0, 10.0]}
    return {"row": row, "column": column, "text": text, **spans, **more}


def table(*cells: dict[str, Any], caption: str = "") -> dict[str, Any]:
    rows = [{"start": 66, "end": 79, "cells": ["adult", "10 mg"]}]
    printed = {"header": ["Age", "Dose"], "rows": rows, "caption": caption, "cells": list(cells)}
    return block("table", TEXT[TEXT.index("Age") :], table=printed)


def place_of(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def doubt(words: str) -> dict[str, Any]:
    start, end = place_of(words) if words else (0, 0)
    return {"code": "unsure", "message": "Unsure.", "start": start, "end": end}


def tags(page: ReadPage) -> list[list[tuple[str, str, int, int]]]:
    shown = page.groups[0].blocks[0].rows
    return [[(c.text, c.scope, c.rows, c.columns) for c in row] for row in shown]


def test_headings_stand_below_those_of_the_page() -> None:
    levels = [
        read_page(TEXT, blocks=[block("heading", "Dosing", level=level)]).groups[0].blocks[0].level
        for level in (0, 1, 2, 3, 4, 9)
    ]
    assert levels == [3, 3, 4, 5, 6, 6]


def test_neighbouring_points_are_one_list() -> None:
    blocks = [
        block("paragraph", "Give 5 mg once daily."),
        block("list_item", "First point"),
        block("list_item", "Second point"),
    ]
    groups = read_page(TEXT, blocks=blocks).groups
    assert [(group.is_list, [b.key for b in group.blocks]) for group in groups] == [
        (False, ["b0"]),
        (True, ["b1", "b2"]),
    ]


def test_a_doubt_marks_its_words_and_leads_to_its_block() -> None:
    blocks = [block("heading", "Dosing"), block("paragraph", "Give 5 mg once daily.")]
    page = read_page(TEXT, blocks=blocks, doubts=[doubt("5 mg"), doubt("")])
    pieces = page.groups[1].blocks[0].pieces
    assert [(p.text, p.is_doubtful) for p in pieces] == [
        ("Give ", False),
        ("5 mg", True),
        (" once daily.", False),
    ]
    assert [d.block for d in page.doubts] == ["b1", ""]
    assert [b.blocks[0].is_doubtful for b in page.groups] == [False, True]
    assert [p.is_doubtful for p in page.places] == [False, True]
    assert page.places[1].keys == ("b1", "d0")


def test_a_place_names_every_passage_that_stands_on_it() -> None:
    blocks = [block("heading", "Dosing"), block("paragraph", "Give 5 mg once daily.")]
    passages = {"c0": [place_of("Dosing"), place_of("Give 5")], "c1": [place_of("mg once")]}
    page = read_page(TEXT, blocks=blocks, passages=passages)
    assert [place.keys for place in page.places] == [("b0", "c0"), ("b1", "c0", "c1")]
    first = page.places[0]
    assert (first.x, first.y, first.width, first.height) == ("9.0", "19.0", "102.0", "14.0")


def test_a_table_is_shown_as_printed() -> None:
    cells = [
        cell(0, 0, "Age", rows=2),
        cell(0, 1, "Dose", columns=2),
        cell(1, 1, "first", is_header=True),
        cell(1, 2, "next", is_header=True),
        cell(2, 0, "adult", is_header=True),
        cell(2, 1, "10 mg", columns=2),
    ]
    assert tags(read_page(TEXT, blocks=[table(*cells)])) == [
        [("Age", "col", 2, 1), ("Dose", "col", 1, 2)],
        [("first", "col", 1, 1), ("next", "col", 1, 1)],
        [("adult", "row", 1, 1), ("10 mg", "", 1, 2)],
    ]


def test_a_row_that_comes_down_whole_is_still_a_row() -> None:
    cells = [cell(0, 0, "a", rows=2), cell(0, 1, "b", rows=2), cell(2, 0, "c"), cell(2, 1, "d")]
    assert [len(row) for row in tags(read_page(TEXT, blocks=[table(*cells)]))] == [2, 0, 2]


def test_a_span_without_end_is_bounded() -> None:
    shown = tags(read_page(TEXT, blocks=[table(cell(0, 0, "a", rows=10**9, columns=0))]))
    assert shown[0] == [("a", "col", 1000, 1)]
    assert len(shown) == 1000


def test_without_cells_the_labels_head_the_rows() -> None:
    assert tags(read_page(TEXT, blocks=[table()])) == [
        [("Age", "col", 1, 1), ("Dose", "col", 1, 1)],
        [("adult", "", 1, 1), ("10 mg", "", 1, 1)],
    ]


def test_a_cell_paints_its_own_box_and_knows_the_passages_on_it() -> None:
    cells = [cell(0, 0, "Age"), cell(0, 1, "Dose", box=[0.0, 0.0, 200.0, 200.0])]
    page = read_page(TEXT, blocks=[table(*cells)], passages={"c4": [place_of("adult")]})
    assert [(place.keys, place.is_cell) for place in page.places] == [
        (("b0", "c4"), False),
        (("b0.0",), True),
        (("b0.1", "c4"), True),
    ]


def test_a_caption_is_said_once() -> None:
    captioned = table(caption="Doses")
    alone, below = (
        read_page(TEXT, blocks=blocks).groups[-1].blocks[0].caption
        for blocks in ([captioned], [block("caption", "Dosing"), captioned])
    )
    assert (alone, below) == ("Doses", "")


def test_what_was_stored_before_cells_and_doubts_is_shown() -> None:
    old = table()
    del old["table"]["cells"]
    page = read_page(TEXT, blocks=[{**old, "lines": []}])
    assert page.places == ()
    assert len(page.groups[0].blocks[0].rows) == 2


def test_an_empty_page_is_empty() -> None:
    assert read_page("", blocks=[]) == ReadPage((), (), ())
