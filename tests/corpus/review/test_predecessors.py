"""Test which published documents another one may be a new version of."""

from typing import Any

import pytest

from corpus.models import Document, Lifecycle
from corpus.review.versions import signature
from corpus.selectors import predecessors_suggested
from corpus.services.indexing import document_index
from tests.corpora import shelf
from tests.corpus.documents import guideline, ingest
from tests.people import narrow

pytestmark = pytest.mark.django_db

TEXT = guideline("# Gentamicin", sections=12)


def made(name: str, text: str = "", **fields: Any) -> Document:
    values = {"title": name, "collection": shelf(), "lifecycle": Lifecycle.PUBLISHED} | fields
    sha256 = name.encode().hex().ljust(64, "0")[:64]
    return Document.objects.create(
        sha256=sha256, size_bytes=1, signature=signature([text]) if text else [], **values
    )


def suggested(document: Document) -> list[str]:
    return [suggestion.document.title for suggestion in predecessors_suggested(document)]


def test_reading_a_document_keeps_its_sketch() -> None:
    document = ingest(TEXT)
    document_index(document.pk)
    document.refresh_from_db()
    pages = document.pages.order_by("number").values_list("text", flat=True)
    assert document.signature == signature(pages)
    assert document.signature


def test_a_like_title_and_a_like_text_are_offered_with_reasons() -> None:
    made("Gentamicin dosing v1", TEXT)
    made("Aminoglycosides", TEXT)
    made("Sepsis", "Take blood cultures first. Then give fluids quickly.")
    new = made("Gentamicin dosing v2", TEXT + "Ask a pharmacist.", lifecycle=Lifecycle.DRAFT)
    first, second = predecessors_suggested(new)
    assert (first.document.title, second.document.title) == ("Gentamicin dosing v1", "Aminoglycosides")  # noqa: E501  # fmt: skip
    assert first.score > 0.9 > second.score > 0.5
    assert first.why.startswith("the same title, 9")
    assert second.why.endswith("% of the wording in common")


@pytest.mark.parametrize("lifecycle", [x for x in Lifecycle if x != Lifecycle.PUBLISHED])
def test_only_what_is_published_can_be_replaced(lifecycle: Lifecycle) -> None:
    made("Gentamicin v1", TEXT, lifecycle=lifecycle)
    assert suggested(made("Gentamicin v2", TEXT, lifecycle=Lifecycle.DRAFT)) == []


def test_a_document_is_no_version_of_itself_nor_of_what_is_unlike() -> None:
    new = made("Gentamicin", TEXT)
    made("Gentamicin and the kidney in old age", "Measure the creatinine twice a week.")
    assert suggested(new) == []


def test_another_population_is_never_likely() -> None:
    made("Gentamicin", TEXT, population="children")
    (only,) = predecessors_suggested(made("Gentamicin v2", TEXT, population="adult"))
    assert only.score == 0.5
    assert "another population" in only.why


@pytest.mark.parametrize(("old", "new"), [("Adults", " adults "), ("", "adults"), ("adults", "")])
def test_the_same_population_or_one_not_said_is_as_likely_as_ever(old: str, new: str) -> None:
    made("Gentamicin", TEXT, population=old)
    (only,) = predecessors_suggested(made("Gentamicin v2", TEXT, population=new))
    assert only.score > 0.9
    assert "population" not in only.why


def test_the_own_collection_stands_first() -> None:
    made("Gentamicin 2020", TEXT, collection=shelf("other"))
    made("Gentamicin old", TEXT)
    new = made("Gentamicin 2025", TEXT, lifecycle=Lifecycle.REVIEW)
    assert suggested(new) == ["Gentamicin old", "Gentamicin 2020"]


def test_what_is_not_open_to_all_is_offered_to_nobody_outside() -> None:
    made("Gentamicin secret", TEXT, collection=shelf("blood"))
    narrow(shelf("blood"), "searchers", "Haematology")
    assert suggested(made("Gentamicin 2025", TEXT)) == []
    inside = made("Gentamicin 2026", TEXT, collection=shelf("blood"), lifecycle=Lifecycle.DRAFT)
    assert suggested(inside)[0] == "Gentamicin secret"


def test_five_at_most_for_few_queries(django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        made(f"Gentamicin, edition {number}", TEXT)
    new = made("Gentamicin", TEXT, lifecycle=Lifecycle.DRAFT)
    with django_assert_max_num_queries(3):
        assert len(predecessors_suggested(new)) == 5
