"""Test the text that is read from Wikipedia's markup."""

from html import escape
from pathlib import Path

import pytest

from corpus.intake.published_formats import FORMATS, refusal
from corpus.parsing.types import ParseError
from tests.corpus.intake.importing_fixtures import doubts, outline, parse, records


def test_wikipedia(tmp_path: Path) -> None:
    first, *_ = records("wikipedia")
    article = parse(first.content, first.name, tmp_path)

    assert outline(article.pages[0]) == [
        "h1: Inventitis",
        "paragraph: Inventitis is an inflammatory disease of nails. About 5 to 10 mg of "
        "examplamycin is given; 10⁹ cells suffice. The […] is unknown.",
        "h2: Treatment",
        "list_item: Rest",
        "list_item: in bed",
        "list_item: Water",
        "list_item: 1. Wash.",
        "list_item: 2. Dry, 1.5 h.",
        "paragraph: Caution : not in pregnancy",
        "h3: Doses",
        "caption: Doses by age",
        "table: Age | Dose\nAdult | 5 mg\nAdult | 10 mg at night",
        "paragraph: The formula \\frac{a}{b} holds.",
    ]
    assert [code for code, _ in doubts(article)] == ["template_left_out", "formula"]
    url = "https://en.wikipedia.org/w/index.php?oldid=1200000001"
    facts = {"source": "Wikipedia", "year": "2022", "source_type": "reference", "language": "en"}
    assert article.metadata == facts | {"url": url, "licence": "CC BY-SA 4.0"}


def test_wikipedia_leaves_out_redirects_and_talk() -> None:
    form = FORMATS["wikipedia"]
    errors = [refusal(r, form=form, languages=frozenset({"en"})) for r in records("wikipedia")]
    assert [e and e.code for e in errors] == [None, "not_article", "not_article", None]


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("Give {{cvt|2.5|mg/kg}} now.", "Give 2.5 mg/kg now."),
        ("Give {{convert|1|–|2|L|abbr=on}} now.", "Give 1 – 2 L now."),
        ("At {{val|5.1|0.2|e=-3|u=mol}}.", "At 5.1 ± 0.2×10⁻³ mol."),
        ("Up to {{frac|1|1|2}} tablets.", "Up to 1 1/2 tablets."),
        ("5{{nbsp}}mg{{spnd}}{{lang|la|per os}}", "5 mg – per os"),
        ("x{{sup|2}} and 10<sup>12</sup>", "x² and 10¹²"),
        ("[[A|b]]s, [https://x.example c] and [[File:a.png|[[d]]]] ''e''", "bs, c and e"),
        ("{{plainlist|\n* one\n* two}}", "one\ntwo"),
        ("a{{efn|note}} b<ref>c</ref> d<!-- e -->", "a b d"),
        ("dose {{unknown}} mg", "dose […] mg"),
        ("an unknown {{frac}} of it", "an unknown […] of it"),
        ("One.\n{{unknown box}}\nText.", "One.\nText."),
    ],
)
def test_wikitext(wikitext: str, text: str, tmp_path: Path) -> None:
    document = parse(_wiki_page(wikitext), "a.xml", tmp_path)
    assert document.pages[0].text.split("\n", 1)[1] == text
    assert bool(document.pages[0].doubts) == ("unknown" in wikitext)


def test_a_page_of_references_alone_has_no_text(tmp_path: Path) -> None:
    page = _wiki_page("== References ==\n* one\n").replace(b"<title>T</title>", b"")
    with pytest.raises(ParseError) as caught:
        parse(page, "a.xml", tmp_path)
    assert caught.value.code == "no_text"


def _wiki_page(wikitext: str) -> bytes:
    return (
        "<mediawiki><page><title>T</title><ns>0</ns><revision><text>"
        f"{escape(wikitext)}</text></revision></page></mediawiki>"
    ).encode()
