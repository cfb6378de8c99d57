"""Passages found by their section's summary have the same scope as passages found directly."""

import pytest
from django.contrib.auth.models import Group, User
from pytest_django import Settings

from corpus.encoders.registry import ActiveEncoder, active_encoders
from corpus.models import Chunk, Document, SectionSummary
from corpus.services.passages import chunk_disable
from corpus.services.summaries import document_summarise
from retrieval.config import RetrievalConfig
from retrieval.dense.summaries import LEAVES, search_summaries
from retrieval.pipeline import retrieve
from retrieval.types import Filters, Query, Ranking, Rights, Scope
from tests.corpora import publish, shelf
from tests.retrieval.dense.scopes import IN_FORCE, NEVER, OUT_OF_DATE, TODAY, one_of_each

pytestmark = pytest.mark.django_db
TOPICS = {
    "Sepsis": "Crystalloid fluid is infused quickly when the blood pressure is low.",
    "Migraine": "A triptan tablet is taken early when the headache begins.",
    "Asthma": "Salbutamol is inhaled by a spacer when breathing is hard.",
}


@pytest.fixture(autouse=True)
def extractive(settings: Settings) -> None:
    settings.SUMMARIES = "extractive"


def about(title: str, **fields: object) -> Document:
    lines = [f"{TOPICS[title]} This is point {n} of the guideline on it." for n in range(40)]
    document = publish("\n".join([f"# {title}", *lines]), title=title, **fields)  # type: ignore[arg-type]
    assert document_summarise(document)
    assert document.summaries.exists()
    return document


def ask(text: str, encoder: ActiveEncoder | None = None, **limits: object) -> Ranking:
    encoder = encoder or active_encoders()[0]
    vector = encoder.embedder.encode_queries([text])[0].tolist()
    query = Query(text, on=TODAY, **limits)  # type: ignore[arg-type]
    return search_summaries(query, vector, RetrievalConfig(), encoder)


def titles(ranking: Ranking) -> list[str]:
    found = Chunk.objects.select_related("document").in_bulk([e.chunk_id for e in ranking.entries])
    return [found[entry.chunk_id].document.title for entry in ranking.entries]


def test_the_nearest_section_gives_its_best_passages_first() -> None:
    for title in TOPICS:
        about(title)
    ranking = ask("fluid when the blood pressure is low")
    assert ranking.name == "summaries"
    assert titles(ranking)[:LEAVES] == ["Sepsis"] * LEAVES
    assert len(ranking.entries) == 3 * LEAVES
    assert [e.rank for e in ranking.entries] == list(range(1, 3 * LEAVES + 1))
    assert [e.score for e in ranking.entries] == [1 / e.rank for e in ranking.entries]
    assert len({e.key for e in ranking.entries}) == 3 * LEAVES
    assert ask("fluid when the blood pressure is low").entries == ranking.entries


def test_entries_are_passages_and_never_summaries() -> None:
    document = about("Sepsis")
    keys = set(document.chunks.values_list("key", flat=True))
    assert {entry.key for entry in ask("fluid").entries} <= keys


def test_without_summaries_it_is_empty() -> None:
    publish("# Sepsis\nGive fluid.")
    assert ask("fluid").entries == ()


def test_scopes_are_those_of_every_search() -> None:
    documents = one_of_each()
    by_scope = {Scope.IN_FORCE: IN_FORCE, Scope.OUT_OF_DATE: OUT_OF_DATE}
    for document in documents.values():
        _summary_over(document)
    for scope, expected in by_scope.items():
        found = set(titles(ask("dose of demonstracillin", scope=scope)))
        assert found == expected
        assert not found & NEVER


def _summary_over(document: Document) -> None:
    """Store a summary of a document that is too short to get one."""
    encoder = active_encoders()[0]
    text = f"{document.title}: the dose of demonstracillin"
    vector = encoder.embedder.encode([text])[0].tolist()
    SectionSummary.objects.create(
        document=document,
        encoder_id=encoder.pk,
        first_index=0,
        last_index=0,
        text=text,
        embedding=vector,
    )


def test_rights_and_filters_narrow_it(alice: User, bob: User) -> None:
    about("Sepsis", collection="secret", specialty="intensive care", year=2020)
    about("Migraine", specialty="neurology", year=2024)
    group = Group.objects.create(name="readers")
    shelf("secret").searchers.add(group)
    alice.groups.add(group)
    assert set(titles(ask("fluid", reader=alice.pk))) == {"Sepsis", "Migraine"}
    assert set(titles(ask("fluid", reader=bob.pk))) == {"Migraine"}
    assert set(titles(ask("fluid"))) == {"Migraine"}
    assert set(titles(ask("fluid", rights=Rights.HIDDEN))) == {"Sepsis"}
    assert set(titles(ask("fluid", collections=("secret",), rights=Rights.ALL))) == {"Sepsis"}
    newer = Filters(year_from=2022)
    assert set(titles(ask("fluid", rights=Rights.ALL, filters=newer))) == {"Migraine"}


def test_what_may_not_be_seen_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.dense.summaries.SUMMARIES", 1)
    about("Sepsis", collection="secret")
    about("Asthma")
    shelf("secret").searchers.add(Group.objects.create(name="readers"))
    assert set(titles(ask("fluid when the blood pressure is low"))) == {"Asthma"}


def test_a_disabled_passage_is_not_led_to() -> None:
    document = about("Sepsis")
    best = ask("fluid").entries[0]
    chunk_disable(document.chunks.get(pk=best.chunk_id), by=None, reason="Wrong.")
    found = ask("fluid").entries
    assert best.key not in {entry.key for entry in found}
    assert len(found) == LEAVES


def test_passages_that_say_the_same_stand_once() -> None:
    for version in ("1.0", "2.0"):
        lines = [f"{TOPICS['Sepsis']} This is point {n} of the guideline on it." for n in range(40)]
        text = "\n".join(["# Sepsis", *lines])
        document = publish(text, title="Sepsis", sha256=version * 21 + "x", version=version)
        document_summarise(document)
    groups = [entry.group for entry in ask("fluid").entries]
    assert len(groups) == len(set(groups))


def test_another_encoders_summaries_are_not_compared() -> None:
    about("Sepsis")
    encoder = active_encoders()[0]
    other = ActiveEncoder(
        encoder.pk + 1,
        "other",
        encoder.table,
        encoder.storage,
        encoder.dimensions,
        encoder.embedder,
    )
    assert ask("fluid", other).entries == ()


def test_evidence_holds_no_summary() -> None:
    document = about("Sepsis")
    texts = {row.text for row in document.summaries.all()}
    hits = retrieve(Query("fluid", on=TODAY)).hits
    assert hits
    assert not {hit.text for hit in hits} & texts
    keys = set(document.chunks.values_list("key", flat=True))
    assert {hit.key for hit in hits} <= keys
