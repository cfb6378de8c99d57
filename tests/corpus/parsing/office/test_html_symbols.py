"""Letters that a symbol font of HTML shows as signs are read as these signs, or doubted."""

from pathlib import Path

import pytest

from tests.corpus.parsing import parsing_fixtures as fixtures

SPAN = '<span style="{}">{}</span>'


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('<font face="Symbol">m</font>g', "µg"),
        ('<font face="symbol, serif">£</font> 30', "≤ 30"),
        ('<font face="Symbol">&#179;</font>30', "≥30"),
        ('<font face="Symbol">³ <b>30</b> b</font>', "≥ 30 β"),
        (SPAN.format("font-family:Symbol", "£") + " 30", "≤ 30"),
        (SPAN.format("color: red; font-family: 'Symbol', serif", "m") + "g", "µg"),
        (SPAN.format("font: 12pt Symbol", "³") + " 3", "≥ 3"),
        ('<font face="Symbol">≥</font> 30', "≥ 30"),
        ('<font face="Wingdings">&#252;</font> 30', "✓ 30"),
        # The words of another font inside, behind and instead of it.
        ('<font face="Symbol">a<font face="Arial">m</font></font>m', "αmm"),
        (SPAN.format("font-family: Arial, Symbol", "m") + "g", "mg"),
        ('<font face="Symbol">a' + SPAN.format("font-family:Arial", "m") + "</font>", "αm"),
    ],
)
def test_signs_of_a_symbol_font(tmp_path: Path, written: str, read: str) -> None:
    (page,) = fixtures.read_text(tmp_path, f"<p>Give it: {written}</p>").pages
    assert (page.text, page.doubts) == (f"Give it: {read}", ())


@pytest.mark.parametrize(
    ("css", "written", "read"),
    [
        (".sym { font-family: Symbol }", '<b class="sym">m</b>g', "µg"),
        ("/* .x{} */ p .a, b.sym {color: red; font: 9pt 'Symbol'}", '<b class="sym">m</b>g', "µg"),
        ("@media screen { p b.sym { font-family: Symbol !important } }", '<b class="x sym">£</b> 3',
         "≤ 3"),
        ("#s {font-family: Symbol} b {font-family: Arial}", '<b id="s">m</b>g', "µg"),
        # Another rule or a style at the element decides, the selector asks for something else, or
        # the font is only declared.
        (".sym {font-family: Symbol} b.sym {font-family: Arial}", '<b class="sym">m</b>g', "mg"),
        (".sym {font-family: Symbol}", '<b class="sym" style="font-family:Arial">m</b>g', "mg"),
        (".sym {font-family: Symbol}", '<b class="symbol">m</b>g', "mg"),
        ("td .sym, i > .sym {font-family: Symbol}", '<b class="sym">m</b>g', "mg"),
        ("@font-face {font-family: Symbol}", "<b>m</b>g", "mg"),
    ],
)  # fmt: skip
def test_signs_of_a_symbol_font_that_a_style_element_sets(
    tmp_path: Path, css: str, written: str, read: str
) -> None:
    text = f"<style>{css}</style><p>Give it: {written}</p>"
    (page,) = fixtures.read_text(tmp_path, text).pages
    assert (page.text, page.doubts) == (f"Give it: {read}", ())


@pytest.mark.parametrize("sign", ["µ", "²", "½", "×"])
def test_a_sign_that_may_be_meant_as_it_is_is_doubted(tmp_path: Path, sign: str) -> None:
    text = f'<p>Give 5 <font face="Symbol">{sign}</font> 3</p>'
    (page,) = fixtures.read_text(tmp_path, text).pages
    assert page.text == "Give 5 […] 3"
    assert {doubt.code for doubt in page.doubts} == {"symbols_left_out", "sign_misread"}
