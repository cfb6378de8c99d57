"""Twins, passages with the same content, are one candidate; disabled passages are none."""

import datetime
from typing import Any

import pytest
from django.utils import timezone

from corpus.indexing.statistics import subtract
from corpus.models import Chunk, Document, IndexStatistics, Lexeme
from corpus.services.lifecycle import document_withdraw
from retrieval.config import RetrievalConfig
from retrieval.hits.payload import hits_payload
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Query, Scope
from tests.corpora import embed, publish, vector_of

TODAY = datetime.date(2026, 5, 1)
QUESTION = "What is the dose of demonstracillin?"
DOSE = "# {title}\n## Dose\nGive demonstracillin {dose} every 8 hours{end}"

pytestmark = pytest.mark.django_db


def ask(text: str = QUESTION, query: Query | None = None, **config: Any) -> Evidence:
    return retrieve(query or Query(text, on=TODAY), RetrievalConfig(**config))


def dose(name: str, dose: str = "500 mg", end: str = ".", **fields: Any) -> Document:
    """Publish a document with bytes of its own and the content of others with its title."""
    fields = {"title": "Demonstracillin guideline", "version": name, "sha256": name * 64} | fields
    return publish(DOSE.format(title=fields["title"], dose=dose, end=end), **fields)


def versions(evidence: Evidence) -> list[str]:
    return [hit.version for hit in evidence.hits]


@pytest.mark.parametrize("exact_below", [0, 10_000])
def test_copies_are_one_hit_that_names_the_others(exact_below: int) -> None:
    dose("a", effective_from=datetime.date(2025, 1, 1))
    dose("b", effective_from=datetime.date(2025, 1, 3))
    dose("c", effective_from=datetime.date(2025, 1, 2))
    dose("d", title="Handbook of demonstracillin", effective_from=datetime.date(2024, 1, 1))
    evidence = ask(exact_below=exact_below)
    assert versions(evidence) == ["b"]  # the latest of equal candidates
    assert [len(ranking.entries) for ranking in evidence.trace.rankings] == [1, 1]
    hit = evidence.hits[0]
    assert [(other.version, other.page) for other in hit.also_in] == [("c", 1), ("a", 1), ("d", 1)]
    keys = tuple(f"{name * 64}_p1_c0" for name in "cad")
    assert evidence.trace.also_in == {hit.key: keys}
    assert [other["chunk"] for other in hits_payload(evidence.hits)[0]["also_in"]] == list(keys)
    assert len(ask(exact_below=exact_below, collapse_twins=False).hits) == 4


def test_a_copy_written_in_another_way_is_the_same() -> None:
    dose("a")
    dose("b", "500mg", end="")
    assert len(ask().hits) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"dose": "50 mg"},
        {"dose": "500 mL"},
        {"end": ", not in asthma."},
        {"population": "child"},
        {"title": "Amoxidemonstrin guideline"},
    ],
)
def test_what_differs_in_what_counts_is_found_twice(other: dict[str, str]) -> None:
    dose("a")
    dose("b", **other)
    evidence = ask()
    assert sorted(versions(evidence)) == ["a", "b"]
    assert not any(hit.also_in for hit in evidence.hits)
    assert evidence.trace.also_in == {}


def test_a_population_that_staff_changed_tells_them_apart_at_once() -> None:
    dose("a")
    other = dose("b")
    assert len(ask().hits) == 1
    Document.objects.filter(pk=other.pk).update(population="Child")
    assert len(ask().hits) == 2


def test_only_what_is_in_scope_is_named_and_the_rest_takes_its_place() -> None:
    first, second = dose("a", effective_from=TODAY), dose("b")
    dose("c", lifecycle="DRAFT")
    elsewhere = dose("d", collection="elsewhere")
    (hit,) = ask().hits
    assert {hit.version, *(other.version for other in hit.also_in)} == {"a", "b", "d"}
    narrow = Query(QUESTION, on=TODAY, collections=("elsewhere",))
    (hit,) = ask(query=narrow).hits
    assert (hit.document_id, hit.also_in) == (elsewhere.pk, ())
    document_withdraw(first, by=None, reason="It was wrong.")
    (hit,) = ask().hits
    assert hit.version == "b"
    assert [other.version for other in hit.also_in] == ["d"]
    document_withdraw(second, by=None, reason="It was wrong.")
    assert versions(ask()) == ["d"]
    (old,) = ask(query=Query(QUESTION, on=TODAY, scope=Scope.OUT_OF_DATE)).hits
    assert {old.version, *(other.version for other in old.also_in)} == {"a", "b"}


@pytest.mark.parametrize("exact_below", [0, 10_000])
def test_copies_never_crowd_out_other_passages(exact_below: int) -> None:
    """Thirty copies of the best passage, and lists of five: ten distinct passages are found."""
    first = dose("a")
    passage = first.chunks.get()
    for number in range(30):
        copy = Chunk.objects.create(
            document=first,
            key=f"copy{number:02}",
            index=number + 1,
            page=1,
            context=passage.context,
            text=passage.text,
            spans=passage.spans,
            tokens=passage.tokens,
            search_vector=Chunk.objects.values_list("search_vector", flat=True).get(pk=passage.pk),
            length=passage.length,
            twins=passage.twins,
        )
        embed([copy], vector_of(passage)[None])
    Lexeme.objects.update(document_frequency=31)
    IndexStatistics.objects.update(chunks=31, total_length=31 * passage.length)
    for name in "bcdefghij":
        dose(name, f"{ord(name)} mg")
    limits: Any = {"lexical_candidates": 5, "dense_candidates": 5, "rescored": 5}
    evidence = ask(exact_below=exact_below, **limits)
    for ranking in evidence.trace.rankings:
        assert len({entry.group for entry in ranking.entries}) == 5
    whole = ask(exact_below=exact_below, lexical_candidates=50, dense_candidates=50)
    assert sorted(versions(whole)) == list("abcdefghij")


def test_a_passage_that_the_lists_hold_differently_is_fused_as_one() -> None:
    """Because of long titles each of the two searches may prefer another copy."""
    dose("a", title="Demonstracillin guideline of the hospital")
    dose("b", title="Guideline")
    dose("c", title="Guideline", dose="5 mg")
    fused = ask().trace.fused
    assert len({entry.group for entry in fused}) == len(fused)


def test_a_disabled_passage_is_found_by_no_search() -> None:
    dose("a")
    other = dose("b", "5 mg")
    for scope in (Scope.IN_FORCE, Scope.OUT_OF_DATE):
        for exact_below in (0, 10_000):
            Chunk.objects.filter(document=other).update(disabled_at=timezone.now())
            query = Query(QUESTION, on=TODAY, scope=scope)
            evidence = ask(query=query, exact_below=exact_below)
            names = ["a"] if scope is Scope.IN_FORCE else []
            assert versions(evidence) == names
            assert [len(r.entries) for r in evidence.trace.rankings] == [len(names)] * 2
            Chunk.objects.filter(document=other).update(disabled_at=None)
    assert sorted(versions(ask())) == ["a", "b"]


def test_a_disabled_twin_is_neither_found_nor_named() -> None:
    first = dose("a", effective_from=TODAY)
    dose("b")
    Chunk.objects.filter(document=first).update(disabled_at=timezone.now())
    (hit,) = ask().hits
    assert (hit.version, hit.also_in) == ("b", ())


def test_statistics_count_disabled_passages_until_they_are_deleted() -> None:
    """One passage hardly changes rarity; every count that was added is subtracted in the end."""
    dose("a")
    disabled = dose("b", "5 mg")
    before = list(Lexeme.objects.order_by("lexeme").values_list())
    totals = IndexStatistics.objects.values().get()
    Chunk.objects.filter(document=disabled).update(disabled_at=timezone.now())
    (hit,) = ask().hits
    assert hit.score > 0
    assert all(entry.score > 0 for ranking in [*ask().trace.rankings] for entry in ranking.entries)
    assert list(Lexeme.objects.order_by("lexeme").values_list()) == before
    assert IndexStatistics.objects.values().get() == totals
    for document in Document.objects.all():
        subtract(document.pk)
    assert not Lexeme.objects.filter(document_frequency__gt=0).exists()
    assert IndexStatistics.objects.get().chunks == 0
