"""Test that a citation names a scanned page, and how well it was read."""

import pytest
from django.contrib.auth.models import User

from chat.api.answers import turn_payload
from chat.models import Citation
from corpus.models import Page
from tests.chat.guidelines import ask
from tests.people import client_of

pytestmark = pytest.mark.usefixtures("guideline")

CONFIDENCES = [
    (None, ""),
    (0.95, "read by OCR"),
    (0.9, "read by OCR"),
    (0.899, "read by OCR, confidence 89 %"),
    (0.71, "read by OCR, confidence 71 %"),
    (0.0, "read by OCR, confidence 0 %"),
]


@pytest.mark.parametrize(("confidence", "words"), CONFIDENCES)
def test_the_answer_and_the_page_say_it(alice: User, confidence: float | None, words: str) -> None:
    Page.objects.update(ocr_confidence=confidence)
    turn = ask(alice)
    client = client_of(alice)
    citation = Citation.objects.filter(claim__turn=turn).first()
    assert citation is not None
    answer = client.get(f"/conversations/{turn.conversation_id}/").content.decode()
    page = client.get(f"/source/citation/{citation.pk}/").content.decode()
    for text in (answer, page):
        assert ("OCR" in text) == bool(words)
        assert words in text
        assert ("OCR, confidence" in text) == ("confidence" in words)


@pytest.mark.parametrize("confidence", [None, 0.71])
def test_the_api_gives_the_number(alice: User, confidence: float | None) -> None:
    Page.objects.update(ocr_confidence=confidence)
    claims = turn_payload(ask(alice))["claims"]
    found = {cited["ocr_confidence"] for claim in claims for cited in claim["citations"]}
    assert found == {confidence}


def test_a_page_that_is_not_there_any_more_is_no_scan(alice: User) -> None:
    turn = ask(alice)
    Page.objects.all().delete()
    cited = turn_payload(turn)["claims"][0]["citations"][0]
    assert cited["ocr_confidence"] is None
