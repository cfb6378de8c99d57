"""Test the source viewer over HTTP."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.api.answers import turn_payload
from chat.models import Citation
from corpus.models import Chunk, Document, Lifecycle, Page
from tests.chat.guidelines import DOSE, NOTE, ask, publish_guideline


def citation_of(user: User) -> Citation:
    found = Citation.objects.filter(claim__turn=ask(user)).order_by("pk").first()
    assert found is not None
    return found


def page_of(client: Client, citation: Citation) -> str:
    return client.get(reverse("chat:citation", args=[citation.pk])).content.decode()


def test_the_cited_span_is_painted_on_the_picture(
    clinician: Client, alice: User, guideline: Document
) -> None:
    citation = citation_of(alice)
    assert citation.quote == DOSE
    content = page_of(clinician, citation)
    assert 'viewBox="0 0 595.0 842.0"' in content
    (rect,) = re.findall(r"<rect id=\"cited\"[^>]*>", content)
    assert 'x="70.5" y="98.5" width="331.0" height="17.0"' in rect
    assert content.count("<rect") == 1
    assert f"<blockquote>{DOSE}</blockquote>" in content
    assert f"<mark>{DOSE}</mark>" in content
    assert f"#turn-{citation.claim.turn_id}" in content
    assert "style=" not in content


def test_a_document_without_pictures_is_shown_as_text(clinician: Client, alice: User) -> None:
    publish_guideline(picture=False, filename="pneumonia.md", media_type="text/markdown")
    content = page_of(clinician, citation_of(alice))
    assert "<svg" not in content
    assert "<h2>Treatment" in content
    assert content.count('id="cited"') == 1  # where the link leads, also without JavaScript
    assert f'<mark id="cited">{DOSE}</mark>' in content
    assert "page 1" not in content.lower()
    assert "&lt;b&gt;Stop&lt;/b&gt; &amp; call" in content
    assert NOTE not in content


def test_a_quote_that_is_gone_is_not_painted_elsewhere(
    clinician: Client, alice: User, guideline: Document
) -> None:
    citation = citation_of(alice)
    Page.objects.update(text="Something else entirely. " * 20)
    content = page_of(clinician, citation)
    assert "<rect" not in content
    assert "<mark>" not in content
    assert "no longer found" in content
    assert DOSE in content


def test_a_withdrawn_source_is_shown_with_a_banner(
    clinician: Client, alice: User, guideline: Document
) -> None:
    citation = citation_of(alice)
    Document.objects.update(lifecycle=Lifecycle.WITHDRAWN, withdrawn_reason="Wrong dose.")
    content = page_of(clinician, citation)
    assert "Reason: Wrong dose." in content
    assert '<rect id="cited"' in content


def test_a_passage_is_painted_by_its_key(clinician: Client, guideline: Document) -> None:
    chunk = Chunk.objects.get()
    address = reverse("chat:source", args=[guideline.sha256, 1])
    content = clinician.get(address, {"chunk": chunk.key}).content.decode()
    assert content.count('class="painted"') == 2
    for key in ("", "nonsense", "x" * 5000):
        assert b"<rect" not in clinician.get(address, {"chunk": key}).content


def test_pages_lead_to_each_other(clinician: Client, guideline: Document) -> None:
    guideline.pages.create(number=2, text="", blocks=[], width=0, height=0)
    Document.objects.update(page_count=2)
    first = clinician.get(reverse("chat:source", args=[guideline.sha256, 1])).content.decode()
    second = clinician.get(reverse("chat:source", args=[guideline.sha256, 2])).content.decode()
    assert 'rel="next"' in first
    assert 'rel="prev"' not in first
    assert 'rel="prev"' in second
    assert 'rel="next"' not in second
    assert "holds no text" in second


@pytest.mark.parametrize("number", [0, 2, 10**12])
def test_a_page_that_is_not_there_is_a_404(
    number: int, clinician: Client, guideline: Document
) -> None:
    address = f"/source/{guideline.sha256}/{number}/"
    assert clinician.get(address).status_code == 404
    assert clinician.get(f"{address}image/").status_code == 404


def test_pictures_are_kept_by_the_browser_of_one_person_only(
    clinician: Client, guideline: Document
) -> None:
    response = clinician.get(reverse("chat:page_image", args=[guideline.sha256, 1]))
    assert response["Content-Type"] == "image/webp"
    assert "private" in response["Cache-Control"]
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_original_is_only_ever_a_download(clinician: Client, guideline: Document) -> None:
    Document.objects.update(filename='a "b"\u202e.html', media_type="text/html")
    response = clinician.get(reverse("chat:original", args=[guideline.sha256]))
    assert b"".join(response) == b"%PDF-1.7"
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_lost_file_is_a_404(clinician: Client, guideline: Document, files_dir: Path) -> None:
    for path in files_dir.rglob("*"):
        if path.is_file():
            path.unlink()
    address = reverse("chat:source", args=[guideline.sha256, 1])
    assert b"<svg" not in clinician.get(address).content
    assert clinician.get(f"{address}image/").status_code == 404
    assert clinician.get(reverse("chat:original", args=[guideline.sha256])).status_code == 404


def test_a_document_without_pages_is_cited_by_heading_and_position(
    clinician: Client, alice: User
) -> None:
    publish_guideline(picture=False, filename="pneumonia.md", media_type="text/markdown")
    Chunk.objects.update(position="paragraphs 1 to 2")
    citation = citation_of(alice)
    assert (citation.position, citation.place) == ("paragraph 1", "Treatment, paragraph 1")
    conversation = reverse("chat:conversation", args=[citation.claim.turn.conversation_id])
    shown = " ".join(clinician.get(conversation).content.decode().split())
    assert "1 · v2.1" in shown
    assert "p. 1" not in shown
    assert "Treatment · paragraph" in page_of(clinician, citation)
    (payload,) = turn_payload(citation.claim.turn)["claims"][0]["citations"]
    told = {name: payload[name] for name in ("page", "position", "section_path")}
    assert told == {
        "page": 1,
        "position": "paragraph 1",
        "section_path": ["Pneumonia in adults", "Treatment"],
    }
