"""Test where figures and flow charts of a page are, and what of them may be quoted."""

from typing import Any

import pytest

from corpus.figures import figures_of, unordered_spans
from corpus.statements import PageView, statements_of
from corpus.statements.making import BOX

NODE = {"code": "flow_chart"}
Box = tuple[float, float, float, float]


def page_of(*parts: tuple[str, str, Box]) -> tuple[str, list[dict[str, Any]]]:
    """Return text and blocks of parts given as kind, text and box."""
    text, blocks = "", []
    for kind, words, box in parts:
        start, end = len(text), len(text) + len(words)
        line = {"start": start, "end": end, "box": box}
        blocks.append({"kind": kind, "start": start, "end": end, "level": 0, "lines": [line]})
        text += f"{words}\n"
    return text, blocks


def nodes(blocks: list[dict[str, Any]], *places: int) -> list[dict[str, Any]]:
    return [NODE | {"start": blocks[n]["start"], "end": blocks[n]["end"]} for n in places]


ABOVE = ("paragraph", "Text above.", (50.0, 50.0, 550.0, 100.0))
CAPTION = ("caption", "Figure 2: Pathway", (50.0, 400.0, 550.0, 412.0))
BELOW = ("paragraph", "Text below.", (50.0, 420.0, 550.0, 500.0))


@pytest.mark.parametrize(
    ("parts", "box"),
    [
        ([ABOVE, CAPTION, BELOW], [0.0, 100.0, 600.0, 420.0]),
        ([("caption", "Figure 2", (50.0, 110.0, 550.0, 122.0)), ABOVE], [0.0, 102.0, 600.0, 778.0]),
        (  # a column to the right
            [ABOVE, ("caption", "Fig. 2", (50.0, 400.0, 250.0, 412.0)),
             ("paragraph", "Other column.", (300.0, 380.0, 550.0, 460.0))],
            [0.0, 100.0, 300.0, 420.0],
        ),
    ],
)  # fmt: skip
def test_a_drawing_is_the_room_next_to_its_caption(parts: Any, box: list[float]) -> None:
    text, blocks = page_of(*parts)
    (figure,) = figures_of(text, blocks, [], width=600, height=800)
    assert (figure["kind"], figure["box"]) == ("figure", box)
    assert figure["label"] in ("Figure 2", "Fig. 2")


@pytest.mark.parametrize(
    "parts",
    [
        [ABOVE, ("caption", "Figure 2", (50.0, 105.0, 550.0, 117.0)),
         ("paragraph", "On.", (50.0, 120.0, 550.0, 780.0))],
        [ABOVE, ("caption", "Table 2", (50.0, 400.0, 550.0, 412.0))],
    ],
)  # fmt: skip
def test_without_room_or_name_there_is_none(parts: Any) -> None:
    text, blocks = page_of(*parts)
    assert figures_of(text, blocks, [], width=600, height=800) == []


def test_a_page_without_geometry_has_none() -> None:
    text, blocks = page_of(ABOVE, CAPTION)
    assert figures_of(text, blocks, [], width=0, height=0) == []


START = ("paragraph", "Is the child in pain?", (200.0, 100.0, 400.0, 130.0))
YES = ("paragraph", "Give morphine 0.1 mg/kg.", (50.0, 200.0, 250.0, 230.0))
NO = ("paragraph", "Give paracetamol 15 mg/kg.", (350.0, 200.0, 550.0, 230.0))
ARROWS = ("paragraph", "Yes No", (150.0, 160.0, 450.0, 172.0))  # no node
THEN = ("paragraph", "Assess again in 20 minutes.", (210.0, 200.0, 390.0, 230.0))


def test_a_chart_is_all_of_its_boxes_with_its_caption() -> None:
    caption = ("caption", "Algorithm 1. Pain", (50.0, 250.0, 550.0, 262.0))
    text, blocks = page_of(ABOVE, START, YES, NO, caption)
    (chart,) = figures_of(text, blocks, nodes(blocks, 1, 2, 3), width=600, height=800)
    assert (chart["kind"], chart["label"]) == ("chart", "Algorithm 1")
    assert chart["box"] == [2.0, 100.0, 598.0, 286.0]


def test_no_text_beside_a_chart_is_cut_into() -> None:
    beside = ("paragraph", "Of the other column.", (580.0, 90.0, 800.0, 300.0))
    text, blocks = page_of(START, YES, NO, beside)
    (chart,) = figures_of(text, blocks, nodes(blocks, 0, 1, 2), width=900, height=800)
    assert chart["box"] == [2.0, 76.0, 580.0, 254.0]


@pytest.mark.parametrize(
    ("parts", "quoted"),
    [
        ([ABOVE, START, YES, NO], [START[1], YES[1], NO[1]]),  # it branches
        ([ABOVE, START, ARROWS, YES, NO], [START[1], YES[1], NO[1]]),
        ([ABOVE, START, THEN], []),  # one column
    ],
)
def test_a_box_of_a_chart_that_branches_is_quoted_as_one(parts: Any, quoted: list[str]) -> None:
    text, blocks = page_of(*parts)
    places = [place for place, part in enumerate(parts) if part not in (ABOVE, ARROWS)]
    charts = unordered_spans(blocks, nodes(blocks, *places))
    (made,) = statements_of([([], [(1, 0, len(text))])], {1: PageView(text, blocks, charts)})
    assert [statement.text for statement in made if statement.kind == BOX] == quoted
    assert made[0].text == "Text above."
