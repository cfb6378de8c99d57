"""Test the levels of list items: 1 is the outermost, in a PDF as in every other format."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.drafts import Draft
from corpus.parsing.layout.engine import lay_out
from corpus.parsing.lists import list_marker
from corpus.parsing.pdf.cells import read_page
from corpus.parsing.pdf.render import Renderer
from corpus.parsing.types import BlockKind, ParsedDocument
from tests.chat.verification.sampling import one_in
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.published import DATA

GUIDELINES = sorted((DATA / "guidelines" / "documents").glob("*.pdf"))
ONE_IN = 8  # guidelines is read in every run, the others in `make exhaustive`
MANY_PAGES = 50  # a longer guideline is left out: it takes long and shows no more
HANG = 20.0  # points from a marker to its text
NESTED = [
    (0, "1. Give oxygen to all."),
    (1, "• by mask in those who"),
    (2, "o are awake"),
    (2, "o sit up"),
    (1, "• by tube in all others"),
    (0, "2. Call the ward."),
    (1, "• in the day"),
]
LEVELS = [
    (1, "1. Give oxygen to all."),
    (2, "by mask in those who"),
    (3, "are awake"),
    (3, "sit up"),
    (2, "by tube in all others"),
    (1, "2. Call the ward."),
    (2, "in the day"),
]

WARDS = "north south east west tower annex court lodge".split()

Line = tuple[float, str]  # indent in points, and text
Levels = list[tuple[int, str]]


def _draw(lines: Sequence[Line], *, x: float = 78, y: float = 700) -> fixtures.Draw:
    """Return a function that writes lines one below the other, each marker apart from its text."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for at, (inset, text) in enumerate(lines):
            marker = (list_marker(text) or "").strip()
            canvas.drawString(x + inset, y - 13 * at, marker)
            left = x + inset + (HANG if marker else 0)
            canvas.drawString(left, y - 13 * at, text.removeprefix(marker).strip())

    return draw


def _set_in(items: Sequence[tuple[int, str]]) -> list[Line]:
    return [(18.0 * depth, text) for depth, text in items]


def _levels(document: ParsedDocument) -> Levels:
    fixtures.assert_contract(document)
    return [
        (block.level, page.text[block.start : block.end])
        for page in document.pages
        for block in page.blocks
        if block.kind is BlockKind.LIST_ITEM
    ]


def _read(tmp_path: Path, *draws: fixtures.Draw) -> Levels:
    path = fixtures.make_pdf(tmp_path / "a.pdf", *draws)
    return _levels(fixtures.parse(path, tmp_path / "out"))


def _said(levels: Levels) -> list[int]:
    return [level for level, _ in levels]


def test_one_list_has_the_same_levels_in_every_format(tmp_path: Path) -> None:
    markdown = tmp_path / "a.md"
    lines = [f"{'    ' * depth}{text.replace('o ', '- ', 1) if text[0] == 'o' else text}"
             for depth, text in NESTED]  # fmt: skip
    markdown.write_text("\n".join(lines).replace("•", "-"), encoding="utf-8")

    assert _levels(fixtures.parse(markdown, tmp_path / "out")) == LEVELS
    assert _read(tmp_path, _draw(_set_in(NESTED))) == LEVELS


@pytest.mark.parametrize("cut", range(1, len(NESTED)))
def test_a_list_keeps_its_levels_over_a_page_break(tmp_path: Path, cut: int) -> None:
    lines = _set_in(NESTED)
    assert _read(tmp_path, _draw(lines[:cut]), _draw(lines[cut:], y=780)) == LEVELS


@pytest.mark.parametrize("cut", range(1, len(NESTED)))
def test_a_list_keeps_its_levels_over_a_column_break(tmp_path: Path, cut: int) -> None:
    text = [(0.0, "In this ward the whole of the text is set in two columns.")] * 12
    ends = (0.0, "And the text goes on from there to the foot of the page.")
    lines = _set_in(NESTED)

    def draw(canvas: Canvas) -> None:
        _draw([*text, *lines[:cut]], x=40, y=700)(canvas)
        _draw([*lines[cut:], *[ends] * 14], x=320, y=700)(canvas)

    assert _read(tmp_path, draw) == LEVELS


def test_a_list_keeps_its_levels_where_margins_are_mirrored(tmp_path: Path) -> None:
    pages = []
    for at, ward in enumerate(WARDS):
        lines = [(inset, f"{text} {ward}") for inset, text in _set_in(NESTED)]
        above = [(0.0, f"This page speaks of the ward in the {ward} and of no other.")] * 3
        part = [*lines[3:], *above] if at % 2 else [*above, *lines[:3]]
        pages.append(_draw(part, x=60 if at % 2 else 78, y=780 if at % 2 else 200))

    assert _said(_read(tmp_path, *pages)) == [level for level, _ in LEVELS] * (len(WARDS) // 2)


def test_bullets_of_a_numbered_recommendation_are_the_outermost(tmp_path: Path) -> None:
    lines = [
        (0.0, "1.2.4 Offer the test to those who:"),
        (30.0, "• are ill:"),
        (48.0, "– for a week"),
        (30.0, "• are old"),
        (0.0, "1.2.5 Give them the leaflet, in:"),
        (30.0, "• English"),
    ]
    assert _said(_read(tmp_path, _draw(lines, x=60))) == [1, 2, 1, 1]


@pytest.mark.parametrize(
    ("lines", "levels"),
    [
        # bullets not indented below their introduction
        ([(0, "1. Do not give it if:"), (0, "• deaf"), (0, "• ill"), (0, "2. Ask.")], [1, 2, 2, 1]),
        ([(0, "1. Give it."), (0, "• Wait."), (0, "2. Ask.")], [1, 1, 1]),
        # numbers that end flush, and letters
        ([(5, "9. Nine."), (0, "10. Ten."), (18, "a) First."), (18, "b) Then.")], [1, 1, 2, 2]),
        # uneven indents
        ([(0, "• One."), (5, "• Two."), (18, "o of it"), (2, "• Three.")], [1, 1, 2, 1]),
        # one sign for every depth
        ([(0, "• One."), (14, "• Of it."), (28, "• Of that."), (0, "• Two.")], [1, 2, 3, 1]),
        # an indent that no item before had
        ([(0, "• One."), (36, "– of it"), (18, "o so"), (0, "• Two.")], [1, 2, 2, 1]),
        # a paragraph of an item, and one that ends the list
        ([(0, "1. One."), (20, "The known ones:"), (18, "• of it"), (0, "2. Two.")], [1, 2, 1]),
        ([(0, "1. One."), (0, "The known ones:"), (18, "• of it"), (0, "2. Two.")], [1, 1, 1]),
    ],
)
def test_an_item_stands_under_what_begins_further_left(
    tmp_path: Path, lines: list[Line], levels: list[int]
) -> None:
    assert _said(_read(tmp_path, _draw(lines))) == levels


def test_an_item_over_a_break_has_one_level(tmp_path: Path) -> None:
    ends = "and the rest of it, which is long enough to fill the line to its end as that above is,"
    first = [(0.0, "• One."), (18.0, f"o of it {ends}")]
    then = [(38.0, "goes on here."), (18.0, "o and that"), (0.0, "• Two.")]

    found = _read(tmp_path, _draw(first, y=100), _draw(then, y=780))

    assert found[2] == (2, "goes on here.")
    assert _said(found) == [1, 2, 2, 2, 1]


def _runs(path: Path) -> Iterator[list[Draft]]:
    """Yield the runs of successive list items on each page of a PDF, without OCR."""
    renderer = Renderer(path)
    pages = [read_page(renderer.page(n), n) for n in range(1, renderer.page_count + 1)]
    for page in lay_out(pages).pages:
        for kind, run in groupby(page, key=lambda draft: getattr(draft, "kind", None)):
            if kind is BlockKind.LIST_ITEM:
                yield [draft for draft in run if isinstance(draft, Draft)]


def _siblings(run: Sequence[Draft]) -> Iterator[tuple[Draft, Draft]]:
    """Yield pairs of items of one edge and kind of marker, with no outer item between them."""
    first = [item for item in run if not item.continues]
    for at, item in enumerate(first):
        left, marked = _left(item), list_marker(item.text) is None
        for other in first[at + 1 :]:
            if _left(other) < left - 1 or other.level < item.level:
                break
            if _left(other) < left + 1 and marked == (list_marker(other.text) is None):
                yield item, other


def _left(item: Draft) -> float:
    assert item.pieces[0].box is not None
    return item.pieces[0].box[0]


@pytest.mark.skipif(not GUIDELINES, reason=f"no real guidelines below {DATA}")
@pytest.mark.parametrize("path", one_in(ONE_IN, GUIDELINES, name=lambda path: path.stem))
def test_levels_of_real_guidelines(path: Path) -> None:
    if Renderer(path).page_count > MANY_PAGES:
        pytest.skip(f"more than {MANY_PAGES} pages")
    before = 0
    for run in _runs(path):
        for item in run:
            assert 1 <= item.level <= before + 1, item.text
            before = item.level
        for item, other in _siblings(run):
            assert item.level == other.level, (item.text, other.text)
