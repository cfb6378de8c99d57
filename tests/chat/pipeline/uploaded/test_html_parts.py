"""Test what becomes of the parts of HTML that its reader opens, fills in or never sees."""

from collections.abc import Iterator

import pytest

from tests.chat.storing import Storing
from tests.chat.uploads import Upload, follow, store

ADULTS = "<p>Give fluconazole 400 mg once daily.</p>"
CHILDREN = "<p>Give fluconazole 6 mg/kg once daily.</p>"
OLD = "<p class='old'>Old dose: give fluconazole 900 mg once daily.</p>"
OF_ADULTS, OF_CHILDREN = "fluconazole dose in adults?", "fluconazole dose in children?"


def page(body: str, style: str = "", **expected: str) -> Upload:
    head = f"<head><title>Fluconazole</title><style>{style}</style></head>"
    html = f"<html>{head}<body><h1>Fluconazole in candidaemia</h1>{body}</body></html>"
    return Upload("a.html", html.encode, **{"question": OF_CHILDREN, **expected})


def opened(body: str, style: str = "") -> Upload:
    """Return a page with a part for adults and one for children, of which one may be closed."""
    return page(body, style, said="6 mg/kg", unsaid="400 mg")


def closed(part: str, style: str = "", doubt: str = "hidden text") -> Upload:
    """Return a page with a part that nobody sees."""
    body = f"<h2>Adults</h2>{ADULTS}{part}"
    grade = "value" if doubt == "strikes out" else "structure"
    said = {"question": OF_ADULTS, "said": "400 mg", "unread": "900 mg"}
    return page(body, style, **said, doubt=doubt, grade=grade)


def tabs(first: str, second: str) -> str:
    return f"""<div role="tablist"><button role="tab" id="a" aria-controls="p">Adults</button>
<button role="tab" id="b" aria-controls="q">Children</button></div>
<div id="p" {first}>{ADULTS}</div><div id="q" {second}>{CHILDREN}</div>"""


UPLOADS = {
    "buttons in headings": opened(
        f"<h2><button aria-controls='p'>Adults</button></h2><div id='p'>{ADULTS}</div>"
        f"<h2><button aria-controls='q'>Children</button></h2><div id='q' hidden>{CHILDREN}</div>"
    ),
    "tabs": opened(tabs("role='tabpanel'", "role='tabpanel' hidden")),
    "tabs by style": opened(tabs("style='display:block'", "style='display: none'")),
    "tabs by class": opened(tabs("class='pane on'", "class='pane'"), ".pane{display:none}"),
    "tabs by data": opened(
        "<ul><li data-tab='p'>Adults</li><li data-tab='q'>Children</li></ul>"
        f"<div id='p' class='pane on'>{ADULTS}</div><div id='q' class='pane'>{CHILDREN}</div>",
        ".pane{display:none} .pane.on{display:block}",
    ),
    "details": opened(
        f"<details open><summary>Adults</summary>{ADULTS}</details>"
        f"<details><summary>Children</summary>{CHILDREN}</details>"
    ),
    "dialog that opens": opened(
        f"<h2>Adults</h2>{ADULTS}<button commandfor='q'>Children</button>"
        f"<dialog id='q'>{CHILDREN}</dialog>"
    ),
    "text field": page(
        "<h2>Children</h2><p>Fluconazole dose:</p><textarea>Give 6 mg/kg once daily.</textarea>",
        said="6 mg/kg",
    ),
    "value of a field": page(
        "<h2>Children</h2><p><label>Fluconazole dose: give <input value='6 mg/kg' readonly></label>"
        " once daily.</p>",
        said="6 mg/kg",
    ),
    "words for a picture": page(
        "<h2>Children</h2><p>Give fluconazole <img alt='≥' src='a.png'> 6 mg/kg once daily.</p>",
        said="≥ 6 mg/kg",
    ),
    "hidden by a class": closed(OLD, ".old{display:none}"),
    "hidden by a class of an outer part": closed(
        f"<div class='archive'>{OLD}</div>", ".archive > p { visibility: hidden }"
    ),
    "hidden by an attribute": closed(OLD.replace("<p", "<p hidden")),
    "too small to be seen": closed(OLD, ".old{font-size:0}"),
    "beside the screen": closed(OLD, ".old{position:absolute;left:-9999px}"),
    "template": closed(f"<template>{OLD}</template>", doubt="template"),
    "noscript": closed(f"<noscript>{OLD}</noscript>", doubt="noscript"),
    "dialog": closed(f"<dialog>{OLD}</dialog>", doubt="dialog"),
    "choice": closed(
        "<select><option>400 mg</option><option>900 mg</option></select>", doubt="select"
    ),
    "picture of a dose": closed("<p><img alt='900 mg' src='a.png'></p>", doubt="picture"),
    "struck by a class": closed(OLD, ".old{text-decoration:line-through}", "strikes out"),
    "white": closed(OLD, ".old{color:white}", "white text"),
    "white by its own style": closed(
        OLD.replace("<p", "<p style='color:#FFF'"), doubt="white text"
    ),
    "white on a bar": page(
        f"<h2>Children</h2><div class='bar'>{CHILDREN}</div>",
        ".bar{background:navy;color:white}",
        said="6 mg/kg",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(lambda: store(UPLOADS)):
        yield


@pytest.mark.django_db
@pytest.mark.parametrize("name", UPLOADS)
def test_what_a_page_opens_answers_and_what_it_hides_does_not(name: str) -> None:
    follow(name, UPLOADS[name])
