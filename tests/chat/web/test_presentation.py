"""Test how a statement is presented, without a database."""

import pytest

from chat.models import Claim, Reason
from chat.web.refusals import ADVICE_ALONE
from chat.web.statements.claims import ShownClaim
from chat.web.statements.tables import is_verbatim, table_row
from corpus.positions import below_title

ROW, HEADER = "20 to 39 | 4 mg/kg*", "Clearance (mL/min) | Dose"
NOTE = "* Maximum 560 mg."
PARACETAMOL = ["Paracetamol | 1 g | 15 mg/kg", "Medicine | Adults | Children"]
MERGED = "Not in pregnancy: Who: Adults; Route: IV; Dose: 1 g"
BELOW_MERGED = ["| IV | 1 g", "Who | Route | Dose", "Adults", "Not in pregnancy"]


@pytest.mark.parametrize(
    ("text", "quotes", "is_so"),
    [
        ("Give 5 mg now.", ["Give 5 mg\nnow."], True),
        ("Give if: the ECG changed.", ["the ECG changed.", "Give if:"], True),
        (f"Clearance (mL/min): 20 to 39; Dose: 4 mg/kg* ({NOTE})", [ROW, HEADER, NOTE], True),
        ("Medicine: Paracetamol; Adults: 1 g; Children: 15 mg/kg", PARACETAMOL, True),
        (MERGED, BELOW_MERGED, True),
        # One word more, or another number
        ("Give 5 mg now daily.", ["Give 5 mg now."], False),
        ("Give 50 mg now.", ["Give 5 mg now."], False),
        ("Anything.", [], False),
        # A part of a quote, which may say the opposite
        ("give it", ["Do not give it"], False),
        # Each word is quoted, but no quote says the sentence
        ("Give 5 mg. Stop it.", ["Give 5 mg.", "Give 9 mg.", "Stop it."], False),
        ("Dose: 20 to 39", [ROW, HEADER, NOTE], False),
        ("Paracetamol: Children: 1 g", PARACETAMOL, False),
        # Without the line above it, or its note
        ("Asthma.", ["Asthma.", "Do not give in the following cases."], False),
        ("Clearance (mL/min): 20 to 39; Dose: 4 mg/kg*", [ROW, HEADER, NOTE], False),
        ("Who: Adults; Route: IV; Dose: 1 g", BELOW_MERGED, False),
    ],
)
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
