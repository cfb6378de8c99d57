"""Test how a statement is presented, marked and painted on its page, without a database."""

from typing import Any

import pytest

from chat.models import Claim, Reason
from chat.web.marking import marked
from chat.web.painting import TextRun, locate, paint, show
from chat.web.refusals import ADVICE_ALONE
from chat.web.statements.claims import ShownClaim
from chat.web.statements.tables import is_verbatim, table_row
from corpus.positions import below_title
from tests.tables import rows

ROW, HEADER = "20 to 39 | 4 mg/kg*", "Clearance (mL/min) | Dose"
NOTE = "* Maximum 560 mg."
MERGED = "Not in pregnancy: Who: Adults; Route: IV; Dose: 1 g"
BELOW_MERGED = ["| IV | 1 g", "Who | Route | Dose", "Adults", "Not in pregnancy"]


@pytest.mark.parametrize(("text", "quotes", "is_so"), rows(__file__, "verbatim.jsonl"))
def test_only_a_whole_quote_with_its_context_is_verbatim(
    text: str, quotes: list[str], is_so: bool
) -> None:
    assert is_verbatim(text, quotes) is is_so


def test_a_merged_cell_fills_the_row_below_it() -> None:
    row = table_row(BELOW_MERGED, MERGED)
    assert row is not None
    assert row.pairs == (("Who", "Adults"), ("Route", "IV"), ("Dose", "1 g"))
    assert (row.leads, row.notes) == (("Not in pregnancy",), ())


def test_a_row_is_shown_with_its_labels_and_notes() -> None:
    row = table_row([ROW, f"Table 1\n{HEADER}", NOTE], f"Dose: 4 mg/kg* ({NOTE})")
    assert row is not None
    assert row.pairs == (("Clearance (mL/min)", "20 to 39"), ("Dose", "4 mg/kg*"))
    assert (row.leads, row.notes) == ((), (NOTE,))


@pytest.mark.parametrize(
    ("quotes", "text"),
    [
        (["Give 5 mg."], "Give 5 mg."),
        (["Give 5 mg.", "If:"], "If: Give 5 mg."),
        ([ROW, "Dose"], ROW),
    ],
)
def test_what_is_no_row_is_not_shown_as_one(quotes: list[str], text: str) -> None:
    assert table_row(quotes, text) is None


def test_the_section_path_is_shown_without_the_title() -> None:
    assert below_title("Asthma › 4 Dose › 4.1 First", "Asthma") == "4 Dose › 4.1 First"
    assert below_title("4 Dose", "Asthma") == "4 Dose"
    assert below_title("Asthma", "Asthma") == ""


def test_where_no_passage_is_shown_nobody_is_sent_to_one() -> None:
    assert set(ADVICE_ALONE) == set(Reason)
    advice = map(str, ADVICE_ALONE.values())
    sends = [text for text in advice if "passages" in text or "below" in text]
    assert sends == []


def test_each_item_of_a_list_is_a_line_of_its_own() -> None:
    said = Claim(text="Do not give it in:\nporphyria;\nmyasthenia.")
    claim = ShownClaim(said, (), (), is_verbatim=True)
    assert claim.lines == ["Do not give it in:", "porphyria;", "myasthenia."]


@pytest.mark.parametrize(("text", "question", "shown"), rows(__file__, "marked_words.jsonl"))
def test_marked(text: str, question: str, shown: str) -> None:
    assert marked(text, question) == shown


TEXT = (
    "Dose\nGive 5 mg. Stop at once.\nfirst\nsecond\n"
    "Table 1\nWeight | Dose\n50 kg | 5 mg\n60 kg | 6 mg"
)


def block(kind: str, words: str, **more: Any) -> dict[str, Any]:
    start, end = span(words)
    return {"kind": kind, "start": start, "end": end, "level": 0, "lines": [], "table": None} | more


def span(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def row(words: str) -> dict[str, Any]:
    return dict(zip(("start", "end"), span(words), strict=True), cells=words.split(" | "))


PARAGRAPH = "Give 5 mg. Stop at once."
TABLE = {
    "header": ["Weight", "Dose"],
    "rows": [row("50 kg | 5 mg"), row("60 kg | 6 mg")],
    "caption": "Table 1",
}
TABLE_WORDS = "Weight | Dose\n50 kg | 5 mg\n60 kg | 6 mg"


@pytest.mark.parametrize(
    ("at", "words", "found"),
    [
        (span("Stop at once."), "Stop at once.", span("Stop at once.")),
        ((0, 13), "Stop at once.", span("Stop at once.")),  # moved, and at one place only
        ((0, 4), "5 mg", None),  # at several places
        ((0, 4), "7 mg", None),
        ((0, 0), "", None),
    ],
)
def test_a_quote_is_found_where_it_was_or_at_its_only_place(
    at: tuple[int, int], words: str, found: tuple[int, int] | None
) -> None:
    assert locate(TEXT, at, words) == found


def test_each_line_with_a_part_of_the_span_is_painted_and_no_other() -> None:
    first, second = span("Give 5 mg."), span("Stop at once.")
    lines = [
        {"start": first[0], "end": first[1], "box": [10, 20, 110, 30]},
        {"start": second[0], "end": second[1], "box": [10, 32, 110, 42]},
    ]
    blocks = [block("paragraph", PARAGRAPH, lines=lines)]
    (rect,) = paint(blocks, [second])
    assert (rect.x, rect.y, rect.width, rect.height) == ("8.5", "30.5", "103.0", "13.0")
    assert len(paint(blocks, [span("mg. Stop")])) == 2
    assert paint(blocks, []) == ()
    assert paint([block("paragraph", PARAGRAPH)], [first]) == ()


def test_the_text_is_cut_where_a_span_begins_and_ends() -> None:
    (shown,) = show(TEXT, [block("paragraph", PARAGRAPH)], [span("5 mg.")])
    assert shown.pieces == (
        TextRun("Give ", cited=False),
        TextRun("5 mg.", cited=True, is_first=True),
        TextRun(" Stop at once.", cited=False),
    )


def test_two_spans_of_one_block_are_both_marked() -> None:
    (shown,) = show(TEXT, [block("paragraph", PARAGRAPH)], [span("Give"), span("once")])
    assert [piece.text for piece in shown.pieces if piece.cited] == ["Give", "once"]


def test_a_span_across_blocks_marks_a_part_of_each() -> None:
    blocks = [block("heading", "Dose", level=1), block("paragraph", PARAGRAPH)]
    heading, paragraph = show(TEXT, blocks, [(2, TEXT.index("5 mg"))])
    assert [piece.text for piece in heading.pieces] == ["Do", "se"]
    assert paragraph.pieces[0] == TextRun("Give ", cited=True)


def test_headings_keep_below_the_title_of_the_page() -> None:
    levels = [show(TEXT, [block("heading", "Dose", level=n)], [])[0].level for n in (0, 1, 2, 9)]
    assert levels == [2, 2, 3, 6]


def test_neighbouring_points_become_one_list() -> None:
    kinds = {"first": "list_item", "second": "list_item", "Table 1": "caption"}
    shown = show(TEXT, [block(kinds[words], words) for words in kinds], [span("second")])
    assert [part.kind for part in shown] == ["list", "caption"]
    assert shown[0].items[1] == (TextRun("second", cited=True, is_first=True),)


def test_only_the_cited_row_of_a_table_is_marked() -> None:
    (table,) = show(TEXT, [block("table", TABLE_WORDS, table=TABLE)], [span("60 kg | 6 mg")])
    assert [shown.cited for shown in table.rows] == [False, True]
    assert table.header == ("Weight", "Dose")
    assert table.caption == "Table 1"


def test_a_caption_above_its_table_is_said_once() -> None:
    blocks = [block("caption", "Table 1"), block("table", TABLE_WORDS, table=TABLE)]
    assert show(TEXT, blocks, [])[1].caption == ""
