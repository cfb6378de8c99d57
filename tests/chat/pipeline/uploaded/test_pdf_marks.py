"""Test what becomes of what people write, draw and fill in on a PDF, up to the answer."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from corpus.parsing.types import Box
from tests.chat.storing import Storing
from tests.chat.uploads import Upload, follow, store
from tests.corpus.parsing.pdf.annotated import WHITE, annotated, shown

LINES = (
    (780, 18, "Tobramycin in sepsis"),
    (740, 11, "Adults: give tobramycin 7 mg/kg intravenously once daily."),
    (700, 11, "Measure a level of tobramycin before the second dose."),
)
DOSE = (187.0, 737.0, 229.0, 750.0)  # around `7 mg/kg`, in user space
QUADS = "/QuadPoints [188 750 229 750 188 737 229 737]"
CHILDREN = "Children: give tobramycin 8 mg/kg once daily."
OF_ADULTS, OF_CHILDREN = "tobramycin dose in adults?", "tobramycin dose in children?"
FIELD = "/FT /Tx /T (dose) /V (20 mg)"
BLANK = f"BT /F1 11 Tf 72 660 Td (Zinc: give{' ' * 16}daily to adults.) Tj ET"


def page(*given: str, **drawn: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return annotated(Path(folder, "a.pdf"), LINES, *given, **drawn).read_bytes()


def upload(content: Callable[[], bytes], **expected: str) -> Upload:
    return Upload("a.pdf", content, **{"question": OF_ADULTS, **expected})


def kept(*given: str, box: Box = DOSE, doubt: str = "", drawn: str = "") -> Upload:
    """Return a page whose dose stands, whatever the annotation says."""
    return upload(partial(page, *given, box=box, drawn=drawn), said="7 mg/kg", doubt=doubt)


def struck(*given: str, drawn: str = "", **rest: str) -> Upload:
    """Return a page whose dose is struck through or covered."""
    content = partial(page, *given, box=DOSE, drawn=drawn)
    return upload(content, unread="7 mg", doubt="struck through or covered", **rest)


NOTE = (60.0, 640.0, 400.0, 660.0)
UPLOADS = {
    "nothing": kept(),
    "text box": upload(
        partial(page, "FreeText", f"/Contents ({CHILDREN})", shown(CHILDREN)),
        question=OF_CHILDREN,
        said="8 mg/kg",
        unsaid="7 mg/kg",
    ),
    "stamp": kept("Stamp", "/Contents (SUPERSEDED)", shown("SUPERSEDED"), box=NOTE, doubt="stamp"),
    "note on the dose": kept("Highlight", f"{QUADS} /Contents (Now 3 mg/kg)", doubt="highlight"),
    "filled field": upload(
        partial(page, "Widget", FIELD, shown("20 mg"), box=(120, 656, 170, 672), drawn=BLANK),
        question="zinc dose in adults?",
        said="20 mg",
    ),
    "strikeout": struck("StrikeOut", QUADS, "1 0 0 RG 1 w 0 6 m 39 6 l S"),
    "the rest of a page with a strikeout": struck(
        "StrikeOut",
        QUADS,
        "1 w 0 6 m 39 6 l S",
        question="when to measure a level of tobramycin?",
        said="second dose",
    ),
    "painted white square": struck("Square", "", WHITE),
    "page crossed out": kept(
        drawn="2 w 90 680 m 160 810 l S 160 680 m 90 810 l S", doubt="they may be crossed out"
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(lambda: store(UPLOADS)):
        yield


@pytest.mark.django_db
@pytest.mark.parametrize("name", UPLOADS)
def test_no_mark_on_a_pdf_vanishes_and_no_struck_word_is_quoted(name: str) -> None:
    follow(name, UPLOADS[name])
