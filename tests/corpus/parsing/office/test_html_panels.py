"""Test that no words of HTML vanish: each element, tabs and other parts that a reader opens."""

from pathlib import Path

import pytest

from corpus.parsing.types import BlockKind, Page
from tests.corpus.parsing import parsing_fixtures as fixtures

SAID = "Give 7 mg/kg."
ADULTS, CHILDREN = "Give 400 mg.", "Give 7 mg/kg."
LEFT = "markup_left_out"

# The elements of the HTML standard (WHATWG, index of elements), and those that it calls obsolete.
ELEMENTS = (
    "a abbr address article aside audio b bdi bdo blockquote body button canvas caption cite code "
    "colgroup data datalist dd del details dfn dialog div dl dt em fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 head header hgroup html i iframe ins kbd label legend li main "
    "map mark math menu meter nav noscript object ol optgroup option output p picture pre progress "
    "q rp rt ruby s samp script search section select selectedcontent slot small span strong style "
    "sub summary sup svg table tbody td template textarea tfoot th thead time title tr u ul var "
    "video acronym applet big blink center dir font frameset marquee nobr noembed noframes "
    "plaintext rb rtc strike tt xmp"
).split()
VOID = "area base br col embed hr img input link meta source track wbr frame".split()
# No words of the page: a header without headings is a banner, as a running line of a PDF is.
EMPTY = {"script", "style", "nav", "title", "button", "header"}
WITHIN = {
    **dict.fromkeys(("li",), "<ul>{}</ul>"),
    **dict.fromkeys(("td", "th"), "<table><tr>{}<td>A</td></tr></table>"),
    **dict.fromkeys(("dt", "dd"), "<dl>{}</dl>"),
    **dict.fromkeys(("caption",), "<table>{}<tr><td>A</td><td>B</td></tr></table>"),
    **dict.fromkeys(("summary",), "<details>{}<p>B</p></details>"),
    **dict.fromkeys(("thead", "tbody", "tfoot", "tr"), "<table>{}</table>"),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), "{}"),
}


def read(folder: Path, body: str, style: str = "") -> Page:
    html = f"<html><head><style>{style}</style></head><body><h1>Zinc</h1>{body}</body></html>"
    (page,) = fixtures.read_text(folder, html).pages
    return page


def outline(page: Page) -> list[str]:
    """Return the lines of a page, headings behind as many signs as their level."""
    return [
        "#" * (block.level if block.kind is BlockKind.HEADING else 0)
        + page.text[block.start : block.end]
        for block in page.blocks
    ]


def left_out(page: Page) -> str:
    return " ".join(doubt.message for doubt in page.doubts if doubt.code == LEFT)


@pytest.mark.parametrize("name", ELEMENTS)
def test_the_words_of_each_element_are_read_or_doubted(tmp_path: Path, name: str) -> None:
    element = WITHIN.get(name, "{}").format(f"<{name}>{SAID}</{name}>")
    page = read(tmp_path, f"<p>Before.</p>{element}<p>After.</p>")
    assert "Before." in page.text
    is_struck = {doubt.code for doubt in page.doubts} == {"struck_out"}
    named = f" {name}" in left_out(page)
    assert sum((SAID in page.text, is_struck, named, name in EMPTY)) == 1


@pytest.mark.parametrize("name", VOID)
def test_elements_without_words_lose_none(tmp_path: Path, name: str) -> None:
    page = read(tmp_path, f"<p>Give <{name} src='a.png' content='b'>7 mg/kg.</p>")
    assert "7 mg/kg." in page.text
    assert (name in left_out(page)) == (name in ("embed", "frame"))


TABS = """<ul role="tablist"><li><a role="tab" id="a" aria-controls="p">Adults</a></li>
<li><a role="tab" id="b" aria-controls="q">Children</a></li></ul>"""
TWO = f"<div id='p' {{0}}><p>{ADULTS}</p></div><div id='q' {{0}} {{1}}><p>{CHILDREN}</p></div>"
PANES = TWO.format("class='pane'", "")
BUTTON = "<button class='accordion'>{}</button><div class='panel' {}><p>{}</p></div>"
PLAIN = """<button onclick="go(event, 'p')">Adults</button>
<button onclick="go('q')">Children</button>"""
TOGGLE = "<a data-toggle='tab' href='#p'>Adults</a><a data-toggle='tab' href='#q'>Children</a>"
OPENED = {
    "tabs by role": (TABS + TWO.format("role='tabpanel'", "hidden"), ""),
    "tabs hidden by a class": (TABS + PANES, ".pane{display:none} .pane.active{display:block}"),
    "tabs that name themselves": (
        TWO.format("role='tabpanel'", "hidden aria-label='Children'").replace(
            "id='p'", "id='p' aria-label='Adults'"
        ),
        "",
    ),
    "Bootstrap's tabs": (TOGGLE + TWO.format("class='tab-pane'", "style='display:none'"), ""),
    "tabs by a program": (PLAIN + PANES, "div.pane{display:none}"),
    "tabs by data": (
        "<ul><li data-tab='p'>Adults</li><li data-tab='q'>Children</li></ul>" + PANES,
        ".pane{display:none} .pane:first-of-type{display:block}",
    ),
    "details": (
        f"<details open><summary>Adults</summary>{ADULTS}</details>"
        f"<details><summary><b>Children</b></summary><p>{CHILDREN}</p></details>",
        "",
    ),
    "an accordion": (
        BUTTON.format("Adults", "", ADULTS) + BUTTON.format("Children", "hidden", CHILDREN),
        ".panel{visibility:hidden}",
    ),
    "labels": (
        f"<input type=radio id=a><label for=a>Adults</label><div>{ADULTS}</div>"
        f"<input type=radio id=b><label for=b>Children</label><div hidden>{CHILDREN}</div>",
        "",
    ),
    "fieldsets": (
        f"<fieldset><legend>Adults</legend>{ADULTS}</fieldset>"
        f"<fieldset><legend>Children</legend>{CHILDREN}</fieldset>",
        "",
    ),
    "buttons in headings": (
        f"<h2><button aria-controls='p'>Adults</button></h2><div id='p'>{ADULTS}</div>"
        f"<h2><button aria-controls='q'>Children</button></h2><div id='q' hidden>{CHILDREN}</div>",
        "",
    ),
    "headings by role": (
        f"<div role='heading' aria-level='2'>Adults</div><p>{ADULTS}</p>"
        f"<div role='heading'>Children</div><p>{CHILDREN}</p>",
        "",
    ),
    "a dialog": (
        f"<h2>Adults</h2><p>{ADULTS}</p>"
        f"<h2><button commandfor='q'>Children</button></h2><dialog id='q'>{CHILDREN}</dialog>",
        "",
    ),
}


@pytest.mark.parametrize(("body", "style"), OPENED.values(), ids=OPENED)
def test_what_a_reader_opens_is_read_under_its_name(tmp_path: Path, body: str, style: str) -> None:
    page = read(tmp_path, body, style)
    assert outline(page) == ["#Zinc", "##Adults", ADULTS, "##Children", CHILDREN]
    assert not page.doubts


def test_after_the_parts_that_open_their_own_section_goes_on(tmp_path: Path) -> None:
    inner = f"<details><summary>Children</summary><h2>Dose</h2><p>{CHILDREN}</p></details>"
    page = read(tmp_path, f"<h2>Dose</h2>{inner}<p>Not in pregnancy.</p><h2>Notes</h2><p>A.</p>")
    expected = ["#Zinc", "##Dose", "###Children", "####Dose", CHILDREN, "##Dose"]
    assert outline(page) == [*expected, "Not in pregnancy.", "##Notes", "A."]


OLD = "<p class='old' id='old'>Give 900 mg.</p>"


@pytest.mark.parametrize(
    ("body", "style"),
    [
        (OLD, ".old{display:none}"),
        (OLD, "p.old { color: red; visibility : hidden }"),
        (OLD, "#old{opacity:0}"),
        (f"<div class='sr'><section>{OLD}</section></div>", ".sr > section .old{display:none}"),
        (OLD, "@media screen { .old{display:none} }"),
        (OLD, ".old{font-size:0}"),
        (OLD, ".old{position:absolute;left:-9999px}"),
        (OLD, "p{font-size:9px} .old{height:0;overflow:hidden}"),
        (OLD, ".old{transform:scale(0)} p{display:block}"),
        (f"{OLD}<style>.old{{display:none}}</style>", ""),  # after what it hides
        (
            f"<a href='#old'>See</a>{OLD}".replace("<p", "<span").replace("/p", "/span"),
            ".old{display:none}",
        ),
        ("<p hidden>Give 900 mg.</p>", ""),
        ("<p aria-hidden='true'>Give 900 mg.</p>", ""),
        ("<div popover>Give 900 mg.</div>", ""),
        ("<p class='d-none'>Give 900 mg.</p>", ""),
        ("<p style='position:absolute;left:-9999px'>Give 900 mg.</p>", ""),
        ("<div style='overflow:hidden; height:0'>Give 900 mg.</div>", ""),
        ("<p><span style='mso-hide:all'>Give 900 mg.</span></p>", ""),
    ],
)
def test_what_styles_hide_is_not_quoted_but_doubted(tmp_path: Path, body: str, style: str) -> None:
    page = read(tmp_path, f"<p>{ADULTS}</p>{body}", style)
    assert ADULTS in page.text
    assert "900" not in page.text
    assert "hidden text" in left_out(page)


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("old", ".old{text-decoration:line-through}"),
        ("old", "p.old{text-decoration : underline  LINE-THROUGH red}"),
        ("line-through", ""),
        ("text-decoration-line-through", ""),
    ],
)
def test_what_styles_strike_out_is_not_quoted_but_doubted(
    tmp_path: Path, name: str, style: str
) -> None:
    page = read(tmp_path, f"<p>{ADULTS}</p><p class='{name}'>Give 900 mg.</p>", style)
    assert "900" not in page.text
    assert [doubt.code for doubt in page.doubts] == ["struck_out"]


@pytest.mark.parametrize(
    ("body", "style", "named"),
    [
        ("<p class='a'>A</p>", ".a::before{content:'Superseded'}", "words that styles add"),
        ("<p class='a'>A</p>", ".a:before{content:'\\f101'} .b:after{content:'Old'}", ""),
        ("<p class='a'>A</p>", ".a{content:'Old words'}", ""),
        ("<header><p>This page was withdrawn.</p></header>", "", "header"),
        ("<header><p>City Hospital</p></header><nav>Archive</nav>", "", ""),
        ("<p><img src='dose.png'></p>", "", "picture"),
        ("<figure><img src=a.png alt='Doses'><figcaption>A</figcaption></figure>", "", "picture"),
        ("<p><img src='a.png' alt=''><img src='logo.png'><img width=40></p>", "", ""),
    ],
)
def test_what_only_a_browser_shows_is_doubted_unless_it_is_an_ornament(
    tmp_path: Path, body: str, style: str, named: str
) -> None:
    page = read(tmp_path, f"{body}<p>{ADULTS}</p>", style)
    assert ADULTS in page.text
    assert named in left_out(page) and bool(page.doubts) == bool(named)


WHITES = "white #fff #FFFFFF #fefefe rgb(255,255,255) transparent rgba(0,0,0,0) hsl(0,0%,100%)"


@pytest.mark.parametrize(
    ("body", "style"),
    [
        *[(OLD, f"p.old{{font-size:9px;color:{white}}}") for white in WHITES.split()],
        (OLD.replace("<p", "<p style='color: white !important'"), ""),
        (OLD.replace("<p", "<p style='color:#fff;background:#FFF'"), ""),
        (OLD.replace("<p", "<p style='color:white;background:transparent'"), ""),
        (f"<div>{OLD}</div>", "div{color:#fff}"),
        (
            f"<div class='bar'><div>{OLD}</div></div>",
            ".bar{background:navy} div div{background:#fff} .old{color:white}",
        ),
        ("<p><font color='white'>Give 900 mg.</font></p>", ""),
    ],
)
def test_white_words_are_not_quoted_but_doubted(tmp_path: Path, body: str, style: str) -> None:
    page = read(tmp_path, f"<p>{ADULTS}</p>{body}", style)
    assert page.text == f"Zinc\n{ADULTS}"
    assert "white text" in left_out(page)


@pytest.mark.parametrize(
    ("body", "style"),
    [
        (OLD, ".old{color:white;background:navy}"),
        (OLD, ".old{color:white;background-color:navy;background-image:none}"),
        (f"<div>{OLD}</div>", "div{background:url(a.png)} p{color:#fff}"),
        (f"<table bgcolor='navy'><tr><td>{OLD}</td></tr></table>", "p{color:white}"),
        (f"<div><span>{OLD}</span></div>", "div{color:white} p{color:#333}"),
        (OLD, "p{color:#eee;border-color:white}"),
        (OLD, "p:hover{color:white}"),
        (OLD, "html{background:black} body{color:white}"),
        (OLD, "@media screen and (prefers-color-scheme: dark){p{color:white} a{color:red}}"),
        ("<p><mark style='color:white'>Give 900 mg.</mark></p>", ""),
    ],
)
def test_white_words_on_a_colour_are_read(tmp_path: Path, body: str, style: str) -> None:
    page = read(tmp_path, body, style)
    assert "Give 900 mg." in page.text
    assert not page.doubts


def test_marked_sections_of_xhtml_are_text(tmp_path: Path) -> None:
    page = read(tmp_path, f"<ac:plain-text-body><![CDATA[{ADULTS}]]></ac:plain-text-body>")
    assert page.text == f"Zinc\n{ADULTS}"


@pytest.mark.parametrize(
    "style",
    [
        ".old{display:none} .old{display:block}",
        ".old{max-height:0;overflow:hidden} p.old{max-height:none}",
        ".old{height:0} .old{font-size:0.9em;left:-9px;top:0}",
        "@media print {.old{display:none}}",
        ".old{text-decoration:line-through} p.old{text-decoration:none}",
    ],
)
def test_what_styles_show_is_read(tmp_path: Path, style: str) -> None:
    page = read(tmp_path, OLD, style)
    assert page.text == "Zinc\nGive 900 mg."
    assert not page.doubts


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "<p><label>Dose <input value='7 mg/kg' readonly></label> daily.</p>",
            "Dose 7 mg/kg daily.",
        ),
        ("<p>Dose <input type='hidden' value='9 mg'>daily.</p>", "Dose daily."),
        ("<p>INR <img alt='≥' src='a.png'> 5</p>", "INR ≥ 5"),
        ("<p>Dose:</p><textarea>7 mg/kg</textarea>", "Dose:\n7 mg/kg"),
    ],
)
def test_what_fields_and_pictures_say_stands_in_the_text(
    tmp_path: Path, body: str, said: str
) -> None:
    assert read(tmp_path, body).text == f"Zinc\n{said}"


def test_the_words_of_a_picture_alone_are_doubted(tmp_path: Path) -> None:
    page = read(tmp_path, f"<p>{ADULTS}</p><p><img alt='Dose in children: 7 mg/kg'></p>")
    assert "picture" in left_out(page)
