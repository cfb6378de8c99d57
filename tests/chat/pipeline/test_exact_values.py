"""Test values from upload to answer: what was read exactly is said, what is in doubt never is."""

import datetime
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from chat.ask import turn_ask
from chat.models import Channel, Reason, Turn
from chat.types import AskedQuestion
from chat.verification.verify import verify
from corpus.models import Document, Lifecycle
from corpus.review.words_found import PagesNotReviewed
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_approve, document_publish, document_submit
from tests.chat.evidence.hits import claim_of, hits_for
from tests.chat.verification.verifiers import Believing
from tests.corpus.documents import ingest
from tests.corpus.parsing import parsing_fixtures as fixtures

pytestmark = pytest.mark.django_db

TODAY = datetime.date(2026, 3, 1)
Part = tuple[str, float, float]  # text, size and rise
TITLE: list[Part] = [("Treatment of adults at home", 16, 0)]
LOST: list[list[Part]] = [
    TITLE,
    [("Enoxaparin is given by injection under the skin to adults in hospital.", 10, 0)],
    [('CrCl "e 30 mL/min: give enoxaparin 40 mg once daily.', 10, 0)],
]
BROKEN: list[list[Part]] = [
    TITLE,
    [("Colchicine is a medicine for acute gout that is taken by mouth. Give 1.", 10, 0)],
    [("5 mg of colchicine at once to adults with acute gout.", 10, 0)],
]


def _pdf(folder: Path, lines: list[list[Part]]) -> Document:
    """Store and index a PDF with a line for each list of parts."""

    def draw(canvas: Canvas) -> None:
        for number, parts in enumerate(lines):
            x = 60.0
            for said, size, rise in parts:
                canvas.setFont("Helvetica", size)
                canvas.drawString(x, A4[1] - 80 - 24 * number + rise, said)
                x += canvas.stringWidth(said, "Helvetica", size)

    path = fixtures.make_pdf(folder / "a.pdf", draw)
    document = ingest(path.read_bytes(), "a.pdf", title="Treatment of adults at home")
    while document_index(document.pk):
        pass
    document.refresh_from_db()
    assert document.job.last_error == ""
    return document


def _asked(question: str) -> Turn:
    return turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))


@pytest.mark.parametrize(("size", "rise"), [(6, 4), (10, 3)])
def test_a_footnote_mark_is_no_digit_from_upload_to_check(
    tmp_path: Path, size: float, rise: float
) -> None:
    dose: list[Part] = [("Give adults zinc 5", 10, 0), ("2", size, rise), (" mg daily.", 10, 0)]
    document = _pdf(tmp_path, [TITLE, dose])
    document_approve(document, by=None, today=TODAY)
    (hit,) = hits_for("zinc dose")
    quote = "Give adults zinc 5² mg daily."
    for text, detail in (
        ("Give adults zinc 5 mg daily.", ""),
        (quote, ""),
        ("Give adults zinc 52 mg daily.", "number not in the evidence: 52"),
        ("Give adults zinc 2 mg daily.", "number not in the evidence: 2"),
    ):
        (verdict,) = verify([claim_of(hit, quote, text=text)], verifier=Believing())
        assert (verdict.supported, verdict.detail) == (not detail, detail)


DOUBTED = [
    (LOST, "What is the dose of enoxaparin in adults?", "40 mg"),
    (BROKEN, "What is the dose of colchicine in acute gout?", "1.5 mg"),
]


@pytest.mark.parametrize(("lines", "question", "dose"), DOUBTED)
def test_a_value_in_doubt_is_never_said_before_its_page_is_ticked(
    tmp_path: Path, lines: list[list[Part]], question: str, dose: str
) -> None:
    document = _pdf(tmp_path, lines)
    document_submit(document, by=None)
    with pytest.raises(PagesNotReviewed):
        document_publish(document, by=None, today=TODAY)
    document.refresh_from_db()
    assert document.lifecycle == Lifecycle.REVIEW
    turn = _asked(question)
    assert turn.reason == Reason.NO_EVIDENCE
    assert not turn.claims.exists()
    document_publish(document, by=None, today=TODAY, looked=[1])
    assert dose in _asked(question).claims.get(index=1).text


SAFE: list[Part] = [("Paracetamol is given to adults at home: 1 g every six hours.", 10, 0)]


@pytest.mark.parametrize(("lines", "question", "dose"), DOUBTED)
def test_published_despite_doubts_quotes_all_but_the_values_in_doubt(
    tmp_path: Path, lines: list[list[Part]], question: str, dose: str
) -> None:
    blank: list[Part] = [("", 10, 0)]
    document = _pdf(tmp_path, [*lines, blank, blank, SAFE])
    document_submit(document, by=None)
    document_publish(document, by=None, today=TODAY, despite_doubts=True)
    said = " ".join(claim.text for claim in _asked(question).claims.all())
    assert dose.split()[0].split(".")[-1] not in said
    turn = _asked("How much paracetamol do adults get at home?")
    assert "1 g every six hours" in turn.claims.get(index=1).text
    document.pages.update(looked=True)
    assert dose in _asked(question).claims.get(index=1).text
