"""Test HTML and Markdown: struck words, breaks in tables, bars, depth, front matter."""

from pathlib import Path

import pytest

from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures


def read(tmp_path: Path, text: str, name: str = "a.md") -> ParsedDocument:
    text = text if name.endswith(".md") else f"<html><body>{text}</body></html>"
    return fixtures.read_text(tmp_path, text, name)


def lines(document: ParsedDocument) -> list[str]:
    return document.pages[0].text.splitlines()


def codes(document: ParsedDocument) -> list[tuple[str, str]]:
    (page,) = document.pages
    return [(doubt.code, page.text[doubt.start : doubt.end]) for doubt in page.doubts]


STRUCK_STYLE = "<p>Give <span style='text-decoration: line-through'>10 mg</span> 5 mg.</p>"


@pytest.mark.parametrize(
    ("name", "text", "said", "doubted"),
    [
        ("a.md", "Give ~~10 mg~~ 5 mg.\n", "Give 5 mg.", "Give 5 mg."),
        ("a.md", "Give <del>10 mg</del> 5 mg.\n", "Give 5 mg.", "Give 5 mg."),
        ("a.html", "<p>Give <s>10 mg</s> 5 mg.</p>", "Give 5 mg.", "Give 5 mg."),
        ("a.html", "<p>Give <strike>10 mg</strike> 5 mg.</p>", "Give 5 mg.", "Give 5 mg."),
        ("a.html", STRUCK_STYLE, "Give 5 mg.", "Give 5 mg."),
        ("a.md", "| A | B |\n|---|---|\n| x | ~~10~~ 5 |\n", "A | B\nx | 5", "A | B\nx | 5"),
        ("a.md", "- Give 5 mg\n- ~~Give 10 mg~~\n", "Give 5 mg", ""),  # all of a point
    ],
)
def test_what_is_struck_out_is_not_said_but_doubted(
    tmp_path: Path, name: str, text: str, said: str, doubted: str
) -> None:
    document = read(tmp_path, text, name)
    assert document.pages[0].text == said
    assert codes(document) == [("struck_out", doubted)]


def test_spans_and_breaks_in_a_pipe_table_do_not_cut_or_glue_words(tmp_path: Path) -> None:
    row = "| <span class='d'>PCC</span> | **IV:** 5 mg<br>then 1 mg |"
    table = f"| Drug | Dose |\n|---|---|\n{row}\n"
    assert lines(read(tmp_path, table))[1] == "PCC | IV: 5 mg then 1 mg"


def test_facts_in_front_of_markdown_are_no_text(tmp_path: Path) -> None:
    front = "---\ntitle: 'A card'\nauthors:\n    - Somebody\n\nupdates:\n---\n\n"
    document = read(tmp_path, front + "Give 5 mg.\n")
    assert (document.title, lines(document)) == ("A card", ["Give 5 mg."])
    rule = read(tmp_path, "---\n\nGive 5 mg.\n\n---\n\nStop.\n")
    assert lines(rule) == ["Give 5 mg.", "Stop."]


def test_nested_points_keep_their_depth_and_numbers(tmp_path: Path) -> None:
    document = read(tmp_path, "3. Look\n   - eyes\n     - both\n4. Treat\n")
    page = document.pages[0]
    shown = [(page.text[block.start : block.end], block.level) for block in page.blocks]
    assert shown == [("3. Look", 1), ("eyes", 2), ("both", 3), ("4. Treat", 1)]


BARS = "| D | mg |\n|---|---|\n| **Adults** | |\n| A | 5 |\n| **Children** | |\n| A | 1 |\n"
BARS_IN_HTML = """<table><tr><th>D</th><th>mg</th></tr><tr><td colspan=99>Adults</td></tr><tr>
<td>A</td><td>5</td></tr><tr><th colspan=2>Children</th></tr><tr><td>A</td><td>1</td></tr></table>
"""


@pytest.mark.parametrize(("name", "table"), [("a.md", BARS), ("a.html", BARS_IN_HTML)])
def test_a_bar_over_the_table_is_a_section_of_it(tmp_path: Path, name: str, table: str) -> None:
    assert lines(read(tmp_path, table, name))[1:] == ["Adults | A | 5", "Children | A | 1"]


def test_an_empty_cell_beside_a_plain_one_makes_no_bar(tmp_path: Path) -> None:
    table = "| D | mg |\n|---|---|\n| A | |\n| B | 5 |\n"
    assert lines(read(tmp_path, table))[1:] == ["A | ", "B | 5"]


def test_a_caption_is_searched_and_belongs_to_its_table(tmp_path: Path) -> None:
    table = "<table><caption>Doses</caption><tr><th>D</th><th>mg</th></tr><tr><td>A<td>5</table>"
    (page,) = read(tmp_path, table, "a.html").pages
    assert fixtures.block_texts(page)[0] == ("caption", "Doses")
    assert page.blocks[1].table is not None
    assert page.blocks[1].table.caption == "Doses"


def test_a_table_in_a_cell_is_read_once_and_in_order(tmp_path: Path) -> None:
    inner = "<table><tr><td>Adults<td>5 mg</tr><tr><td>Children<td>1 mg</tr></table>"
    table = f"<table><tr><th>D</th><th>Dose</th></tr><tr><td>A<td>By age: {inner}</table>"
    shown = lines(read(tmp_path, table, "a.html"))
    assert shown == ["D | Dose", "A | By age: Adults, 5 mg; Children, 1 mg"]


def test_a_frame_of_one_cell_is_no_table(tmp_path: Path) -> None:
    (page,) = read(tmp_path, "<table><tr><td><p>One.</p><p>Two.</p></table>", "a.html").pages
    assert fixtures.block_texts(page) == [("paragraph", "One."), ("paragraph", "Two.")]


def test_a_list_right_inside_a_list_is_read(tmp_path: Path) -> None:
    document = read(tmp_path, "<ul><li>One<ul><li>A</ul><ul><li>B</ul></ul>", "a.html")
    assert lines(document) == ["One", "A", "B"]


def test_a_head_that_is_not_closed_hides_nothing(tmp_path: Path) -> None:
    text = "<html><head><title>Card</title><style>p {}</style><body><p>Give 5 mg.</html>"
    document = fixtures.read_text(tmp_path, text)
    assert (document.title, lines(document)) == ("Card", ["Give 5 mg."])


def test_front_matter_that_never_ends_takes_no_time(tmp_path: Path) -> None:
    assert "-a: b" in read(tmp_path, "---\n" + "-a: b\n" * 3_000 + "Give 5 mg.\n").pages[0].text
