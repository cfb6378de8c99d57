"""Test what a quotable unit has to include so that a sentence, item or row keeps its meaning."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.evidence.quotable import quotable_units
from chat.types import Unit
from corpus.models import Page
from corpus.parsing.types import BlockKind
from corpus.statements.lead_ins import Leads, introduction
from corpus.statements.places import PageView, Place
from tests.chat.evidence.hits import hits_for
from tests.corpora import pages_of, publish
from tests.corpus.parsing import parsing_fixtures
from tests.corpus.parsing.tables import table_fixtures

pytestmark = pytest.mark.django_db


def units(text: str, question: str = "gentamicin dose") -> list[Unit]:
    publish(f"# Gentamicin\n{text}")
    return quotable_units(hits_for(question), question)


def shown(text: str, question: str = "gentamicin dose") -> list[str]:
    return [unit.text for unit in units(text, question)]


def rows_shown(text: str) -> list[str]:
    return [line for line in shown(text) if line.startswith("Drug: ")]


ROWS = """| Drug | Dose |
| Gentamicin* | 5 mg |
| Amikacin† | 15 mg |
| Tobramycin*† | 4 mg |
| Vancomycin | 1 g |
"""
TABLE = f": Doses\n{ROWS}^ * Halve in the elderly.\n^ † Not in pregnancy.\nA paragraph after it."


def test_every_quote_is_the_text_of_its_page() -> None:
    made = units(f"{TABLE}\n## List\nDo not give if:\n- deaf\n- pregnant")
    assert len(made) == 4 + 1 + 3  # rows with their footnotes, paragraph, list with its lead
    for unit in made:
        for quote in unit.quotes:
            page = Page.objects.get(document=quote.hit.document_id, number=quote.page)
            assert page.text[quote.start : quote.end] == quote.text != ""


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # Its labels, and the footnotes of its marks
        (TABLE, ["Drug: Gentamicin*; Dose: 5 mg (* Halve in the elderly.)",
                 "Drug: Amikacin†; Dose: 15 mg († Not in pregnancy.)",
                 "Drug: Tobramycin*†; Dose: 4 mg (* Halve in the elderly.) († Not in pregnancy.)",
                 "Drug: Vancomycin; Dose: 1 g"]),
        # A row that ends in an empty cell
        ("| Drug | Dose | Note |\n| Gentamicin | 5 mg | Once |\n| Amikacin | 9 mg |  |",
         ["Drug: Gentamicin; Dose: 5 mg; Note: Once", "Drug: Amikacin; Dose: 9 mg"]),
        # Without a first cell, and none above it
        ("| Drug | Dose |\n|  | 5 mg |\n| Amikacin | 9 mg |\n|  | 7 mg |",
         ["Drug: Amikacin; Dose: 9 mg", "Drug: Amikacin; Dose: 7 mg"]),
    ],
)  # fmt: skip
def test_a_row_brings_what_belongs_to_it(text: str, rows: list[str]) -> None:
    assert rows_shown(text) == rows


def test_a_mark_in_the_header_holds_for_every_row() -> None:
    rows = "| Drug | Dose* |\n| Gentamicin | 5 mg |\n| Amikacin | 15 mg |\n^ * By ideal weight."
    assert all("By ideal weight" in text for text in rows_shown(rows))


@pytest.mark.parametrize("letter", "ᵃᵇᶜᵈᵉᶠᵍʰⁱ")
def test_a_superscript_of_another_row_does_not_bring_its_footnote(letter: str) -> None:
    rows = f"| Drug | Dose |\n| Gentamicin{letter} | 5 mg |\n| Amikacin | 9 mg |"
    first, second = rows_shown(f"{rows}\n^ {letter} Not in pregnancy.")
    assert "pregnancy" in first
    assert "pregnancy" not in second


@pytest.mark.parametrize(
    "note", ["Reduce all doses in renal failure.", "Note: reduce it.", "‡ Marked nowhere."]
)
def test_a_footnote_without_a_mark_in_the_table_holds_for_every_row(note: str) -> None:
    rows = f"| Drug | Dose |\n| Gentamicin | 5 mg |\n| Amikacin | 15 mg |\n^ {note}"
    assert [text.endswith(f"({note})") for text in rows_shown(rows)] == [True, True]


@pytest.mark.parametrize(
    ("mark", "note"),
    [
        ("ᵃ", "ᵃ Not in pregnancy."),
        ("ᵃ", "a Not in pregnancy."),
        ("ᶜ", "c Not in pregnancy."),
        ("ᵃ", "(a) Not in pregnancy."),
        (" (a)", "a. Not in pregnancy."),
        ("¹", "¹ Not in pregnancy."),
        ("¹", "1 Not in pregnancy."),
        ("[1]", "[1] Not in pregnancy."),
        ("**", "** Not in pregnancy."),
        ("§", "§ Not in pregnancy."),
    ],
)
def test_marks_in_every_spelling_find_their_footnote(mark: str, note: str) -> None:
    rows = f"| Drug | Dose |\n| Gentamicin{mark} | 5 mg |\n| Amikacin | 1 g |\n^ {note}"
    first, second = rows_shown(rows)
    assert first.endswith(f"({note})")
    assert "pregnancy" not in second


def test_a_row_below_a_merged_cell_brings_what_the_cell_says() -> None:
    lines = ["Group | Route | Dose", "Adults | oral | 500 mg", " | IV | 1 g"]
    rows = "\n".join(f"| {line} |" for line in [*lines, "Children | IV | 20 mg/kg"])
    made = units(rows)
    assert [unit.text for unit in made] == [
        "Group: Adults; Route: oral; Dose: 500 mg",
        "Group: Adults; Route: IV; Dose: 1 g",
        "Group: Children; Route: IV; Dose: 20 mg/kg",
    ]
    texts = [quote.text for quote in made[1].quotes]
    assert texts == ["| IV | 1 g", "Group | Route | Dose", "Adults"]


def test_only_the_row_of_the_asked_number_is_quotable() -> None:
    rows = "| Clearance (mL/min) | Dose |\n| More than 60 | 7 mg |\n| 20 to 60 | 5 mg |"
    question = "gentamicin dose at 75 mL/min"
    made = units(rows, question)
    assert [unit.text for unit in made] == ["Clearance (mL/min): More than 60; Dose: 7 mg"]
    assert made[0].holds_asked_number
    assert quotable_units(hits_for(question), "gentamicin dose at 10 mL/min") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do not give if:\n- deaf\n- pregnant",
         ["Do not give if: deaf", "Do not give if: pregnant"]),
        ("Avoid it in the following.\n- deaf", ["Avoid it in the following. deaf"]),
        ("Do not give to patients who are\n- deaf", ["Do not give to patients who are: deaf"]),
        ("## Contraindications\n- deaf", ["Contraindications: deaf"]),
        ("## Do not use\n- deaf\n- pregnant", ["Do not use: deaf", "Do not use: pregnant"]),
        ("## Treatment\n- Give 5 mg.", ["Give 5 mg."]),
        ("Read this.\n- Give 5 mg.", ["Give 5 mg."]),
    ],
)  # fmt: skip
def test_an_item_brings_what_introduces_its_list(text: str, expected: list[str]) -> None:
    made = shown(f"## Rules\n{text}", "gentamicin deaf pregnant")
    assert [line for line in made if line in expected] == expected
    assert not {"deaf", "pregnant"} & set(made)


def test_a_sentence_keeps_the_condition_that_follows_it() -> None:
    dose = "Give gentamicin 5 mg/kg once daily " + "to every patient of this ward " * 9 + "today."
    for condition in (
        "However, halve the dose in renal failure.",
        "Do not give it in pregnancy.",
        "Unless told otherwise, stop after 5 days.",
        "Contraindicated in myasthenia.",
    ):
        made = shown(f"{dose} {condition} Measure the level.")
        assert any(dose in text and condition in text for text in made), condition


def test_what_a_page_break_cut_off_is_quoted_with_the_rest() -> None:
    made = shown("Take care. Give gentamicin 5 mg unless\n---\nthe patient is deaf. Measure it.")
    cut = [text for text in made if "gentamicin 5 mg" in text or "is deaf" in text]
    assert cut == ["Take care. Give gentamicin 5 mg unless the patient is deaf. Measure it."]


def test_headings_and_captions_of_tables_are_no_statements() -> None:
    assert not {"Gentamicin", "Doses"} & set(shown(TABLE))


def test_overlapping_passages_give_a_unit_once() -> None:
    sentences = " ".join(f"Give gentamicin {n} mg on day {n} of the course." for n in range(1, 60))
    made = units(sentences)
    places = [(unit.quotes[0].page, unit.quotes[0].start) for unit in made]
    assert len(places) == len(set(places)) > 5


def test_two_queries_and_none_for_nothing(django_assert_num_queries: Any) -> None:
    publish(f"# Gentamicin\n{TABLE}")
    hits = hits_for("gentamicin dose")
    with django_assert_num_queries(2):
        quotable_units(hits, "gentamicin dose")
    assert quotable_units([], "gentamicin dose") == []


def test_a_row_after_a_page_break_brings_the_labels_of_the_page_before(tmp_path: Path) -> None:
    draws = table_fixtures.over_a_break(repeated=False, ruled=True)
    path = parsing_fixtures.make_pdf(tmp_path / "a.pdf", *draws)
    pages = parsing_fixtures.parse(path, tmp_path / "out").pages
    publish("Examplol", pages=pages)

    made = quotable_units(hits_for("dose by weight"), "dose by weight")

    row = next(unit for unit in made if unit.quotes[0].text.startswith("40 to 49 kg"))
    assert row.text.startswith("Weight: 40 to 49 kg; Dose: 80 mg; Interval: Every 7 hours")
    assert [(quote.page, quote.text) for quote in row.quotes][:2] == [
        (2, "40 to 49 kg | 80 mg | Every 7 hours"),
        (1, "Weight | Dose | Interval"),
    ]
    assert row.caption == "Table 1. Dose by weight"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "For pain:\n- Give with food.\n- Never give in:\n- asthma\n- ulcers",
            ["For pain: Give with food.", "For pain: Never give in: asthma",
             "For pain: Never give in: ulcers"],
        ),
        ("For pain:\n- Avoid in those with\n- asthma", ["For pain: Avoid in those with: asthma"]),
        ("For pain:\n- Never:\n- Adults with:\n- asthma", ["For pain: Never: Adults with: asthma"]),
        ("It must not be given in these situations.\n- asthma",
         ["It must not be given in these situations. asthma"]),
        ("Contraindicated as follows. Ask first.\n- asthma",
         ["Contraindicated as follows. Ask first. asthma"]),
        ("Do not give it in:\nSee the formulary.\n- asthma",
         ["Do not give it in: See the formulary. asthma"]),
        ("It must not be given.\n- asthma", ["It must not be given. asthma"]),
        ("Do not give it to:\nPeople with asthma.", ["Do not give it to: People with asthma."]),
        ("## Do not use it\nPeople with asthma.", ["Do not use it: People with asthma."]),
        ("## Do not use it\n### Lungs\n- asthma", ["Do not use it: asthma"]),
        ("## Do not use it\n### Lungs\nPeople with asthma.",
         ["Do not use it: People with asthma."]),
    ],
)  # fmt: skip
def test_what_turns_it_round_comes_with_every_kind_of_unit(text: str, expected: list[str]) -> None:
    made = shown(f"## Rules\n{text}", "gentamicin asthma ulcers pain")
    assert [line for line in made if line in expected] == expected
    assert not [line for line in made if line.endswith("asthma") and line not in expected]


@pytest.mark.parametrize(
    "text",
    [
        "For pain:\n- Avoid gentamicin\n- asthma",  # below the item or beside it?
        "For pain:\n- Never give in:\n- ulcers\n- Children:\n- asthma",
    ],
)
def test_an_item_of_which_it_cannot_be_told_what_it_is_under_is_no_unit(text: str) -> None:
    made = shown(f"## Rules\n{text}", "gentamicin asthma pain")
    assert not [line for line in made if line.endswith("asthma")]


@pytest.mark.parametrize(("first", "expected"), [(1, ()), (2, None)])
def test_of_a_list_that_begins_on_a_page_that_is_not_known_nothing_is_told(
    first: int, expected: Leads | None
) -> None:
    block = {"kind": "list_item", "start": 0, "end": 4, "level": 0}
    views = {page: PageView("item", [block]) for page in (first, first + 1)}
    assert introduction(Place(first + 1, 0, views)) == expected


@pytest.mark.parametrize(
    ("items", "leads"),
    [
        ([(1, "Avoid gentamicin"), (1, "asthma")], []),  # beside it
        ([(1, "Avoid gentamicin"), (2, "asthma")], ["Avoid gentamicin"]),
        ([(1, "Ask first."), (2, "asthma")], []),
        ([(1, "Never give in:"), (2, "ulcers"), (1, "Children:"), (2, "asthma")], ["Children:"]),
        ([(1, "Stop if:"), (2, "ill"), (3, "or deaf"), (2, "asthma")], ["Stop if:"]),
        ([(1, "Never"), (2, "in adults:"), (3, "asthma")], ["Never", "in adults:"]),
        ([(1, "Never give in:"), (1, "asthma")], ["Never give in:"]),  # by its words
        ([(1, "Never give in:"), (2, "ulcers"), (1, "asthma")], []),  # which has its own
        ([(1, "As first choice:"), (2, "x."), (1, "Not if ill."), (2, "asthma")], ["Not if ill."]),
        ([(1, "Never give in:"), (2, "Ask:"), (2, "asthma")], ["Never give in:", "Ask:"]),
        ([(1, "A, unless one below applies; then B."), (1, "asthma")], []),  # a whole sentence
        ([(1, "Never give in:"), (1, "ulcers;"), (1, "gout."), (1, "asthma")], []),  # it has ended
    ],
)
def test_where_the_file_tells_the_depth_an_item_has_what_it_is_under(
    items: list[tuple[int, str]], leads: list[str]
) -> None:
    page = _page([("list_item", level, words) for level, words in items])
    place = Place(1, len(items) - 1, {1: page})
    assert [quote.text for quote in introduction(place) or ()] == leads


def _page(rows: list[tuple[str, int, str]], *, continues: bool = False) -> PageView:
    """Return a page of blocks from their kind, level and text.

    `continues`: the first block goes on from the page before.
    """
    text, blocks = "", []
    for kind, level, words in rows:
        here = {"kind": kind, "start": len(text), "end": len(text) + len(words), "level": level}
        blocks.append(here | {"continues": continues and not text})
        text += f"{words}\n"
    return PageView(text, blocks)


@pytest.mark.parametrize(
    ("between", "leads"),
    [
        (("paragraph", 0, "In these:"), ["Do not give it", "In these:"]),
        (("table", 0, "A | B"), ["Do not give it"]),
        (("heading", 2, "Children"), []),
    ],
)
def test_an_item_stays_under_its_own_beyond_what_stands_among_them(
    between: tuple[str, int, str], leads: list[str]
) -> None:
    rows = [("list_item", 1, "Do not give it"), ("list_item", 2, "ulcers"), between]
    views = {1: _page([*rows, ("list_item", 2, "asthma")])}
    found = introduction(Place(1, 3, views))
    assert [quote.text for quote in found or ()] == leads


@pytest.mark.parametrize("first", [1, 2])
def test_an_item_beyond_a_paragraph_on_a_page_that_is_not_known_is_not_guessed(first: int) -> None:
    rows = [("paragraph", 0, "In these:"), ("list_item", 2, "asthma")]
    found = introduction(Place(first, 1, {first: _page(rows)}))
    assert (found is None) == (first > 1)


def test_an_item_over_a_break_leads_with_all_of_its_parts() -> None:
    under = [("list_item", 1, "it is agreed."), ("list_item", 2, "asthma")]
    above = [("paragraph", 0, "Rules."), ("list_item", 1, "Do not give it unless")]
    views = {1: _page(above), 2: _page(under, continues=True)}
    found = introduction(Place(2, 1, views))
    assert [quote.text for quote in found or ()] == ["Do not give it unless", "it is agreed."]
    assert introduction(Place(2, 1, {2: views[2]})) is None


def test_a_limiting_heading_of_earlier_pages_is_found() -> None:
    filler = "\n---\n".join(f"Text {n} of the rules stands here." for n in range(4))
    made = units(f"## Do not use it\n{filler}\n---\nPeople with asthma.", "people with asthma")
    unit = next(each for each in made if each.quotes[0].text == "People with asthma.")
    assert unit.text == "Do not use it: People with asthma."
    assert (unit.quotes[0].page, unit.quotes[1].page) == (5, 1)


@pytest.mark.parametrize(
    "lines",
    [
        ": Not in pregnancy\n",
        "Do not use the doses in pregnancy:\n",
        "Do not use the doses in pregnancy:\n: Doses\n",
        "## Not in pregnancy\n",
        "## Not in pregnancy\n### Doses\n",
    ],
)
def test_a_row_brings_what_stands_above_its_table(lines: str) -> None:
    made = units(f"## Rules\n{lines}| Drug | Dose |\n| Gentamicin | 5 mg |")
    row = next(unit for unit in made if unit.quotes[0].text == "Gentamicin | 5 mg")
    assert row.text.endswith("pregnancy: Drug: Gentamicin; Dose: 5 mg") or "Doses:" in row.text
    assert any("pregnancy" in quote.text for quote in row.quotes[1:])
    assert "pregnancy" in row.text


CUT = [
    "In asthma do not give\n---\nGentamicin 5 mg for pain.",
    "In asthma do not give\n^ 1 See the formulary.\n---\nGentamicin 5 mg for pain.",
    "In asthma do not give\n| A | B |\n| a | b |\n---\nGentamicin 5 mg for pain.",
    "Rules:\n- In asthma do not give\n---\n- Gentamicin 5 mg for pain.",
    "Rules:\n- Take care.\n- In asthma never\n---\ngentamicin 5 mg for pain.",
    "In asthma avoid\n---\n^ 1 A note.\nGentamicin 5 mg for pain.",
]


@pytest.mark.parametrize("text", CUT)
def test_no_half_of_what_a_break_cuts_is_a_unit(text: str) -> None:
    made = shown(f"## Use\n{text}", "gentamicin asthma pain")
    parts = [line for line in made if not line.endswith("A: a; B: b")]
    parts = [line for line in parts if "In asthma" in line or "entamicin 5 mg" in line]
    assert len(parts) == 1
    assert re.search(r"In asthma [\w ]+ [Gg]entamicin 5 mg for pain\.", parts[0])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ask first. Give gentamicin to", "the ward. Measure the level."),
        ("Give gentamicin 5 mg.", "Do not give it in asthma."),
    ],
)
@pytest.mark.parametrize("kind", [BlockKind.PARAGRAPH, BlockKind.LIST_ITEM])
def test_what_goes_on_over_a_page_is_one_statement(
    first: str, second: str, kind: BlockKind
) -> None:
    mark = "- " if kind is BlockKind.LIST_ITEM else ""
    one, two = pages_of(f"# Gentamicin\n{mark}{first}\n---\n{mark}{second.capitalize()}")
    two = replace(two, blocks=(replace(two.blocks[0], continues=True),))
    publish("Gentamicin", pages=[one, two])
    made = quotable_units(hits_for("gentamicin level"), "gentamicin level")
    assert [unit.text for unit in made] == [f"{first} {second.capitalize()}"]
    assert [quote.page for quote in made[0].quotes[:2]] == [1, 2]


def test_items_without_full_stops_go_on_over_a_page() -> None:
    made = shown("## Rules\nDo not give if:\n- deaf\n---\n- pregnant", "gentamicin pregnant")
    assert {"Do not give if: deaf", "Do not give if: pregnant"} <= set(made)


def test_a_line_that_breaks_off_is_no_unit() -> None:
    assert shown("Give gentamicin 5 mg every\n\nMeasure it.") == ["Measure it."]
