"""A user's rights are a condition in the SQL of every search."""

import datetime
import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from corpus.access import collections_searchable
from corpus.models import Document, Lifecycle
from corpus.services.lifecycle import document_withdraw
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Query, Rights, Scope
from tests.corpora import publish, shelf
from tests.people import narrow, person

TODAY = datetime.date(2026, 5, 1)
QUESTION = "dose of demonstracillin"
SHELVES = {"open": (), "blood": ("Haematology",), "both": ("Haematology", "Surgery"), "empty": ("Nobody",)}  # noqa: E501  # fmt: skip


@pytest.fixture
def readers(db: None) -> dict[str, int | None]:
    closed = person("closed", "Haematology")
    User.objects.filter(pk=closed.pk).update(is_active=False)
    gone = person("gone", "Haematology").pk
    User.objects.filter(pk=gone).delete()
    return {
        "nobody": None,
        "stranger": person("stranger").pk,
        "haematologist": person("haematologist", "Haematology").pk,
        "surgeon": person("surgeon", "Surgery").pk,
        "both": person("in both", "Haematology", "Surgery").pk,
        "superuser": person("root", is_superuser=True).pk,
        "closed account": closed.pk,
        "deleted account": gone,
    }


@pytest.fixture
def shelves(db: None) -> None:
    for slug, groups in SHELVES.items():
        publish(f"# {slug}\nThe dose of demonstracillin in {slug} is 5 mg.", collection=slug)
        old = f"# {slug} of old\nThe dose of demonstracillin in {slug} was 9 mg."
        publish(old, collection=slug, lifecycle=Lifecycle.SUPERSEDED)
        narrow(shelf(slug), "searchers", *groups)


def rankings(query: Query, **config: Any) -> list[set[str]]:
    """Return the collections found by lexical search, by dense search, and among the hits."""
    evidence = retrieve(query, RetrievalConfig(**config))
    of = dict(Document.objects.values_list("sha256", "collection__slug"))
    lists = [ranking.entries for ranking in evidence.trace.rankings]
    found = [{of[entry.key.split("_")[0]] for entry in entries} for entries in lists]
    return [*found, {hit.collection for hit in evidence.hits}]


FINDS = {
    "nobody": {"open"},
    "stranger": {"open"},
    "haematologist": {"open", "blood", "both"},
    "surgeon": {"open", "both"},
    "both": {"open", "blood", "both"},
    "superuser": set(SHELVES),
    "closed account": set(),
    "deleted account": set(),
}


@pytest.mark.parametrize("exact_below", [0, 10_000])
@pytest.mark.parametrize("scope", Scope)
def test_each_list_holds_what_the_reader_may_search_and_nothing_else(
    readers: dict[str, int | None], shelves: None, scope: Scope, exact_below: int
) -> None:
    for who, expected in FINDS.items():
        query = Query(QUESTION, on=TODAY, scope=scope, reader=readers[who])
        assert rankings(query, exact_below=exact_below) == [expected] * 3, who


def test_what_is_hidden_is_exactly_the_rest(readers: dict[str, int | None], shelves: None) -> None:
    for who, expected in FINDS.items():
        query = Query(QUESTION, on=TODAY, reader=readers[who], rights=Rights.HIDDEN)
        assert rankings(query) == [set(SHELVES) - expected] * 3, who
    assert rankings(Query(QUESTION, on=TODAY, rights=Rights.ALL)) == [set(SHELVES)] * 3


def test_the_sql_of_the_search_and_the_selector_say_the_same(
    readers: dict[str, int | None], shelves: None
) -> None:
    for who, pk in readers.items():
        if who == "deleted account":
            continue  # has no user row for the selector
        user = User.objects.get(pk=pk) if pk else None
        slugs = {collection.slug for collection in collections_searchable(user)}
        assert slugs & set(SHELVES) == FINDS[who], who


def test_to_name_a_collection_gives_no_right_to_it(
    readers: dict[str, int | None], shelves: None
) -> None:
    query = Query(QUESTION, on=TODAY, collections=("blood",), reader=readers["stranger"])
    assert rankings(query) == [set()] * 3


def test_a_twin_that_is_not_open_is_not_named_and_does_not_hide_the_one_that_is(
    readers: dict[str, int | None],
) -> None:
    text = "# {}\n## Dose\nGive demonstracillin 500 mg every 8 hours."
    title = "Demonstracillin guideline"
    later = datetime.date(2026, 2, 1)
    open_ = publish(text.format(title), title=title, sha256="a" * 64, effective_from=TODAY)
    for sha in "bc":
        publish(text.format(title), title=title, sha256=sha * 64, collection="blood", version=sha, effective_from=later)  # noqa: E501  # fmt: skip
    narrow(shelf("blood"), "searchers", "Haematology")
    (hit,) = retrieve(Query(QUESTION, on=TODAY, reader=readers["stranger"])).hits
    assert (hit.sha256, hit.also_in) == (open_.sha256, ())
    (hit,) = retrieve(Query(QUESTION, on=TODAY, reader=readers["haematologist"])).hits
    assert {hit.version, *(other.version for other in hit.also_in)} == {"1.0", "b", "c"}


def test_a_right_that_was_taken_counts_for_the_very_next_query(
    readers: dict[str, int | None], shelves: None
) -> None:
    query = Query(QUESTION, on=TODAY, reader=readers["surgeon"])
    assert rankings(query)[2] == {"open", "both"}
    narrow(shelf("both"), "searchers", "Haematology")
    assert rankings(query)[2] == {"open"}
    narrow(shelf("both"), "searchers")
    assert rankings(query)[2] == {"open", "both"}


def test_a_withdrawal_on_another_connection_counts_for_the_very_next_query(
    own_database: str,
) -> None:
    document = publish("# Cough\nThe dose of demonstracillin is 5 mg.")
    query = Query(QUESTION, on=TODAY)
    assert retrieve(query).hits

    def withdraw() -> None:
        try:
            document_withdraw(
                Document.objects.get(pk=document.pk), by=None, reason="Harm was reported."
            )
        finally:
            connection.close()

    thread = threading.Thread(target=withdraw)
    thread.start()
    thread.join()
    assert retrieve(query).hits == ()
    assert retrieve(Query(QUESTION, on=TODAY, scope=Scope.OUT_OF_DATE)).hits


@pytest.mark.parametrize(
    ("confidences", "lowest"), [((None, None), None), ((0.95, 0.71), 0.71), ((None, 0.99), 0.99)]
)
@pytest.mark.django_db
def test_a_hit_knows_how_badly_its_pages_were_read(
    confidences: tuple[float | None, ...], lowest: float | None
) -> None:
    document = publish("# Cough\nThe dose of demonstracillin is 5 mg.\n---\nGive it at night.")
    document.chunks.update(spans=[[1, 0, 5], [2, 0, 5]])
    for number, confidence in enumerate(confidences, start=1):
        document.pages.filter(number=number).update(ocr_confidence=confidence)
    assert {hit.ocr_confidence for hit in retrieve(Query(QUESTION, on=TODAY)).hits} == {lowest}
