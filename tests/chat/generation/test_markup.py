"""Test which statements hold an address or markup, and which only seem to."""

import pytest

from chat.generation.foreign_markup import foreign


@pytest.mark.parametrize(
    "said",
    [
        "See https://evil.example/x for the dose.",
        "See HTTP://evil.example",
        "ftp://a",
        "Read www.evil.example first.",
        "Read evil.com first.",
        "Read guidelines.nhs.uk first.",
        "Read evil.example/dose first.",
        "Write to dose@evil.example now.",
        "mailto:dose@evil",
        "javascript:alert(1)",
        "data:text/html,x",
        "Give <b>5 mg</b>.",
        "Give 5 mg<script>alert(1)</script>",
        "Give 5 mg<img src=x onerror=alert(1)>",
        "Give 5 mg<!-- x -->",
        "Give 5 mg &lt;b&gt;.",
        "Give &#53; mg.",
        "[Give 5 mg](x)",
        "![dose](x)",
        "[dose][1]",
        "[1]: x",
        "Give `5 mg`.",
        "Give **5 mg**.",
        "Give __5 mg__.",
        "# Give 5 mg",
    ],
)
def test_is_found_unless_a_quote_holds_it(said: str) -> None:
    found = foreign(said, ["Give 5 mg."])
    assert found
    assert found in said
    assert foreign(said, ["Something else.", f"It is said: {said} Indeed."]) == ""


@pytest.mark.parametrize(
    "said",
    [
        "Give 5 mg if eGFR < 30 mL/min, or <5 mmol/L, or >60, e.g. 0.5/kg.",
        "> 60 mL/min: every 24 hours.",
        "Give 1.5 mg/kg b.d. i.v. (max. 400 mg), p.r.n. with paracetamol.",
        "Dose: 5 mg; data: none. Step 2: R&D; A & B.",
        "Use H2-receptor antagonists [see below] and 5-HT3 * 2.",
        "Temperature 38.5 °C, pH 7.35–7.45, 1.73 m2; 10^9/L, β-blocker.",
        "No. 5 #2 at 10:30, ratio 1:1000, 5/7 days.",
    ],
)
def test_clinical_text_is_none(said: str) -> None:
    assert foreign(said, []) == ""
