"""Test what docling drops of Markdown: each is lost, or said wrongly, without `marked_markdown`."""

from pathlib import Path
from typing import Any

import marko
import pytest

from corpus.parsing.office.docling import markdown
from tests.corpus.parsing import parsing_fixtures as fixtures


def lines(tmp_path: Path, text: str) -> list[str]:
    return fixtures.read_text(tmp_path, text, "a.md").pages[0].text.splitlines()


def as_docling_reads(text: str) -> Any:
    from docling.backend.md_backend import _GFM_EXTENSION  # `markdown` has imported it

    return marko.Markdown(extensions=[_GFM_EXTENSION]).parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Give ~~10 mg~~ 5 mg.\n", ["Give 5 mg."]),
        ("Give ~~about ~10 mg~~ 5 mg.\n", ["Give 5 mg."]),
        ("~~Give **~~10 mg~~** 5 mg.\n", ["~~Give 5 mg."]),
        ("Give <del>10 mg</del> 5 mg.\n", ["Give 5 mg."]),
        ("Give <span hidden>10 mg</span> 5 mg.\n", ["Give 5 mg."]),
        ("<del>\n\nGive 10 mg.\n\n</del>\n\nGive 5 mg.\n", ["Give 5 mg."]),
        ("- ~~Give 10 mg~~\n- Give 5 mg\n", ["Give 5 mg"]),
        ("| A | B |\n|---|---|\n| x | ~~10~~ 5 |\n", ["A | B", "x | 5"]),
        ("Below 10<sup>9</sup>/L.\n", ["Below 10⁹/L."]),
        ("Give co-**amoxi**clav.\n", ["Give co-amoxiclav."]),
        ("- One\n\n  never in children\n  - A\n", ["One", "never in children", "A"]),
        ("- | A | B |\n  |---|---|\n  | x | 5 |\n", ["A | B", "x | 5"]),
        ("- Give\na | b\n5 mg\nnow\n", ["Give a | b 5 mg now"]),
        ("- [x] Give 5 mg\n", ["[x] Give 5 mg"]),
    ],
)
def test_what_docling_drops_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: list[str]
) -> None:
    assert lines(tmp_path, text) == said
    monkeypatch.setattr(markdown, "marked_markdown", as_docling_reads)
    assert lines(tmp_path, text) != said


TABLE_IN_POINT = "1. Look\n\n   | A | B |\n   |---|---|\n   | x | 5 |\n\n   Then\n2. Treat\n"
LINKS = "See [the Card] and [this][the card].\n\n[The card]: http://192.0.2.1/\n"
CODE = "If `INR <5` &amp; K &lt; 3\n\n```\nif INR < 5: <b>\n```\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TABLE_IN_POINT, ["1. Look", "A | B", "x | 5", "Then", "2. Treat"]),
        ("<!-- reviewed --> Give 5 mg\n", ["Give 5 mg"]),
        (LINKS, ["See the Card and this."]),
        (CODE, ["If INR <5 & K < 3", "if INR < 5: <b>"]),
    ],
)
def test_tables_in_points_comments_links_and_code_are_read(
    tmp_path: Path, text: str, said: list[str]
) -> None:
    assert lines(tmp_path, text) == said
