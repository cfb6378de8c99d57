"""A dose for one condition doesn't answer for another; what belongs together is kept."""

import pytest

from core.language.en.patients.indications import _TABLE, asked_indications, is_for_another
from tests.tables import cases, yes


@pytest.mark.parametrize(
    ("question", "above", "text", "is_other"),
    cases(__file__, "indications.tsv", str, str, str, yes),
)
def test_a_dose_for_another_condition_is_told(
    question: str, above: str, text: str, is_other: bool
) -> None:
    headings = reversed(above.split(" > "))
    assert is_for_another(asked_indications(question), text, headings, "") is is_other


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("apixaban dose for atrial fibrillation", {"atrial fibrillation"}),
        ("AF, apixaban dose", {"atrial fibrillation"}),
        ("apixaban dose pe", {"venous thromboembolism"}),
        ("known AF, apixaban dose PE", {"venous thromboembolism"}),
        ("asthma, apixaban dose for DVT", {"venous thromboembolism"}),
        ("ramipril dose for heart failure", {"heart failure"}),
        ("ibuprofen dose in heart failure", set()),
        ("ibuprofen dose, has gout", set()),
        ("ibuprofen dose, no gout", set()),
        ("apixaban dose after a stroke", set()),
        ("apixaban dose, AF patient", set()),
        ("amoxicillin 500 mg caps, how many", set()),
        ("gentamicin dose in renal impairment", set()),
        ("nitrofurantoin dose in pregnancy", set()),
    ],
)
def test_only_what_something_is_given_for_is_asked(question: str, asked: set[str]) -> None:
    assert asked_indications(question) == asked


def test_a_sentence_beside_what_is_asked_may_be_for_it() -> None:
    asked, text = asked_indications("apixaban dose for AF"), "Apixaban 5 mg twice daily."
    passage = f"In atrial fibrillation the dose is lower. {text}"
    assert is_for_another(asked, text, ["Pulmonary embolism"], "")
    assert not is_for_another(asked, text, ["Pulmonary embolism"], passage)


def test_every_condition_that_another_names_is_in_the_table() -> None:
    lines = _TABLE.read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    names = [row[0] for row in rows]
    assert len(names) == len(set(names))
    told = {name for row in rows for cell in row[2:4] for name in cell.split(",") if name}
    assert told <= set(names)
