"""What a statement is on condition of, compared with what a question measured."""

import pytest

from core.language.en.statements.valued import holds, values_in


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("lactate 1.2, fluids?", "If the lactate is 2 or more, give 500 mL.", False),
        ("lactate 2.4, fluids?", "If the lactate is 2 or more, give 500 mL.", True),
        ("SpO2 of 86%, what now?", "SpO2 of 88 to 92%: go on as you are.", False),
        (
            "LVEF 30%",
            "Offer it to patients with an ejection fraction (LVEF) of 40% or more.",
            False,
        ),
        ("LVEF 30%", "Offer it to patients with heart failure.", None),
        ("lactate 1.2", "Aim for a lactate below 2 mmol/L.", None),
        ("lactate 1.2", "If the glucose is above 12, check ketones.", None),
        ("urate 420 for 3 days", "If it lasts more than 7 days, call.", None),
        ("5 mg daily, sodium 128", "If 10 mg or more is needed, ask.", None),
        ("Hb 65", "If the haemoglobin is below 70 g/L, or below 80 in angina, transfuse.", True),
    ],
)
def test_a_condition_holds_or_not(question: str, text: str, expected: bool | None) -> None:
    told = [holds(value, text) for value in values_in(question)]
    assert [each for each in told if each is not None] == ([] if expected is None else [expected])


def test_each_range_of_a_label_is_a_condition() -> None:
    (value,) = values_in("starting dose, SBP 104")
    assert holds(value, "On ramipril; SBP above 110", is_label=True) is False
    assert holds(value, "SBP 100 to 110 mmHg", is_label=True) is True
    assert holds(value, "SBP 100 to 110 mmHg") is None
