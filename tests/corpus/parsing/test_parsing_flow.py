"""Test text that goes on over pages, columns and floats, and words that are no running text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from corpus.chunking import ChunkDraft, ChunkSettings, split
from corpus.parsing.layout.joining import Vocabulary, decide, join_lines
from corpus.parsing.types import Block, BlockKind, Page, ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures

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
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, lines, y=y)
        fixtures.write_lines(canvas, notes, y=110, size=7)

    return draw


def _chunks(document: ParsedDocument) -> list[ChunkDraft]:
    return split(
        document.pages,
        title="Guide",
        population="",
        sha256="x",
        settings=ChunkSettings(60, 0),
        count_tokens=lambda text: len(text.split()),
    )


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
    goes_on = (
        "Northfield wards ring the same number for help as the theatres do. It is on",
        "the wall.",
    )
    document = fixtures.read_pdf(tmp_path, _page(OPEN_END, y=200), _page(goes_on, y=780))

    assert _blocks(document, 2) == [("paragraph", True)]
    (doubt,) = document.pages[1].doubts
    assert doubt.code == "page_join_guessed"
    assert document.pages[1].text[doubt.start : doubt.end].startswith("Northfield")


def test_a_finished_paragraph_is_not_joined(tmp_path: Path) -> None:
    ended = (
        *OPEN_END[:2],
        "risk of death rises with each hour that passes before the infusion has begun to be given.",
    )
    document = fixtures.read_pdf(tmp_path, _page(ended, y=200), _page(GOES_ON, y=780))

    assert _blocks(document, 2) == [("paragraph", False)]
    assert _codes(document) == ["sentence_without_start"]


def test_what_a_heading_begins_goes_on_from_nothing(tmp_path: Path) -> None:
    def second(canvas: Canvas) -> None:
        fixtures.write_heading(canvas, "2 Fluids", y=780)
        fixtures.write_lines(canvas, GOES_ON, y=750)

    document = fixtures.read_pdf(tmp_path, _page(OPEN_END, y=200), second)

    assert _blocks(document, 2) == [("heading", False), ("paragraph", False)]


def test_a_list_item_goes_on_as_a_list_item(tmp_path: Path) -> None:
    item = ("1. " + OPEN_END[0], *OPEN_END[1:])

    def first(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, item[:1], y=200)
        fixtures.write_lines(canvas, item[1:], x=72, y=188)

    def second(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, GOES_ON, x=72, y=780)
        fixtures.write_lines(canvas, ["2. Keep the patient warm."], y=740)

    document = fixtures.read_pdf(tmp_path, first, second)

    assert _blocks(document, 1) == [("list_item", False)]
    assert _blocks(document, 2) == [("list_item", True), ("list_item", False)]


def test_a_formula_belongs_to_its_sentence(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(
            canvas,
            [
                "The clearance of creatinine is worked out from age and weight at first, and then",
                "again whenever the creatinine rises by a third, as",
            ],
            y=700,
        )
        fixtures.write_lines(canvas, ["C = k (140 - a) w / s"], x=220, y=660)
        fixtures.write_lines(canvas, ["where a is the age in years and w the weight in kg."], y=630)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    ((kind, text),) = fixtures.block_texts(page)
    assert kind == "paragraph"
    assert "by a third, as C = k (140 - a) w / s where a is the age" in text


def _figure(canvas: Canvas) -> None:
    """Draw a paragraph, three labelled circles, their caption, and a paragraph."""
    fixtures.write_lines(canvas, OPEN_END[:2], y=760)
    for index, label in enumerate(("Admit", "Observe", "Discharge")):
        canvas.circle(130 + 140 * index, 620, 40)
        canvas.circle(130 + 140 * index, 570, 5)
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawCentredString(130 + 140 * index, 616, label)
    fixtures.write_lines(
        canvas,
        ["Figure 1. Who stays in hospital, and who is seen again at home on the next day."],
        y=530,
    )
    fixtures.write_lines(canvas, GOES_ON, y=480)


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
    def draw(canvas: Canvas) -> None:
        _figure(canvas)
        fixtures.write_heading(canvas, "Where patients go", y=668, size=12)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    assert ("heading", "Where patients go") in fixtures.block_texts(page)
    assert "Admit" not in page.text


def test_sentences_beside_a_figure_are_kept(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, OPEN_END, y=700)
        canvas.rect(55, 660, 480, 60)
        fixtures.write_lines(canvas, ["Figure 1. A box of advice."], y=640)

    document = fixtures.read_pdf(tmp_path, draw)

    assert "Do not wait for results when the patient is in shock" in document.pages[0].text


def test_what_a_careful_reader_should_look_at(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Larger than the text but not bold"], y=780, size=11.8)
        fixtures.write_lines(canvas, [*OPEN_END, *GOES_ON], y=750)
        fixtures.write_lines(canvas, ["Approved without changes"], y=650)
        fixtures.write_lines(canvas, ["Withdrawn in the spring"], x=61, y=650)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    places = {x.code: page.text[x.start : x.end] for x in fixtures.unsure(page)}
    assert sorted(places) == ["heading_by_size", "overprinted_words"]
    assert places["heading_by_size"] == "Larger than the text but not bold"
    assert "Approved" in places["overprinted_words"]


def test_columns_that_lines_cross_are_a_doubt(tmp_path: Path) -> None:
    across = (
        "This line runs over both columns of the page and tells them nothing at all that is new"
    )

    def draw(canvas: Canvas) -> None:
        for part in range(4):
            y = 780 - 170 * part
            fixtures.write_lines(canvas, fixtures.LEFT, y=y, size=8)
            fixtures.write_lines(canvas, fixtures.RIGHT, x=320, y=y + 3, size=8)
            fixtures.write_lines(canvas, [across] * 5, y=y - 75, size=10)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    assert "column_order_unsure" in {doubt.code for doubt in page.doubts}


def test_names_side_by_side_are_no_headings(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_heading(canvas, "How wards keep the cold chain of vaccines", y=780, size=20)
        for x, name, place in (
            (150, "Ann Field", "Ward Seven, North"),
            (420, "Bo Stone", "Pharmacy, East Wing"),
        ):
            canvas.setFont("Helvetica", 13)
            canvas.drawCentredString(x, 745, name)
            canvas.setFont("Helvetica", 10)
            canvas.drawCentredString(x, 730, place)
        fixtures.write_heading(canvas, "1 Purpose", y=690)
        fixtures.write_lines(canvas, GOES_ON, y=670)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    texts = fixtures.block_texts(page)
    assert [text for kind, text in texts if kind == "heading"] == [
        "How wards keep the cold chain of vaccines",
        "1 Purpose",
    ]
    names = " ".join(text for _, text in texts[1:-2])
    assert names == "Ann Field Ward Seven, North Bo Stone Pharmacy, East Wing"


def test_a_numbered_heading_that_runs_in_is_parted(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_heading(canvas, "1 Treatment", y=780)
        canvas.setFont("Helvetica-Oblique", 10)
        canvas.drawString(60, 750, "1.1 Children under five.")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(
            175, 750, "Give half of the dose that an adult is given, and weigh the child"
        )
        canvas.drawString(60, 738, "again in a week.")
        canvas.setFont("Helvetica-Oblique", 10)
        canvas.drawString(60, 700, "Not for infants.")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(137, 700, "Give nothing by mouth before a doctor has come, and call the")
        canvas.drawString(60, 688, "ward.")

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

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
        (["an evidence-based and a rule-", "based plan; a rule"], None),
        (["the bag-of-words and the bag-", "of-words model"], None),
        (["IgG-", "positive"], "IgG-positive"),
        (["X-", "ray"], "X-ray"),
        (["MedRag is here; Med-", "Rag again"], "MedRag is here; MedRag again"),
        (["prescribing and pre-", "scribing in pre-term"], None),
    ],
)
def test_hyphens_at_line_ends(lines: list[str], joined: str | None) -> None:
    whole = {
        "an evidence-based and a rule-": "an evidence-based and a rule-based plan; a rule",
        "the bag-of-words and the bag-": "the bag-of-words and the bag-of-words model",
        "prescribing and pre-": "prescribing and prescribing in pre-term",
    }
    text = decide(join_lines(lines), Vocabulary([*lines, "based on it"]))
    assert text == (joined or whole[lines[0]])


WHOLE = ["a follow-up in the first-line, a follow-", "up by first-", "line staff"]
DIVIDED = ["information on admission and infor-", "mation by admis-", "sion"]


@pytest.mark.parametrize(
    ("document", "lines", "joined"),
    [
        ([], ["multidrug-", "resistant"], "multidrug-resistant"),  # without a vocabulary
        ([], ["co-", "amoxiclav"], "co-amoxiclav"),
        ([], ["co-", "deine"], "codeine"),
        ([], ["low-", "dose"], "low-dose"),
        ([], ["low-", "ering"], "lowering"),
        ([], ["beta-", "blockers"], "beta-blockers"),
        ([], ["beta-", "methasone"], "betamethasone"),
        ([], ["non-", "heparin"], "non-heparin"),
        ([], ["self-", "harm"], "self-harm"),
        ([], ["anti-", "tuberculosis"], "anti-tuberculosis"),
        ([], ["anti-", "biotics"], "antibiotics"),
        ([], ["anti-", "inflammatory"], "anti-inflammatory"),
        ([], ["mid-", "night"], "midnight"),
        ([], ["re-", "evaluation"], "re-evaluation"),
        ([], ["pre-", "eclampsia"], "pre-eclampsia"),
        ([], ["intra-", "articular"], "intra-articular"),
        ([], ["re-", "ceive"], "receive"),
        ([], ["vacu-", "um"], "vacuum"),  # a double vowel alone tells nothing
        (["a reevaluation"], ["re-", "evaluation"], "reevaluation"),
        ([], ["weight-", "based"], "weight-based"),
        ([], ["over-", "dose"], "overdose"),
        ([], ["manage-", "ment"], "management"),
        (["the lowdose arm"], ["low-", "dose"], "lowdose"),  # as the document prints it
        ([], ["30–", "60 mg"], "30–60 mg"),
        ([], ["1,", "000 mg"], "1,000 mg"),
        ([], ["1,250,", "000 units"], "1,250,000 units"),
        ([], ["100,", "200 mg"], "100, 200 mg"),  # perhaps two doses
        ([], ["by 2010,", "000 of them"], "by 2010, 000 of them"),
        ([], ["from 5 –", "10 mg"], "from 5 – 10 mg"),
        (["a multidrug regimen, resistant"], ["multidrug-", "resistant"], "multidrug-resistant"),
        (["it is life-threatening"], ["life-", "threatening"], "life-threatening"),
        (WHOLE, ["co-", "administer"], "co-administer"),
        (DIVIDED, ["con-", "junction"], "conjunction"),
        (DIVIDED, ["www.who.int/con-", "junction"], "www.who.int/con-junction"),
        (["re-assess once, reassess or reassess", *DIVIDED], ["re-", "assess"], "reassess"),
        (["re-assess once, reassess or reassess", *WHOLE], ["re-", "assess"], "re-assess"),
        (["reassess", *WHOLE], ["re-", "assess"], "reassess"),
        (["an RTWG"], ["R-", "TWG"], "R-TWG"),
    ],
)
def test_what_a_document_prints_decides_on_hyphens_at_line_ends(
    document: list[str], lines: list[str], joined: str
) -> None:
    vocabulary = Vocabulary(document)
    assert decide(f"so {join_lines(lines)}", vocabulary) == f"so {joined}"


def test_a_number_broken_by_a_blank_in_a_line_is_one(tmp_path: Path) -> None:
    (page,) = fixtures.read_pdf(
        tmp_path,
        lambda canvas: fixtures.write_lines(canvas, ["Give 30– 60 mg, at most 1, 000 mg."]),
    ).pages
    assert page.text == "Give 30–60 mg, at most 1,000 mg."


def test_the_words_of_a_document_decide_on_hyphens_in_its_tables(tmp_path: Path) -> None:
    rows = [["Drug", "Use"], ["Fictomab", "life-\nthreatening\ninfor-\nmation"]]

    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["For life-threatening illness information is given."])
        table = Table(rows, colWidths=[100, 80], style=[("GRID", (0, 0), (-1, -1), 0.5, "black")])
        table.wrapOn(canvas, 400, 200)
        table.drawOn(canvas, 60, 560)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    assert "Fictomab | life-threatening information" in page.text


def test_a_word_over_a_page_break_keeps_its_offsets() -> None:
    first = "Give it with infor-"
    second = "mation for the ward. Stop."
    pages = [
        Page(1, first, (Block(BlockKind.PARAGRAPH, 0, len(first)),)),
        Page(2, second, (Block(BlockKind.PARAGRAPH, 0, len(second), continues=True),)),
    ]

    (chunk,) = _chunks(ParsedDocument(tuple(pages), "test"))

    assert chunk.spans == ((1, 0, len(first)), (2, 0, len(second)))
    assert chunk.text == f"{first}\n{second}"


def test_what_stands_between_the_parts_comes_after_them() -> None:
    first, note, second = "Give the dose and", "* With food.", "then wait. Call the ward."
    text = f"{first}\n{note}"
    pages = [
        Page(
            1,
            text,
            (
                Block(BlockKind.PARAGRAPH, 0, len(first)),
                Block(BlockKind.FOOTNOTE, len(first) + 1, len(text)),
            ),
        ),
        Page(2, second, (Block(BlockKind.PARAGRAPH, 0, len(second), continues=True),)),
    ]

    (chunk,) = _chunks(ParsedDocument(tuple(pages), "test"))

    assert chunk.text == f"{first}\n{second}\n{note}"
    assert chunk.page == 1


def test_a_sentence_over_pages_that_fits_no_passage_is_parted_at_the_break() -> None:
    first = " ".join(f"a{n}" for n in range(50))
    second = " ".join(f"b{n}" for n in range(50)) + "."
    pages = [
        Page(1, first, (Block(BlockKind.PARAGRAPH, 0, len(first)),)),
        Page(2, second, (Block(BlockKind.PARAGRAPH, 0, len(second), continues=True),)),
    ]

    chunks = _chunks(ParsedDocument(tuple(pages), "test"))

    assert [chunk.text for chunk in chunks] == [first, second]


@pytest.mark.parametrize("sign", ["✓", "✔", "✗", "✘"])
def test_a_tick_before_an_item_is_no_mere_bullet(sign: str, tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Before a procedure:"], y=720)
        for at, drug in enumerate(("Stop warfarin", "Give heparin")):
            canvas.setFont("ZapfDingbats", 10)
            canvas.drawString(60, 700 - 20 * at, sign)
            fixtures.write_lines(canvas, [drug], x=80, y=700 - 20 * at)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    assert page.text == f"Before a procedure:\n{sign} Stop warfarin\n{sign} Give heparin"


@pytest.mark.parametrize(
    ("lines", "read", "doubted"),
    [
        (["Give fl uconazole 50 mg daily."], "Give fluconazole 50 mg daily.", False),
        (
            ["Treat inflammation. If infl ammation persists, in fl ammation again."],
            "Treat inflammation. If inflammation persists, inflammation again.",
            False,
        ),
        (["If infl ammation persists, stop it."], "If infl ammation persists, stop it.", True),
        (["Look for side eff ects of it."], None, True),
        (["Turn the tap off and ask staff ice is needed."], None, False),
        (["A volume of 95 fl is normal here."], None, False),
        (
            ["Be effective. It is eff ective, so go on."],
            "Be effective. It is effective, so go on.",
            False,
        ),
    ],
)
def test_words_parted_at_a_ligature_are_joined_or_doubted(
    lines: list[str], read: str | None, doubted: bool, tmp_path: Path
) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, lines)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages
    assert page.text == (read or " ".join(lines))
    assert ("word_parted" in {doubt.code for doubt in page.doubts}) == doubted
