"""Test text that goes on over pages, columns and floats, and words that are no running text."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from corpus.chunking import ChunkDraft, ChunkSettings
from corpus.parsing.layout.joining import Vocabulary, decide, join_lines
from corpus.parsing.types import Block, BlockKind, Page, ParsedDocument
from tests.corpus.chunking.passages import passages_of
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.parsing_fixtures import at, heading
from tests.corpus.parsing.tables.said import said_in
from tests.corpus.parsing.tables.table_fixtures import GRID, draw_table
from tests.tables import cases, listed

OPEN_END = (
    "Give the first dose as soon as the blood cultures have been taken, and write the time when",
    "it was given on the chart. Do not wait for results when the patient is in shock, since the",
    "risk of death rises with each hour that passes before the infusion, and call the duty doctor",
)
GOES_ON = (
    "if the blood pressure stays low after the second litre of fluid. Then measure the lactate",
    "again.",
)


def _page(lines: Sequence[str], *, y: float, notes: Sequence[str] = ()) -> fixtures.Draw:
    return fixtures.together(at(y, *lines), at(110, *notes, size=7))


def _chunks(document: ParsedDocument) -> list[ChunkDraft]:
    return passages_of(replace(document, title="Guide"), ChunkSettings(60, 0))


def _blocks(document: ParsedDocument, number: int) -> list[tuple[str, bool]]:
    return [(block.kind.value, block.continues) for block in document.pages[number - 1].blocks]


def _codes(document: ParsedDocument) -> list[str]:
    return [doubt.code for page in document.pages for doubt in page.doubts]


def test_a_sentence_over_a_page_break_is_one(tmp_path: Path) -> None:
    first = _page(OPEN_END, y=200, notes=["* The chart is kept at the bedside."])
    document = fixtures.read_pdf(tmp_path, first, _page(GOES_ON, y=780))

    assert _blocks(document, 1) == [("paragraph", False), ("footnote", False)]
    assert _blocks(document, 2) == [("paragraph", True)]
    (chunk,) = [
        chunk for chunk in _chunks(document) if len({page for page, _, _ in chunk.spans}) > 1
    ]
    assert "and call the duty doctor\nif the blood pressure stays low" in chunk.text
    assert not document.pages[1].doubts


def test_a_join_that_is_only_likely_is_a_doubt(tmp_path: Path) -> None:
    goes_on = "Northfield wards ring the same number for help as the theatres do. It is on"
    document = fixtures.read_pdf(tmp_path, at(200, *OPEN_END), at(780, goes_on, "the wall."))
    assert _blocks(document, 2) == [("paragraph", True)]
    (doubt,) = document.pages[1].doubts
    assert doubt.code == "page_join_guessed"
    assert document.pages[1].text[doubt.start : doubt.end].startswith("Northfield")


def test_a_finished_paragraph_is_not_joined(tmp_path: Path) -> None:
    ended = "risk of death rises with each hour that passes before the infusion has begun to be."
    document = fixtures.read_pdf(tmp_path, at(200, *OPEN_END[:2], ended), at(780, *GOES_ON))
    assert _blocks(document, 2) == [("paragraph", False)]
    assert _codes(document) == ["sentence_without_start"]


def test_what_a_heading_begins_goes_on_from_nothing(tmp_path: Path) -> None:
    second = fixtures.together(heading(780, "2 Fluids"), at(750, *GOES_ON))
    document = fixtures.read_pdf(tmp_path, at(200, *OPEN_END), second)
    assert _blocks(document, 2) == [("heading", False), ("paragraph", False)]


def test_a_list_item_goes_on_as_a_list_item(tmp_path: Path) -> None:
    first = fixtures.together(at(200, f"1. {OPEN_END[0]}"), at(188, *OPEN_END[1:], x=72))
    second = fixtures.together(at(780, *GOES_ON, x=72), at(740, "2. Keep the patient warm."))
    document = fixtures.read_pdf(tmp_path, first, second)
    assert _blocks(document, 1) == [("list_item", False)]
    assert _blocks(document, 2) == [("list_item", True), ("list_item", False)]


def test_a_formula_belongs_to_its_sentence(tmp_path: Path) -> None:
    above = "The clearance of creatinine is worked out from age and weight at first, and then"
    page = fixtures.read_page(
        tmp_path,
        at(700, above, "again whenever the creatinine rises by a third, as"),
        at(660, "C = k (140 - a) w / s", x=220),
        at(630, "where a is the age in years and w the weight in kg."),
    )
    ((kind, text),) = fixtures.block_texts(page)
    assert kind == "paragraph"
    assert "by a third, as C = k (140 - a) w / s where a is the age" in text


def _figure(canvas: Canvas) -> None:
    """Draw a paragraph, three labelled circles, their caption, and a paragraph."""
    at(760, *OPEN_END[:2])(canvas)
    for index, label in enumerate(("Admit", "Observe", "Discharge")):
        canvas.circle(130 + 140 * index, 620, 40)
        canvas.circle(130 + 140 * index, 570, 5)
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawCentredString(130 + 140 * index, 616, label)
    caption = "Figure 1. Who stays in hospital, and who is seen again at home on the next day."
    at(530, caption)(canvas)
    at(480, *GOES_ON)(canvas)


def test_words_inside_a_figure_are_left_out_and_doubted(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, _figure)

    (page,) = document.pages
    assert "Admit" not in page.text
    (_, text), (kind, _) = fixtures.block_texts(page)
    assert kind == "caption"
    assert "since the if the blood" in text, "the sentence goes on below the figure"
    (doubt,) = fixtures.unsure(page)
    assert doubt.code == "figure_words_left_out"
    assert page.text[doubt.start : doubt.end].startswith("Figure 1.")


def test_a_heading_right_over_a_figure_is_none_of_its_words(tmp_path: Path) -> None:
    page = fixtures.read_page(tmp_path, _figure, heading(668, "Where patients go", size=12))
    assert ("heading", "Where patients go") in fixtures.block_texts(page)
    assert "Admit" not in page.text


def test_sentences_beside_a_figure_are_kept(tmp_path: Path) -> None:
    def box(canvas: Canvas) -> None:
        canvas.rect(55, 660, 480, 60)

    draws = at(700, *OPEN_END), box, at(640, "Figure 1. A box of advice.")
    assert "Do not wait for results" in fixtures.read_page(tmp_path, *draws).text


def test_what_a_careful_reader_should_look_at(tmp_path: Path) -> None:
    page = fixtures.read_page(
        tmp_path,
        at(780, "Larger than the text but not bold", size=11.8),
        at(750, *OPEN_END, *GOES_ON),
        at(650, "Approved without changes"),
        at(650, "Withdrawn in the spring", x=61),
    )
    places = {x.code: page.text[x.start : x.end] for x in fixtures.unsure(page)}
    assert sorted(places) == ["heading_by_size", "overprinted_words"]
    assert places["heading_by_size"] == "Larger than the text but not bold"
    assert "Approved" in places["overprinted_words"]


def test_columns_that_lines_cross_are_a_doubt(tmp_path: Path) -> None:
    across = (
        "This line runs over both columns of the page and tells them nothing at all that is new"
    )
    draws = [
        draw
        for y in range(780, 100, -170)
        for draw in (
            at(y, *fixtures.LEFT, size=8),
            at(y + 3, *fixtures.RIGHT, x=320, size=8),
            at(y - 75, *[across] * 5),
        )
    ]
    page = fixtures.read_page(tmp_path, *draws)
    assert "column_order_unsure" in {doubt.code for doubt in page.doubts}


def test_names_side_by_side_are_no_headings(tmp_path: Path) -> None:
    def names(canvas: Canvas) -> None:
        for x, size, name, place in (
            (150, 13, "Ann Field", "Ward Seven, North"),
            (420, 13, "Bo Stone", "Pharmacy, East Wing"),
        ):
            canvas.setFont("Helvetica", size)
            canvas.drawCentredString(x, 745, name)
            canvas.setFont("Helvetica", 10)
            canvas.drawCentredString(x, 730, place)

    title = "How wards keep the cold chain of vaccines"
    draws = heading(780, title, size=20), names, heading(690, "1 Purpose"), at(670, *GOES_ON)
    texts = fixtures.block_texts(fixtures.read_page(tmp_path, *draws))
    assert [text for kind, text in texts if kind == "heading"] == [title, "1 Purpose"]
    said = " ".join(text for _, text in texts[1:-2])
    assert said == "Ann Field Ward Seven, North Bo Stone Pharmacy, East Wing"


def test_a_numbered_heading_that_runs_in_is_parted(tmp_path: Path) -> None:
    slanted = "Helvetica-Oblique"
    page = fixtures.read_page(
        tmp_path,
        heading(780, "1 Treatment"),
        at(750, "1.1 Children under five.", font=slanted),
        at(750, "Give half of the dose that an adult is given, and weigh the child", x=175),
        at(738, "again in a week."),
        at(700, "Not for infants.", font=slanted),
        at(700, "Give nothing by mouth before a doctor has come, and call the", x=137),
        at(688, "ward."),
    )
    assert [(block.level, page.text[block.start : block.end]) for block in page.blocks] == [
        (1, "1 Treatment"),
        (2, "1.1 Children under five."),
        (0, "Give half of the dose that an adult is given, and weigh the child again in a week."),
        (0, "Not for infants. Give nothing by mouth before a doctor has come, and call the ward."),
    ]


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["infor-", "mation"], "information"),
        (["a follow-up and a follow-", "up"], "a follow-up and a follow-up"),
        (["an evidence-based and a rule-", "based plan; a rule"],
         "an evidence-based and a rule-based plan; a rule"),
        (["the bag-of-words and the bag-", "of-words model"],
         "the bag-of-words and the bag-of-words model"),
        (["IgG-", "positive"], "IgG-positive"),
        (["X-", "ray"], "X-ray"),
        (["MedRag is here; Med-", "Rag again"], "MedRag is here; MedRag again"),
        (["prescribing and pre-", "scribing in pre-term"],
         "prescribing and prescribing in pre-term"),
    ],
)  # fmt: skip
def test_hyphens_at_line_ends(lines: list[str], joined: str) -> None:
    assert decide(join_lines(lines), Vocabulary([*lines, "based on it"])) == joined


@pytest.mark.parametrize(
    ("document", "lines", "joined"), cases(__file__, "hyphens.tsv", listed, listed)
)
def test_what_a_document_prints_decides_on_hyphens_at_line_ends(
    document: list[str], lines: list[str], joined: str
) -> None:
    vocabulary = Vocabulary(document)
    assert decide(f"so {join_lines(lines)}", vocabulary) == f"so {joined}"


def test_a_number_broken_by_a_blank_in_a_line_is_one(tmp_path: Path) -> None:
    page = fixtures.read_page(tmp_path, at(700, "Give 30– 60 mg, at most 1, 000 mg."))
    assert page.text == "Give 30–60 mg, at most 1,000 mg."


def test_the_words_of_a_document_decide_on_hyphens_in_its_tables(tmp_path: Path) -> None:
    def table(canvas: Canvas) -> None:
        rows = [["Drug", "Use"], ["Fictomab", "life-\nthreatening\ninfor-\nmation"]]
        draw_table(canvas, rows, widths=[100, 80], top=640, style=[GRID])

    said = at(700, "For life-threatening illness information is given.")
    page = fixtures.read_page(tmp_path, said, table)
    assert "Fictomab | life-threatening information" in page.text


def _over_a_break(first: str, second: str, *, note: str = "") -> ParsedDocument:
    """Return pages of a paragraph that goes on over their break, with a note below its start."""
    text = f"{first}\n{note}" if note else first
    blocks = [Block(BlockKind.PARAGRAPH, 0, len(first))]
    if note:
        blocks.append(Block(BlockKind.FOOTNOTE, len(first) + 1, len(text)))
    later = Block(BlockKind.PARAGRAPH, 0, len(second), continues=True)
    return ParsedDocument((Page(1, text, tuple(blocks)), Page(2, second, (later,))), "test")


def test_a_word_over_a_page_break_keeps_its_offsets() -> None:
    first, second = "Give it with infor-", "mation for the ward. Stop."
    (chunk,) = _chunks(_over_a_break(first, second))
    assert chunk.spans == ((1, 0, len(first)), (2, 0, len(second)))
    assert chunk.text == f"{first}\n{second}"


def test_what_stands_between_the_parts_comes_after_them() -> None:
    first, note, second = "Give the dose and", "* With food.", "then wait. Call the ward."
    (chunk,) = _chunks(_over_a_break(first, second, note=note))
    assert (chunk.text, chunk.page) == (f"{first}\n{second}\n{note}", 1)


def test_a_sentence_over_pages_that_fits_no_passage_is_parted_at_the_break() -> None:
    first, second = (" ".join(f"{sign}{n}" for n in range(50)) for sign in "ab")
    chunks = _chunks(_over_a_break(first, f"{second}."))
    assert [chunk.text for chunk in chunks] == [first, f"{second}."]


@pytest.mark.parametrize("sign", ["✓", "✔", "✗", "✘"])
def test_a_tick_before_an_item_is_no_mere_bullet(sign: str, tmp_path: Path) -> None:
    items = ((700, "Stop warfarin"), (680, "Give heparin"))
    draws = [
        draw for y, drug in items for draw in (at(y, sign, font="ZapfDingbats"), at(y, drug, x=80))
    ]
    page = fixtures.read_page(tmp_path, at(720, "Before a procedure:"), *draws)
    assert page.text == f"Before a procedure:\n{sign} Stop warfarin\n{sign} Give heparin"


@pytest.mark.parametrize(
    ("line", "read", "doubted"),
    [
        ("Give fl uconazole 50 mg daily.", "Give fluconazole 50 mg daily.", False),
        ("Treat inflammation. If infl ammation persists, in fl ammation again.",
         "Treat inflammation. If inflammation persists, inflammation again.", False),
        ("If infl ammation persists, stop it.", "If infl ammation persists, stop it.", True),
        ("Look for side eff ects of it.", "Look for side eff ects of it.", True),
        ("Turn the tap off and ask staff ice is needed.",
         "Turn the tap off and ask staff ice is needed.", False),
        ("A volume of 95 fl is normal here.", "A volume of 95 fl is normal here.", False),
        ("Be effective. It is eff ective, so go on.",
         "Be effective. It is effective, so go on.", False),
    ],
)  # fmt: skip
def test_words_parted_at_a_ligature_are_joined_or_doubted(
    line: str, read: str, doubted: bool, tmp_path: Path
) -> None:
    page = fixtures.read_page(tmp_path, at(700, line))
    assert page.text == read
    assert ("word_parted" in {doubt.code for doubt in page.doubts}) == doubted


@pytest.mark.parametrize("ending", ["for at least", "for", "every"])
def test_an_item_goes_on_with_a_figure_on_the_next_page(tmp_path: Path, ending: str) -> None:
    first = at(300, "• Measure the lactate in the blood at once", f"• Treat babies {ending}")
    items = fixtures.together(at(740, "14 days. Then stop.", x=66), at(728, "• Ask for help."))
    document = fixtures.read_pdf(tmp_path, first, items)
    goes_on = document.pages[1].blocks[0]
    assert goes_on.continues
    assert goes_on.kind is BlockKind.LIST_ITEM
    said = said_in(document)
    assert f"Treat babies {ending} 14 days. Then stop." in said
    assert said[-1] == "Ask for help."
