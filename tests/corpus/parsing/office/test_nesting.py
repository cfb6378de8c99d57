"""Test how deep HTML may be nested, and what is measured of a workbook before it is read."""

from pathlib import Path

import pytest

from corpus.parsing.office import workbooks
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.types import ParseError
from tests.corpus.hostile import bad_office


@pytest.mark.parametrize(
    "text",
    [
        "<p>one" * 5_000,  # HTML allows unclosed paragraphs, items and cells
        "<ul>" + "<li>one" * 5_000 + "</ul>",
        "<table>" + "<tr><td>one<td>two" * 5_000 + "</table>",
        "<br><img src=a>" * 5_000,
        "p < 0.05 and n <5 when x<y. " * 500,
        "<div>" * 150 + "text" + "</div>" * 150,
    ],
)
def test_long_documents_are_not_deep(text: str) -> None:
    html_tree(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [("<div>" * 250, "too_deep"), ("<ul><li>" * 250, "too_deep"), ("<b><i>" * 250, "too_deep")],
)
def test_what_no_parser_should_be_given(text: str, code: str) -> None:
    with pytest.raises(ParseError) as caught:
        html_tree(text)
    assert caught.value.code == code
    assert caught.value.hint


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (bad_office.workbook(), None),
        (bad_office.corner_cells(), "sheet_too_large"),
        (bad_office.huge_merge(), "sheet_too_large"),
        (bad_office.million_cells(), "sheet_too_large"),
    ],
)
def test_a_workbook_is_measured(content: bytes, code: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    if code is None:
        workbooks.check_workbook(path)
        return
    with pytest.raises(ParseError) as caught:
        workbooks.check_workbook(path)
    assert caught.value.code == code
