"""Test how a statement is presented, without a database."""

from chat.models import Claim, Reason
from chat.web.presentation import ShownClaim
from chat.web.refusals import ADVICE_ALONE
from chat.web.tables import is_verbatim, table_row
from corpus.positions import below_title

ROW, HEADER = "20 to 39 | 4 mg/kg*", "Clearance (mL/min) | Dose"
NOTE = "* Maximum 560 mg."


def test_a_whole_quote_is_verbatim_up_to_white_space() -> None:
    assert is_verbatim("Give 5 mg now.", ["Give 5 mg\nnow."])


def test_an_item_with_its_introduction_is_verbatim() -> None:
    assert is_verbatim("Give if: the ECG changed.", ["the ECG changed.", "Give if:"])


def test_a_labelled_row_with_its_footnote_is_verbatim() -> None:
    text = f"Clearance (mL/min): 20 to 39; Dose: 4 mg/kg* ({NOTE})"
    assert is_verbatim(text, [ROW, HEADER, NOTE])


def test_one_word_more_or_another_number_is_not_verbatim() -> None:
    assert not is_verbatim("Give 5 mg now daily.", ["Give 5 mg now."])
    assert not is_verbatim("Give 50 mg now.", ["Give 5 mg now."])
    assert not is_verbatim("Anything.", [])


def test_a_part_of_a_quote_is_not_verbatim() -> None:
    """“Do not give it” must not become “give it”."""
    assert not is_verbatim("give it", ["Do not give it"])


def test_what_is_put_together_of_quotes_is_not_verbatim() -> None:
    """Each word is quoted, but no quote says the sentence."""
    assert not is_verbatim("Give 5 mg. Stop it.", ["Give 5 mg.", "Give 9 mg.", "Stop it."])
    assert not is_verbatim("Dose: 20 to 39", [ROW, HEADER, NOTE])
    header = "Medicine | Adults | Children"
    row = "Paracetamol | 1 g | 15 mg/kg"
    assert not is_verbatim("Paracetamol: Children: 1 g", [row, header])
    assert is_verbatim("Medicine: Paracetamol; Adults: 1 g; Children: 15 mg/kg", [row, header])


def test_a_quote_without_the_line_above_it_is_not_verbatim() -> None:
    assert not is_verbatim("Asthma.", ["Asthma.", "Do not give in the following cases."])
    assert not is_verbatim("Clearance (mL/min): 20 to 39; Dose: 4 mg/kg*", [ROW, HEADER, NOTE])


def test_a_merged_cell_fills_the_row_below_it() -> None:
    quotes = ["| IV | 1 g", "Who | Route | Dose", "Adults", "Not in pregnancy"]
    text = "Not in pregnancy: Who: Adults; Route: IV; Dose: 1 g"
    row = table_row(quotes, text)
    assert row is not None
    assert row.pairs == (("Who", "Adults"), ("Route", "IV"), ("Dose", "1 g"))
    assert (row.leads, row.notes) == (("Not in pregnancy",), ())
    assert is_verbatim(text, quotes)
    assert not is_verbatim("Who: Adults; Route: IV; Dose: 1 g", quotes)


def test_a_row_is_shown_with_its_labels_and_notes() -> None:
    row = table_row([ROW, f"Table 1\n{HEADER}", NOTE], f"Dose: 4 mg/kg* ({NOTE})")
    assert row is not None
    assert row.pairs == (("Clearance (mL/min)", "20 to 39"), ("Dose", "4 mg/kg*"))
    assert (row.leads, row.notes) == ((), (NOTE,))


def test_what_is_no_row_is_not_shown_as_one() -> None:
    assert table_row(["Give 5 mg."], "Give 5 mg.") is None
    assert table_row(["Give 5 mg.", "If:"], "If: Give 5 mg.") is None
    assert table_row([ROW, "Dose"], ROW) is None


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
