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
    "tabs": opened(tabs("role='tabpanel'", "role='tabpanel' hidden")),
    "text field": page(
        "<h2>Children</h2><p>Fluconazole dose:</p><textarea>Give 6 mg/kg once daily.</textarea>",
        said="6 mg/kg",
    ),
    "words for a picture": page(
        "<h2>Children</h2><p>Give fluconazole <img alt='≥' src='a.png'> 6 mg/kg once daily.</p>",
        said="≥ 6 mg/kg",
    ),
    "hidden by a class": closed(OLD, ".old{display:none}"),
    "template": closed(f"<template>{OLD}</template>", doubt="template"),
    "struck by a class": closed(OLD, ".old{text-decoration:line-through}", "strikes out"),
    "white": closed(OLD, ".old{color:white}", "white text"),
}


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(lambda: store(UPLOADS)):
        yield


@pytest.mark.django_db
@pytest.mark.parametrize("name", UPLOADS)
def test_what_a_page_opens_answers_and_what_it_hides_does_not(name: str) -> None:
    follow(name, UPLOADS[name])
