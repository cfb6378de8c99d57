"""Test that Markdown's formulas keep their signs, and that marks of extensions are no text."""

from pathlib import Path

import pytest

from corpus.parsing.types import Page
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.office.test_html_panels import outline


def read(folder: Path, text: str) -> Page:
    (page,) = fixtures.read_text(folder, text, "a.md").pages
    return page


@pytest.mark.parametrize(
    "formula",
    [
        "CrCl = (140-age)*weight*1.23 ml/min",
        "CrCl = (140-age) *weight* 1.04 ml/min",
        "Dose = weight*2*age mg",
        "Dose = k*[Na]*weight, or weight*(age+5)*0.1",
        "Give 2*10^9 cells, 5_000_000 units, snake_case_value",
        "Area = 2**3**4 and (a+b)**2**c",
        "Rate = 4*first 10 kg + 2*next 10 kg",
        "Take 1~2~3 tablets, ~5 mg, 2~3 times",
        "Ratio 1:2:3 at 10:30:00, K<5 and Na>130",
        "Set {a, b} and [c] apart",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "- {}", "> {}", "| A |\n|---|\n| {} |", "# {}"])
def test_a_formula_is_kept_as_printed(tmp_path: Path, frame: str, formula: str) -> None:
    assert formula in read(tmp_path, frame.format(formula)).text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Give *once* and **twice** daily", "Give once and twice daily"),
        ("*Dose* = (140-age)*weight*2", "Dose = (140-age)*weight*2"),
        ("*E. coli*s and co-**amoxi**clav", "E. colis and co-amoxiclav"),
        ("Code `a*b*c :warning:` stays", "Code a*b*c :warning: stays"),
        (":material-pill: Give :warning: 5 mg", "Give 5 mg"),
        ("Give ==5 mg== ++now++ of H~2~O", "Give 5 mg now of H2O"),
        ("Give {--10--}{++5++} mg{.red}", "Give 5 mg"),
        (
            "Give 5 mg.[^1] { .annotate }\n\n[^1]: Not {: .a #b k='v'}often.",
            "Give 5 mg.¹\n¹ Not often.",
        ),
        ("*[TXA]: tranexamic acid", "TXA: tranexamic acid"),
        ("[TOC]\n\nGive 5 mg", "Give 5 mg"),
        ("> [!WARNING]\n> Stop.", "Warning: Stop."),
    ],
)
def test_marks_are_no_text(tmp_path: Path, written: str, said: str) -> None:
    assert read(tmp_path, written).text == said


@pytest.mark.parametrize(
    "lost",
    [
        *("{{ dose.adult }}", '--8<-- "dose.md"', "{% include 'a' %}", "{>>or 7?<<}"),
        *("%%{old} 9 mg%%", "%%\n{old} 9 mg\n%%", "{/* <b>9\n\nmg</b> */}", "See ![[{a}]] now"),
        *("~{9} mg~ now", "[{9} mg]{.strikeout} now", "![](<dose.png>)"),
    ],
)
def test_what_a_program_would_write_is_doubted(tmp_path: Path, lost: str) -> None:
    page = read(tmp_path, f"Give:\n\n{lost}\n\nthen stop.")
    assert page.doubts
    assert not {"{", "<"} & set(page.text)


BOX = "Give 7 mg/kg.\n\n{0}- Not twice.\n{0}- Look."
CHILDREN = ["Give 7 mg/kg.", "Not twice.", "Look."]


@pytest.mark.parametrize(
    ("box", "name"),
    [
        ('=== "Children"\n\n    ' + BOX.format("    "), "Children"),
        ('!!! warning "Do not give"\n    ' + BOX.format("    "), "Do not give"),
        ('??? note inline end "Renal :material-pill:"\n    ' + BOX.format("    "), "Renal"),
        ("!!! danger\n    " + BOX.format("    "), "Danger"),
        (":::{warning}\n:class: big\n" + BOX.format("") + "\n:::", "Warning"),
        (":::tip[In children]\n" + BOX.format("") + "\n:::", "In children"),
        ("```{admonition} In renal failure\n" + BOX.format("") + "\n```", "In renal failure"),
        ('<TabItem value="a" label="Children">\n\n' + BOX.format("") + "\n</TabItem>", "Children"),
        ('<Admonition type="danger">\n' + BOX.format("") + "\n\n</Admonition>", "Danger"),
        ("::::{tab-set}\n:::{tab-item} Children\n" + BOX.format("") + "\n:::\n::::", "Children"),
    ],
)
def test_a_box_is_read_as_text_under_its_name(tmp_path: Path, box: str, name: str) -> None:
    page = read(tmp_path, f"# Zinc\n\nGive 5 mg.\n\n{box}\n\nThen stop.")
    expected = ["#Zinc", "Give 5 mg.", f"##{name}", *CHILDREN, "#Zinc", "Then stop."]
    assert outline(page) == expected


def test_boxes_in_boxes_and_points_keep_their_places(tmp_path: Path) -> None:
    inner = '=== "Adults"\n\n    Give 5 mg.\n\n    !!! note "Renal"\n        Halve it.\n'
    page = read(tmp_path, f"# Zinc\n\n- Look\n\n    !!! note\n        Halve.\n\n{inner}")
    assert outline(page) == [
        *("#Zinc", "Look", "##Note", "Halve."),
        *("##Adults", "Give 5 mg.", "###Renal", "Halve it."),
    ]
