"""Test that grades and ages in the margin stand neither inside sentences nor make tables."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from corpus.parsing.types import Page, ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.parsing_fixtures import Draw, at
from tests.corpus.parsing.tables.said import said_in

FIRST = (
    "Some children recover without any treatment at all and need no follow up by a clinic, as",
    "long as they drink well and pass urine as usual during the whole of the second day.",
    "Where drinking fails, a tube in the nose is better than a drip for most of these children,",
    "and it can be placed by a nurse who has been trained and who has done so before.",
)
SECOND = (
    "Antibiotics don't shorten the illness unless blood is seen in the stool of a person who",
    "is unwell, has a fever above thirty nine degrees, or has come back from the tropics in",
    "the last two weeks. Zinc is of use where the person is badly nourished before it is ill.",
)
Note = tuple[float, str]  # how far above the foot it stands, and its text


def _page(folder: Path, notes: Sequence[Note], *, x: float, text_x: float = 60) -> Page:
    draws: list[Draw] = [at(700, *FIRST, x=text_x), at(620, *SECOND, x=text_x)]
    draws += [at(y, text, x=x) for y, text in notes]
    return fixtures.read_page(folder, at(760, "1 Diarrhoea", size=14, x=text_x), *draws)


def _paragraphs(page: Page) -> list[str]:
    return [text for kind, text in fixtures.block_texts(page) if kind == "paragraph"]


@pytest.mark.parametrize(("x", "text_x"), [(530.0, 60.0), (50.0, 110.0), (93.0, 115.0)])
@pytest.mark.parametrize("off", [0, 4, 6])
@pytest.mark.parametrize("signs", [("2++", "1+", "4"), ("Grade A", "D", "GPP"), ("R", "3", "2–")])
def test_grades_in_the_margin_are_notes_to_the_text_beside_them(
    tmp_path: Path, x: float, text_x: float, off: int, signs: tuple[str, str, str]
) -> None:
    first, second, third = signs
    x -= 6 * (len(max(signs, key=len)) - 3) if x == 93.0 else 0
    notes = [(700 - off, first), (676 - off, second), (608 - off, third)]
    page = _page(tmp_path, notes, x=x, text_x=text_x)
    assert _paragraphs(page) == [" ".join(FIRST), " ".join(SECOND)]
    found = [(kind, text) for kind, text in fixtures.block_texts(page) if kind != "paragraph"]
    assert found[1:] == [("footnote", sign) for sign in signs]
    assert [text for _, text in fixtures.block_texts(page)].index(third) == 5
    said = said_in(ParsedDocument((page,), ""))
    assert said
    assert not any(sign == one for sign in signs for one in said)


def test_an_age_in_the_margin_stands_before_the_text_that_it_limits(tmp_path: Path) -> None:
    notes = [(700, "Under 5 years"), (620, "Adults")]
    page = _page(tmp_path, notes, x=40, text_x=120)
    assert _paragraphs(page) == [" ".join(("Under 5 years", *FIRST)), " ".join(("Adults", *SECOND))]


def test_text_is_in_doubt_beside_which_an_age_begins_in_the_middle(tmp_path: Path) -> None:
    page = _page(tmp_path, [(700, "0–4 y"), (676, "5–9 y")], x=60, text_x=120)
    assert _paragraphs(page) == [" ".join(("0–4 y", *FIRST)), " ".join(SECOND)]
    assert ("footnote", "5–9 y") in fixtures.block_texts(page)
    (doubt,) = page.doubts
    assert doubt.code == "text_in_columns"
    assert page.text[doubt.start :].startswith("0–4 y Some children")


@pytest.mark.parametrize("signs", [("1", "2", "3"), ("A", "B", "C"), ("Dose", "2+", "Level")])
def test_numbers_steps_and_labels_are_no_notes(tmp_path: Path, signs: tuple[str, str, str]) -> None:
    notes = list(zip((700, 676, 620), signs, strict=True))
    page = _page(tmp_path, notes, x=60, text_x=120)
    assert "footnote" not in {kind for kind, _ in fixtures.block_texts(page)}
