"""Test imported lines of passages: what is taken or refused, and how pages are made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.chunking.cutting import take_passages
from corpus.parsing.published.exchanged import (
    PassageError,
    lay_out,
    read_passage,
    read_passages,
    write_passage,
)
from corpus.parsing.sniff import PASSAGES, media_type_of
from corpus.parsing.types import BlockKind, ParseError


def line(**values: Any) -> str:
    return json.dumps({"title": "Gentamicin", "text": "Give 5 mg per kg.", **values})


def words(text: str) -> int:
    return len(text.split())


def test_title_and_text_are_enough_and_other_keys_are_left_out() -> None:
    passage = read_passage(line(colour="red", source="Trust", id=17))
    assert (passage.title, passage.text, passage.page) == ("Gentamicin", "Give 5 mg per kg.", 1)
    assert (passage.source, passage.id, passage.boxes) == ("Trust", "17", ())


def test_equal_passages_have_equal_lines_that_are_told_by_their_first_bytes() -> None:
    one = write_passage(read_passage('{"title": "A", "text": " B ", "page": 1, "boxes": []}'))
    two = write_passage(read_passage('{"text":"B","boxes":null,"title":"A ","odd":1}'))
    assert one == two == '{"page":1,"title":"A","text":"B"}'
    assert media_type_of(one.encode(), "a.jsonl") == PASSAGES
    assert write_passage(read_passage(one)) == one


def test_a_passage_over_a_page_break_stands_on_both_pages_with_its_boxes() -> None:
    text = "Give it slowly.\nOver one hour."
    boxes = [[2, 10, 700, 90, 710], [3, 10, 20, 80, 30.5]]
    passage = read_passage(
        line(text=text, page=2, spans=[[2, 5, 20], [3, 0, 14]], boxes=boxes, section_path=["Dose"])
    )
    layout = lay_out([passage])
    assert [page.text for page in layout.pages] == ["", "Dose\nGive it slowly.", "Over one hour."]
    assert layout.spans == (((2, 5, 20), (3, 0, 14)),)
    assert layout.pages[1].blocks[0].kind is BlockKind.HEADING
    assert [block.lines[0].box for page in layout.pages[1:] for block in page.blocks[-1:]] == [
        (10, 700, 90, 710),
        (10, 20, 80, 30.5),
    ]
    assert read_passage(write_passage(passage)) == passage


def test_headings_are_written_where_the_section_changes() -> None:
    paths = [["A"], ["A", "B"], ["A", "B"], ["A", "C"], ["A"], [], ["D", "E"]]
    layout = lay_out([read_passage(line(section_path=path)) for path in paths])
    headings = [
        (layout.pages[0].text[block.start : block.end], block.level)
        for block in layout.pages[0].blocks
        if block.kind is BlockKind.HEADING
    ]
    assert headings == [("A", 1), ("B", 2), ("C", 2), ("A", 1), ("D", 1), ("E", 2)]


def test_what_comes_in_as_one_passage_stays_one_whatever_its_length() -> None:
    texts = ["Short.", "A sentence of some length. " * 200, "Last.\nIn two lines."]
    passages = [read_passage(line(text=text, section_path=["Dose"])) for text in texts]
    drafts = take_passages(
        passages, title="Gentamicin", population="adult", sha256="f" * 64, count_tokens=words
    )
    assert [draft.text for draft in drafts] == [text.strip() for text in texts]
    assert drafts[1].key == f"{'f' * 64}_p1_c1"
    assert drafts[0].context == "Gentamicin | Dose | adult"
    pages = {page.number: page.text for page in lay_out(passages).pages}
    for draft in drafts:
        assert draft.text == "\n".join(pages[page][start:end] for page, start, end in draft.spans)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("not JSON", "not JSON"),
        ("[]", "a JSON object"),
        ("[" * 100_000, "not JSON"),
        (line(text=" \n"), "text is missing or empty"),
        (line(title=None), "title is missing or empty"),
        (line(text=["a"]), "text must be a text"),
        (line(text="x" * 100_001), "longer than 100000"),
        (line(page=0), "page must be a number"),
        (line(page="3"), "page must be a number"),
        (line(page=True), "page must be a number"),
        (line(section_path="Dose"), "section_path must be a list"),
        (line(section_path=["x"] * 21), "20 headings"),
        (line(boxes=[[1, 2, 3]]), "each box must be"),
        (line(boxes=[[1, 9, 0, 3, 4]]), "each box must be"),
        (line(boxes=[[1, float("nan"), 0, 3, 4]]), "each box must be"),
        (line(boxes=[[2, 0, 0, 3, 4]]), "where no text does"),
        (line(spans=[[1, 0]]), "spans must be a list"),
        (line(spans=[[1, 0, 4], [2, 0, 4]]), "not as long as the text"),
        (line(page=2, spans=[[1, 0, 17]]), "page is another"),
    ],
)
def test_a_bad_line_is_refused_with_what_is_expected(wrong: str, said: str) -> None:
    with pytest.raises(PassageError, match=said):
        read_passage(wrong)


def test_an_uploaded_export_of_many_documents_is_sent_to_the_command(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    lines = [write_passage(read_passage(line(title=title))) for title in ("One", "Two")]
    path.write_text("\n".join(lines))
    with pytest.raises(ParseError, match="more than one document"):
        read_passages(path)
    path.write_text(lines[0] + "\n{}\n")
    with pytest.raises(ParseError, match="Line 2 is not a passage"):
        read_passages(path)
