"""Test the share of a page's words that PDFium finds under its boxes, on altered results."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from corpus.parsing.selfcheck.pages import VALUES_NOT_FOUND, LeftOut, check_pages
from corpus.parsing.serialise import from_json, to_json
from corpus.parsing.types import Block, BlockKind, Box, Line, Page, ParsedDocument, WordsFound
from tests.corpus.parsing import parsing_fixtures as fixtures

LINES = (
    "Give 5 mg of demonstracillin at once, and 25 mg on the day after it.",
    "Patients with a creatinine clearance below 30 mL/min get half of that.",
    "Stop when a rash appears, and tell whoever is on call for micro-",
    "biology. The fiancé of the patient may not fill in the form.",
)
WORDS = sum(len(line.split()) for line in LINES)
SIZE, LEFT, TOP, STEP = 10.0, 60.0, 142.0, 12.0

Harm = Callable[[Page], Page]


draw = fixtures.at(842 - TOP, *LINES, x=LEFT, size=SIZE)


def box(index: int, *, left: float = LEFT, width: float = 340.0) -> Box:
    base = TOP + index * STEP
    return (left, base - 0.8 * SIZE, left + width, base + 0.25 * SIZE)


def page_of(lines: list[tuple[str, Box]], number: int = 1) -> Page:
    """Return a page of one paragraph, as a reader would."""
    text, placed = "", []
    for words, place in lines:
        start = len(text) + (1 if text else 0)
        text = f"{text} {words}" if text else words
        placed.append(Line(start, start + len(words), place))
    block = Block(BlockKind.PARAGRAPH, 0, len(text), lines=tuple(placed))
    return Page(number, text, (block,), *fixtures.A4)


def read() -> list[tuple[str, Box]]:
    return [(line.removesuffix("-"), box(index)) for index, line in enumerate(LINES)]


def checked(path: Path, *pages: Page, left: Sequence[LeftOut] = ()) -> list[WordsFound]:
    found = [page.words for page in check_pages(path, pages, left or [LeftOut()] * len(pages))]
    return [words for words in found if words is not None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return fixtures.make_pdf(tmp_path / "a.pdf", draw)


def test_a_true_page_is_found_whole(path: Path) -> None:
    """With a word divided at the end of a line, and an accent."""
    (page,) = check_pages(path, [page_of(read())], [LeftOut()])
    assert page.words == WordsFound(WORDS, WORDS)
    assert not page.doubts


@pytest.mark.parametrize(
    ("old", "new"), [("fill", "\ufb01ll"), ("fiancé", "fiance\u0301"), ("5 mg", "5\u00a0mg")]
)
def test_other_ways_to_write_the_same_are_no_difference(path: Path, old: str, new: str) -> None:
    lines = [(text.replace(old, new), place) for text, place in read()]
    assert checked(path, page_of(lines)) == [WordsFound(WORDS, WORDS)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("5 mg of", "50 mg of"),
        ("25 mg", "5 mg"),
        ("below", "above"),
        ("below 30", "30"),
        ("30", "-30"),
        ("fiancé", "fiance"),
        ("Stop", "Do not stop"),
    ],
)
def test_a_word_that_was_changed_lost_or_added_is_missed(path: Path, old: str, new: str) -> None:
    lines = [(text.replace(old, new), place) for text, place in read()]
    ((words,),) = [checked(path, page_of(lines))]
    assert WORDS - 1 <= words.found <= WORDS
    assert words.share < 1


def test_two_lines_that_were_swapped_are_out_of_order(path: Path) -> None:
    first, second, *rest = read()
    (words,) = checked(path, page_of([second, first, *rest]))
    assert words.found == WORDS - min(len(first[0].split()), len(second[0].split()))


def test_a_box_beside_its_words_holds_none_of_them(path: Path) -> None:
    first, (text, _), *rest = read()
    (words,) = checked(path, page_of([first, (text, box(9)), *rest]))
    assert words == WordsFound(WORDS - len(text.split()), WORDS)


def test_a_line_in_no_block_is_missing_and_doubted(path: Path) -> None:
    (page,) = check_pages(path, [page_of(read()[:-1])], [LeftOut()])
    assert page.words == WordsFound(WORDS - len(LINES[-1].split()), WORDS)
    (doubt,) = page.doubts
    assert doubt.code == VALUES_NOT_FOUND  # the line has a negation
    assert f"{page.words.found} of the {WORDS} words" in doubt.message
    assert "demonstracillin" not in doubt.message


def test_text_without_a_box_is_not_printed(path: Path) -> None:
    page = page_of(read())
    block = replace(page.blocks[0], lines=page.blocks[0].lines[:-1])
    (words,) = checked(path, replace(page, blocks=(block,)))
    assert words.found == WORDS - len(LINES[-1].split())


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_two_columns_woven_together_are_seen(tmp_path: Path, turn: int) -> None:
    import pypdfium2

    document = pypdfium2.PdfDocument(fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns))
    document[0].set_rotation(turn)
    document.save(tmp_path / "b.pdf")
    (page,) = fixtures.parse(tmp_path / "b.pdf", tmp_path / "out").pages
    assert page.words is not None
    assert page.words.share == 1
    columns = [line for block in page.blocks for line in block.lines][1:]
    halves = columns[: len(columns) // 2], columns[len(columns) // 2 :]
    woven = [line for pair in zip(*halves, strict=True) for line in pair]
    lines = [(page.text[line.start : line.end], line.box) for line in woven]
    tampered = replace(page_of(lines), width=page.width, height=page.height)
    (words,) = checked(tmp_path / "b.pdf", tampered)
    assert words.share < 0.75


def cells(tmp_path: Path) -> tuple[Path, Page]:
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.dosing_table(ruled=True))
    (page,) = fixtures.parse(path, tmp_path / "out").pages
    assert page.words is not None
    assert page.words.share == 1
    return path, page


def other_dose(page: Page) -> Page:
    return replace(page, text=page.text.replace("40 mg", "60 mg"))


def other_cell(page: Page) -> Page:
    return _with_cells(page, {"40 mg": "60 mg"})


def swapped(page: Page) -> Page:
    return _with_cells(page, {"40 mg": "60 mg", "60 mg": "40 mg"})


def moved(page: Page) -> Page:
    """Move the box of every line one row down."""
    return _with_lines(page, lambda line: replace(line, box=_lower(line.box, 18)))


@pytest.mark.parametrize("harm", [other_dose, other_cell, swapped, moved])
def test_a_table_that_says_otherwise_is_seen(tmp_path: Path, harm: Harm) -> None:
    path, page = cells(tmp_path)
    tampered = harm(page)
    assert tampered != page
    (words,) = checked(path, tampered)
    assert words.share < 1


def _with_cells(page: Page, texts: dict[str, str]) -> Page:
    def changed(block: Block) -> Block:
        if block.table is None:
            return block
        new = tuple(replace(c, text=texts.get(c.text, c.text)) for c in block.table.cells)
        return replace(block, table=replace(block.table, cells=new))

    return replace(page, blocks=tuple(map(changed, page.blocks)))


def _with_lines(page: Page, change: Callable[[Line], Line]) -> Page:
    blocks = [
        replace(block, lines=tuple(map(change, block.lines))) if block.table else block
        for block in page.blocks
    ]
    return replace(page, blocks=tuple(blocks))


def _lower(place: Box, by: float) -> Box:
    return (place[0], place[1] + by, place[2], place[3] + by)


def test_labels_of_a_figure_that_are_doubted_are_not_missing(path: Path) -> None:
    (page,) = check_pages(path, [page_of(read()[:-1])], [LeftOut(labels=[box(3)])])
    assert page.words and page.words.share == 1


RUNNING = "Local guideline, reviewed in May 2026"
DOSE = "Give 5 mg of demonstracillin at once."


def left_out(tmp_path: Path, *footers: str, y: float = 40.0) -> list[float]:
    """Return the share found of each page from which a footer was left out as running."""

    at = partial(fixtures.at, y, x=LEFT, size=SIZE)
    draws = [fixtures.together(draw, at(footer)) for footer in footers]
    path = fixtures.make_pdf(tmp_path / "b.pdf", *draws)
    pages = [page_of(read(), number) for number in range(1, len(footers) + 1)]
    line = (LEFT, 842 - y - SIZE, LEFT + 400, 842 - y + SIZE)
    return [w.share for w in checked(path, *pages, left=[LeftOut([line])] * len(pages))]


def test_what_every_page_leaves_out_is_believed_to_be_running(tmp_path: Path) -> None:
    assert left_out(tmp_path, f"{RUNNING} page 1", f"{RUNNING} page 2") == [1, 1]
    assert left_out(tmp_path, RUNNING, RUNNING, DOSE)[:2] == [1, 1]
    assert left_out(tmp_path, "3 Dosing", "Children 4") == [1, 1]  # numbered, in the margin


@pytest.mark.parametrize("y", [40.0, 400.0])
def test_a_line_of_the_body_that_was_left_out_as_running_is_missing(
    tmp_path: Path, y: float
) -> None:
    shares = left_out(tmp_path, RUNNING, DOSE, RUNNING, y=y)
    assert shares[0] == shares[2] == 1
    assert shares[1] == WORDS / (WORDS + len(DOSE.split()))


def test_a_figure_makes_no_running_line_of_the_body(tmp_path: Path) -> None:
    (share,) = left_out(tmp_path, f"{DOSE} 25", y=400.0)
    assert share < 1


def test_pages_read_by_ocr_are_not_compared(path: Path) -> None:
    page = replace(page_of(read()), ocr_confidence=0.9)
    assert check_pages(path, [page], [LeftOut()]) == (page,)


def test_the_words_survive_their_way_out_of_the_child(path: Path) -> None:
    document = ParsedDocument(check_pages(path, [page_of(read())], [LeftOut()]), "engine")
    assert from_json(to_json(document)) == document


@fixtures.needs_samples
def test_the_samples_are_found() -> None:
    """Those of several pages: a single page doesn't show what is its running header."""
    shares: dict[str, float] = {}
    for sample in sorted(fixtures.SAMPLES.glob("*.pdf")):
        pages = fixtures.read_sample(sample.name).pages
        shares |= {
            f"{sample.name} {page.number}": round(page.words.share, 4)
            for page in pages
            if page.words is not None and page.words.share < 1 and len(pages) > 1
        }
    assert not shares
