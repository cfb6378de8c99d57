"""What the extractive generator shows is word for word its quotes, and every guard lets it pass."""

import re

import pytest

from chat.evidence.quotable import quotable_units
from chat.types import Unit
from chat.verification.types import Cited
from chat.verification.wording.verbatim import word_for_word
from retrieval.types import Span
from tests.chat.evidence.hits import made_up_hit
from tests.chat.verification.guards.test_sentences import CHECKS
from tests.corpora import publish
from tests.published import ROOT


def as_corpus(text: str) -> str:
    """A sample's source as `tests.corpora` reads it."""
    _, head, body = text.split("+++")
    title = re.search(r'^title = "(.*)"$', head, re.MULTILINE)
    body = re.sub(r"^Table(?:\[\w+\])?: ", ": ", body, flags=re.MULTILINE)
    body = re.sub(r"^(?:> |\d+\. )", "", body, flags=re.MULTILINE).replace("[page]", "---")
    return f"# {title[1] if title else ''}\n{body}"


def units_of(text: str) -> list[Unit]:
    document = publish(as_corpus(text))
    hits = [
        made_up_hit(
            chunk_id=chunk.pk,
            key=chunk.key,
            document_id=document.pk,
            text=chunk.text,
            context=chunk.context,
            spans=tuple(Span(span[0], span[1], span[2], 0) for span in chunk.spans),
            section_path=tuple(chunk.section_path),
        )
        for chunk in document.chunks.order_by("index")
    ]
    return quotable_units(hits, "")


@pytest.mark.django_db
def test_every_unit_of_the_sample_guidelines_passes() -> None:
    rows = found = 0
    for path in sorted((ROOT / "samples" / "content").glob("*.txt")):
        for unit in units_of(path.read_text(encoding="utf-8")):
            quotes = tuple(quote.text for quote in unit.quotes)
            for cited in (Cited(quotes), Cited(quotes, unit.context)):
                assert word_for_word(unit.text, cited), unit.text
                assert not [check for check in CHECKS if check(unit.text, cited)]
            assert not [check for check in CHECKS if check(unit.text, Cited((unit.text,)))]
            found += 1
            rows += " | " in quotes[0]
    assert found > 300
    assert rows > 80


HEADER = "Treatment | Onset | Duration"
ROW = "Salbutamol | 30 minutes | 2 to 4 hours"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Treatment: Salbutamol; Onset: 30 minutes; Duration: 2 to 4 hours", True),
        ("Salbutamol | 30 minutes | 2 to 4 hours", True),
        ("Salbutamol; Onset: 30 minutes; 2 to 4 hours", True),
        ("Treatment: Salbutamol; Duration: 30 minutes; Onset: 2 to 4 hours", False),
        ("Treatment: Salbutamol; Onset: 2 to 4 hours; Duration: 30 minutes", False),
        ("Treatment: Salbutamol; Onset: 30 minutes", False),
        ("Treatment: Salbutamol; Onset: 30 minutes; Duration: 2 to 4 hours; stop", False),
        ("", False),
    ],
)
def test_a_row_keeps_its_cells_and_labels(claim: str, expected: bool) -> None:
    assert word_for_word(claim, Cited((ROW, HEADER))) is expected


def test_a_sentence_of_a_quote_is_verbatim_unless_the_next_one_limits_it() -> None:
    quote = "Give aspirin 300 mg. Then rest. However, not after a bleed."
    assert word_for_word("Give aspirin 300 mg.", Cited((quote,)))
    assert not word_for_word("Then rest.", Cited((quote,)))
    assert word_for_word("Then rest. However, not after a bleed.", Cited((quote,)))


def test_no_half_of_a_sentence_is_verbatim() -> None:
    quote = "Do not give aspirin, unless the stroke team agrees."
    for claim in ("give aspirin", "Do not give aspirin", "unless the stroke team agrees"):
        assert not word_for_word(claim, Cited((quote,)))
    assert word_for_word("Do not give aspirin unless the stroke team agrees", Cited((quote,)))


def test_signs_are_read() -> None:
    assert not word_for_word("pH > 7", Cited(("pH < 7",)))
    assert not word_for_word("Keep it at 5", Cited(("Keep it at 5%",)))
