"""Test that a model's citation is placed on its page, whole, or reported as not found."""

import random
from typing import Any

import pytest

from chat.evidence.quotable import units_by_passage
from chat.evidence.texts import normalised, tokens
from chat.generation import placing
from chat.generation.placing import Placed, Shown, placed
from chat.types import DraftClaim, Quote, Unplaced
from chat.verification.verify import verify
from corpus.models import Page
from retrieval.types import Hit
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db

TEXT = """# Gentamicin in adults
## Dose
Do not give gentamicin 5 mg/kg to pregnant women. Give 3 mg/kg once daily otherwise.
Check the level before the second dose. Repeat it every three days. Stop when it is high. Tell them.
| Clearance (mL/min) | Interval* |
| More than 60 | Every 24 hours |
| 20 to 60 | Every 36 hours |
^ * By the serum level.
## Contraindications
- Myasthenia gravis
- Known allergy to aminoglycosides
"""
QUESTION = "gentamicin dose"


def shown(question: str = QUESTION) -> tuple[Shown, dict[str, Hit]]:
    hits = hits_for(question)
    by_key = {f"k{place}": hit for place, hit in enumerate(hits)}
    return Shown(by_key, units_by_passage(hits, question)), by_key


def place(quote: str, question: str = QUESTION) -> Placed | Unplaced:
    """Place the quote in the first passage that holds it, or else in the first of all."""
    known, by_key = shown(question)
    found = [placed(key, quote, known) for key in by_key]
    return next((one for one in found if not isinstance(one, Unplaced)), found[0])


def texts(quote: str, question: str = QUESTION) -> list[str]:
    found = place(quote, question)
    assert not isinstance(found, Unplaced), found.why
    return [part.text for part in found.quotes]


def why(quote: str, question: str = QUESTION) -> str:
    found = place(quote, question)
    assert isinstance(found, Unplaced)
    return found.why


@pytest.fixture
def guideline(db: None) -> None:
    publish(TEXT)


@pytest.mark.usefixtures("guideline")
def test_a_sentence_is_placed_as_it_stands_on_its_page() -> None:
    sentence = "Give 3 mg/kg once daily otherwise."
    assert texts(sentence) == [sentence]
    assert texts(sentence.replace(" ", "\n  ")) == [sentence]


@pytest.mark.usefixtures("guideline")
def test_each_quote_is_exactly_text_of_its_page() -> None:
    for quote in ("Give 3 mg/kg once", "20 to 60 | Every 36 hours", "Myasthenia gravis"):
        found = place(quote)
        assert not isinstance(found, Unplaced)
        for part in found.quotes:
            page = Page.objects.get(document=part.hit.document_id, number=part.page)
            assert page.text[part.start : part.end] == part.text != ""


@pytest.mark.usefixtures("guideline")
def test_what_a_quote_left_out_of_its_sentence_comes_back() -> None:
    whole = "Do not give gentamicin 5 mg/kg to pregnant women."
    assert texts("give gentamicin 5 mg/kg") == [whole]


@pytest.mark.usefixtures("guideline")
def test_a_row_comes_whole_with_its_labels_and_footnotes() -> None:
    row = ["20 to 60 | Every 36 hours", "Clearance (mL/min) | Interval*", "* By the serum level."]
    assert texts("20 to 60 | Every 36 hours") == row
    assert texts("60 | Every 36 hours") == row


@pytest.mark.usefixtures("guideline")
def test_an_item_comes_with_what_introduces_its_list() -> None:
    assert texts("Known allergy to aminoglycosides") == [
        "Known allergy to aminoglycosides",
        "Contraindications",
    ]


@pytest.mark.usefixtures("guideline")
@pytest.mark.parametrize(
    ("quote", "read_as"),
    [
        ("Myasthenia gravis", "Contraindications: Myasthenia gravis"),
        ("20 to 60 | Every 36 hours",
         "Clearance (mL/min): 20 to 60; Interval*: Every 36 hours (* By the serum level.)"),
        ("Repeat it every three days.", "Repeat it every three days. Stop when it is high."),
        (
            "Myasthenia gravis Known allergy to aminoglycosides",
            "Contraindications: Myasthenia gravis "
            "Contraindications: Known allergy to aminoglycosides",
        ),
    ],
)  # fmt: skip
def test_what_is_quoted_is_known_as_it_can_be_read_alone(quote: str, read_as: str) -> None:
    found = place(quote)
    assert not isinstance(found, Unplaced)
    assert found.read_as == read_as


@pytest.mark.usefixtures("guideline")
@pytest.mark.parametrize(
    "quote",
    [
        "Give 30 mg/kg once daily otherwise.",
        "Give vancomycin once daily to all adults.",
        "mg/kg once daily otherwis",
        "",
    ],
)
def test_what_is_not_in_the_passage_is_not_placed(quote: str) -> None:
    assert why(quote) == placing.NOT_THERE


@pytest.mark.usefixtures("guideline")
def test_a_quote_over_several_statements_is_all_of_them() -> None:
    rows = ["More than 60 | Every 24 hours", "20 to 60 | Every 36 hours"]
    assert texts("\n".join(rows))[:2] == rows
    sentences = "Check the level before the second dose. Repeat it every three days. Stop when"
    assert "Stop when it is high" in " ".join(texts(sentences))


@pytest.mark.usefixtures("guideline")
def test_a_quote_that_leaves_out_bars_and_marks_is_found() -> None:
    assert texts("20 to 60: every 36 hours")[0] == "20 to 60 | Every 36 hours"


def test_what_introduces_a_list_brings_its_items() -> None:
    publish(
        "# Sepsis\n## Call for help\nCall the ward in adults with sepsis if:\n"
        "- the lactate is above 4\n- the patient is confused and\n- the pressure falls\n"
    )
    question = "sepsis when to call"
    whole = texts("Call the ward in adults with sepsis if:", question)
    assert {"the lactate is above 4", "the pressure falls"} <= set(whole)
    assert "the pressure falls" in texts("the patient is confused and", question)


@pytest.mark.usefixtures("guideline")
def test_a_row_that_is_no_unit_for_the_question_is_cited_as_it_stands() -> None:
    question = "gentamicin interval at clearance 75 mL/min"
    assert texts("20 to 60 | Every 36 hours", question) == ["20 to 60 | Every 36 hours"]


@pytest.mark.usefixtures("guideline")
def test_a_key_that_was_not_shown_is_unknown() -> None:
    known, by_key = shown()
    quote = "Give 3 mg/kg once daily otherwise."
    for key in ("", "k99", next(iter(by_key.values())).key, "k0 "):
        assert placed(key, quote, known) == Unplaced(key, quote, placing.UNKNOWN_KEY)


def test_a_quote_of_another_passage_is_not_there() -> None:
    publish(TEXT)
    publish("# Amikacin in adults\n## Dose\nGive amikacin 15 mg/kg once daily to adults.")
    known, by_key = shown("amikacin and gentamicin dose")
    quote = "Give amikacin 15 mg/kg once daily to adults."
    results = {key: placed(key, quote, known) for key in by_key}
    held = {key for key, hit in by_key.items() if quote in hit.text}
    assert held
    assert {key for key, found in results.items() if not isinstance(found, Unplaced)} == held


def test_of_several_places_the_one_near_the_others_is_meant() -> None:
    publish(
        "# Pneumonia\n## Dose\nWhen it is mild give demonstracillin 500 mg every 8 hours. Rest. "
        + "Drink well. " * 30
        + "When it is severe never give demonstracillin 500 mg every 8 hours. Call the ward."
    )
    question = "demonstracillin dose in pneumonia"
    known, by_key = shown(question)
    quote = "give demonstracillin 500 mg every 8 hours"
    (key,) = (key for key, hit in by_key.items() if "severe" in hit.text and "mild" in hit.text)
    first = placed(key, quote, known)
    ward = placed(key, "Call the ward.", known)
    assert isinstance(first, Placed)
    assert isinstance(ward, Placed)
    second = placed(key, quote, known, near=ward.quotes)
    assert isinstance(second, Placed)
    assert "mild" in first.quotes[0].text
    assert "severe never" in second.quotes[0].text


def test_a_quote_over_two_pages_is_a_quote_on_each() -> None:
    publish(
        "# Sepsis\n## Fluids\nGive a litre of saline to adults with sepsis.\n---\n"
        "Measure the lactate again after two hours."
    )
    question = "saline for adults with sepsis"
    quote = "a litre of saline to adults with sepsis. Measure the lactate again"
    found = place(quote, question)
    assert not isinstance(found, Unplaced)
    assert [(part.page, part.text) for part in found.quotes] == [
        (1, "Give a litre of saline to adults with sepsis."),
        (2, "Measure the lactate again after two hours."),
    ]


def test_a_sentence_comes_with_those_that_are_bound_to_it() -> None:
    publish(
        "# Ibuprofen\n## Pain\nTake it with food. Give ibuprofen 400 mg three times daily. "
        "Do not give it in renal failure. It must not be used in asthma."
    )
    whole = [
        "Give ibuprofen 400 mg three times daily. Do not give it in renal failure. "
        "It must not be used in asthma."
    ]
    for quote in ("Give ibuprofen 400 mg three times daily.", "give it in renal failure"):
        assert texts(quote, "ibuprofen dose") == whole
    assert texts("Take it with food.", "ibuprofen dose") == ["Take it with food."]


@pytest.mark.usefixtures("guideline")
def test_what_is_kept_of_an_unplaced_citation_is_bounded() -> None:
    known, _ = shown()
    found = placed("k" * 10_000, "q" * 10_000, known)
    assert isinstance(found, Unplaced)
    assert len(found.key) == len(found.text) == placing.MAX_KEPT_CHARS


@pytest.mark.usefixtures("guideline")
def test_units_of_every_passage_take_two_queries(django_assert_num_queries: Any) -> None:
    hits = hits_for(QUESTION)
    with django_assert_num_queries(2):
        assert set(units_by_passage(hits, QUESTION)) == {hit.key for hit in hits}


@pytest.mark.usefixtures("guideline")
def test_a_placed_quote_stands_in_verification() -> None:
    found = place("Give 3 mg/kg once daily")
    assert not isinstance(found, Unplaced)
    (verdict,) = verify([DraftClaim(found.quotes[0].text, found.quotes)])
    assert verdict.supported


@pytest.mark.usefixtures("guideline")
def test_no_changed_number_is_ever_placed_and_no_quote_loses_a_word() -> None:
    known, by_key = shown()
    drawn = random.Random(7)
    count = 0
    for _ in range(300):
        key, hit = drawn.choice(sorted(by_key.items()))
        words = hit.text.split()
        start = drawn.randrange(len(words))
        run = words[start : start + drawn.randrange(2, 12)]
        found = placed(key, " ".join(run), known)
        if not isinstance(found, Unplaced):
            count += 1
            cited = " ".join(part.text for part in found.quotes)
            assert set(tokens(" ".join(run))) <= set(tokens(cited))
            assert all(normalised(part.text) in normalised(page_of(part)) for part in found.quotes)
        numbers = [n for n, word in enumerate(run) if word.isdigit()]
        for place in numbers:
            changed = [*run[:place], run[place] + "7", *run[place + 1 :]]
            assert isinstance(placed(key, " ".join(changed), known), Unplaced)
    assert count > 200


def page_of(quote: Quote) -> str:
    return Page.objects.get(document=quote.hit.document_id, number=quote.page).text
