"""Test that every way in which a generator can lie is found."""

from dataclasses import replace
from typing import Any

import pytest

from chat.evidence.texts import normalised
from chat.types import DraftClaim
from chat.verification.verify import verify
from corpus.models import Page
from retrieval.types import Hit, Span
from tests.chat.evidence.hits import claim_of, hits_for, quote_of
from tests.chat.verification.verifiers import Believing
from tests.corpora import publish

pytestmark = pytest.mark.django_db

TEXT = (
    "# Enoxaparin\n## Dose\n"
    "Do not give more than 1.5 mg of enoxaparin per kg. Give 40 mg once daily, unless the "
    "patient bleeds. Stop it when platelets fall below 50.\n---\n## Other\nAnother page of words."
)
DOSE = "Give 40 mg once daily, unless the patient bleeds."
LIMIT = "Do not give more than 1.5 mg of enoxaparin per kg."


@pytest.fixture
def hit(db: None) -> Hit:
    publish(TEXT)
    return hits_for("enoxaparin dose")[0]


def failure(claim: DraftClaim, question: str = "") -> str:
    (verdict,) = verify([claim], question=question, verifier=Believing())
    assert verdict.supported is (verdict.failed == "")
    return verdict.detail


def test_a_verbatim_claim_stands_without_a_verifier(hit: Hit) -> None:
    for words in (DOSE, LIMIT, f"{LIMIT} {DOSE}"):
        (verdict,) = verify([claim_of(hit, words)])
        assert verdict.supported
        assert verdict.judgement is None


def test_free_wording_without_a_verifier_falls(hit: Hit) -> None:
    (verdict,) = verify([claim_of(hit, DOSE, text="Once a day 40 mg is given.")])
    assert (verdict.supported, verdict.failed) == (False, "entailment")


def test_white_space_and_unicode_forms_do_not_matter(hit: Hit) -> None:
    assert failure(claim_of(hit, DOSE, text=DOSE.replace(" ", "\n "))) == ""
    assert normalised("e\u0301 \n x") == "é x"
    assert normalised("10²") == "10²"


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (DOSE, DOSE.replace("40", "400"), "number not in the evidence: 400"),
        (DOSE, DOSE.replace("40", "4"), "number not in the evidence: 4"),
        (LIMIT, LIMIT.replace("1.5", "15"), "number not in the evidence: 15"),
        (LIMIT, LIMIT.replace("1.5", ".5"), "number not in the evidence: 0.5"),
        (DOSE, DOSE.replace("mg", "g"), "number not in the evidence: 40"),
        (DOSE, DOSE.replace("40 mg", "40 micrograms"), "number not in the evidence: 40"),
        (DOSE, DOSE.replace("once", "twice"), "frequency not in the evidence"),
        (DOSE, DOSE.replace("40 mg", "40 mg of heparin"), "medicine not in the evidence: heparin"),
        (DOSE, DOSE.replace("daily", "daily by vein"), "route not in the evidence: intravenous"),
    ],
)
def test_a_changed_text_falls(hit: Hit, words: str, text: str, expected: str) -> None:
    assert failure(claim_of(hit, words, text=text)) == expected


def test_what_the_question_gives_may_be_repeated(hit: Hit) -> None:
    claim = claim_of(hit, DOSE, text="At 78 years and 62 kg, give 40 mg once daily.")
    assert failure(claim, "78M 62kg enoxaparin dose?") == ""
    assert failure(claim, "enoxaparin dose?") == "number not in the evidence: 78"


def test_what_a_statement_stands_under_bears_it_out(hit: Hit) -> None:
    """Only the title names the medicine."""
    claim = claim_of(hit, DOSE, text="Enoxaparin is given as 40 mg once a day.")
    assert failure(claim) == ""


def test_a_claim_whose_quotes_are_not_all_on_their_pages_falls(hit: Hit) -> None:
    good = quote_of(hit, DOSE)
    assert failure(DraftClaim(DOSE, ())) == "no citation"
    for values in (
        {"start": good.start + 1},
        {"end": good.end - 1},
        {"page": 2},
        {"page": 99},
        {"text": DOSE.replace("40", "400")},
        {"text": DOSE.lower()},
        {"start": -good.end, "end": -good.start},
        {"start": good.end, "end": good.end, "text": ""},
        {"hit": replace(hit, document_id=hit.document_id + 999)},
    ):
        bad = replace(good, **values)
        for quotes in ((bad,), (good, bad)):
            assert failure(DraftClaim(DOSE, quotes)) == "quote not on the page", values


def test_a_quote_from_outside_the_passage_falls(hit: Hit) -> None:
    """The page holds the quote, but the passage that passed the gate doesn't."""
    words = "Another page of words."
    own = tuple(span for span in hit.spans if span.page == 1)
    quote = replace(quote_of(hit, words, page=2), hit=replace(hit, text=DOSE, spans=own))
    assert failure(DraftClaim(words, (quote,))) == "quote not in the passage"


def test_a_quote_that_goes_on_behind_the_passage_stands(hit: Hit) -> None:
    """As the row of a table does that was cut into several passages."""
    quote = quote_of(hit, DOSE)
    half = Span(1, quote.start, quote.start + 10, 0)
    beside = Span(1, quote.end, quote.end + 10, 0)
    for spans, stands in (((half,), True), ((beside,), False), ((), False)):
        part = replace(quote, hit=replace(hit, text=DOSE[:10], spans=spans))
        assert failure(DraftClaim(DOSE, (part,))) == ("" if stands else "quote not in the passage")


def test_verdicts_keep_the_order_and_take_one_query(
    hit: Hit, django_assert_num_queries: Any
) -> None:
    claims = [claim_of(hit, DOSE), DraftClaim("x", ()), claim_of(hit, LIMIT)]
    with django_assert_num_queries(1):
        verdicts = verify(claims)
    assert [verdict.supported for verdict in verdicts] == [True, False, True]
    assert [verdict.claim for verdict in verdicts] == claims


def test_nothing_to_verify_gives_nothing() -> None:
    assert verify([]) == ()


def test_a_quote_is_what_the_page_says_now(hit: Hit) -> None:
    claim = claim_of(hit, DOSE)
    Page.objects.filter(document=hit.document_id).update(text="All rewritten.")
    assert failure(claim) == "quote not on the page"


GERMAN = (
    "# Eisen\n## Dosis\nGeben Sie Erwachsenen mit einem Mangel zweimal täglich 1.000 mg. "
    "Geben Sie Patienten mit einer Blutung kein Eisen und nicht mehr als das."
)
GERMAN_DOSE = "Geben Sie Erwachsenen mit einem Mangel zweimal täglich 1.000 mg."


@pytest.mark.parametrize("language", ["de", "en"])  # also where nobody said that it is German
@pytest.mark.parametrize(
    "said",
    [
        "Erwachsene mit einem Mangel erhalten zweimal täglich 1 mg.",
        "Erwachsene mit einem Mangel erhalten dreimal täglich 1.000 mg.",
        "Geben Sie Patienten mit einer Blutung Eisen.",
        "Adults with a deficiency get 1000 mg twice daily.",
    ],
)
def test_free_wording_of_another_language_is_never_shown(said: str, language: str) -> None:
    publish(GERMAN, language=language)
    hit = hits_for("Eisen Dosis bei Mangel")[0]
    (verdict,) = verify([claim_of(hit, GERMAN_DOSE, text=said)], verifier=Believing())
    assert (verdict.supported, verdict.failed) == (False, "language")


def test_the_own_words_of_a_text_in_another_language_are_shown() -> None:
    publish(GERMAN, language="de")
    hit = hits_for("Eisen Dosis bei Mangel")[0]
    (verdict,) = verify([claim_of(hit, GERMAN_DOSE)])
    assert verdict.supported
