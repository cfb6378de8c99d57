"""`retrieve()` as its callers see it."""

import dataclasses
import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from corpus.encoders.registry import EncoderUnavailable, get_embedder
from corpus.models import Document, Encoder, EncoderState, Page
from corpus.services.lifecycle import document_withdraw
from retrieval.config import RetrievalConfig
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.models import LexiconEntry, Match
from retrieval.pipeline import retrieve
from retrieval.rerank.weights import recency_of
from retrieval.types import Evidence, Query, Scope
from tests.corpora import mark_indexed, publish
from tests.retrieval.dense import scopes
from tests.retrieval.hostile import HANDMADE, random_queries

TODAY = scopes.TODAY
QUESTION = "What is the dose of demonstracillin?"

pytestmark = pytest.mark.django_db

GENTAMICIN = """# Gentamicin in adults
## Dose
Give gentamicin 5 mg/kg once daily by infusion over 30 minutes.
| Clearance | Interval |
| More than 60 | Every 24 hours |
| 20 to 60 | Every 36 hours |
^ * Use ideal body weight in obesity.
---
## Monitoring
Measure the level before the second dose. Stop when the creatinine rises.
"""
WARFARIN = "# Warfarin reversal\n## Bleeding\nGive vitamin K 5 mg intravenously for major bleeding."


def ask(text: str = QUESTION, scope: Scope = Scope.IN_FORCE, **config: Any) -> Evidence:
    return retrieve(Query(text, on=TODAY, scope=scope), RetrievalConfig(**config))


def titles(evidence: Evidence) -> set[str]:
    return {hit.title for hit in evidence.hits}


@pytest.fixture
def corpus(db: None) -> None:
    publish(GENTAMICIN)
    publish(WARFARIN, collection="blood")


def test_finds_the_passage_and_fills_it(corpus: None) -> None:
    hit = ask("How much vitamin K for bleeding?").hits[0]
    assert (hit.title, hit.page, hit.section) == (
        "Warfarin reversal", 1, "Bleeding"
    )  # fmt: skip
    assert (hit.collection, hit.owner_name, hit.owner_contact) == ("blood", "Dr blood", "4417")
    assert (hit.rank, hit.version, hit.lifecycle) == (1, "1.0", "PUBLISHED")


def test_every_span_is_the_text_of_its_page(corpus: None) -> None:
    hits = ask("gentamicin dose interval level").hits
    assert {span.page for hit in hits for span in hit.spans} >= {1, 2}
    for hit in hits:
        for span in hit.spans:
            page = Page.objects.get(document=hit.document_id, number=span.page)
            piece = hit.text[span.offset : span.offset + span.end - span.start]
            assert piece == page.text[span.start : span.end] != ""


def test_features_of_a_hit_follow_their_definitions(corpus: None) -> None:
    evidence = ask("gentamicin infusion zebra")
    asked = get_embedder().encode(["gentamicin infusion zebra"])[0]
    assert evidence.trace.lexemes == ("gentamicin", "infus", "zebra")
    for hit in evidence.hits:
        own = get_embedder().encode([f"{hit.context}\n{hit.text}"])[0]
        assert hit.cosine == pytest.approx(float(own @ asked), abs=2e-3)
        assert 0.0 <= hit.coverage < 1.0  # no passage mentions zebras
    assert ask("the of").hits[0].coverage == 0.0
    assert ask("gentamicin").hits[0].coverage == 1.0


def test_the_trace_holds_every_list_and_the_hits_are_their_fusion(corpus: None) -> None:
    evidence = ask("gentamicin level", k=2)
    lexical, dense = evidence.trace.rankings
    assert (lexical.name, dense.name) == ("lexical", "dense:minilm")
    assert evidence.trace.fused == reciprocal_rank_fusion([lexical, dense], k=10)
    assert [(h.chunk_id, h.rank, h.score) for h in evidence.hits] == [
        (e.chunk_id, e.rank, e.score) for e in evidence.trace.fused[:2]
    ]
    steps = ["analysis", "variants", "lexemes", "embedding", "lexical", "dense", "fusion"]
    steps += ["twins", "hits", "rerank", "context"]
    assert sorted(evidence.trace.durations_ms) == sorted(steps)
    assert evidence.trace.on == TODAY


def test_the_same_query_gives_the_same_evidence(corpus: None) -> None:
    first, second = ask("gentamicin level"), ask("gentamicin level")
    assert first.hits == second.hits
    assert first.trace.fused == second.trace.fused
    assert first.trace.fingerprint == second.trace.fingerprint


# One query each: encoders and lexicon; lexemes and the size of the index; lexical; dense; twins;
# passages. A convex sum needs one more, for scores of passages that only the other side found.
SMALL = 6


def test_queries_do_not_grow_with_the_hits(corpus: None, django_assert_num_queries: Any) -> None:
    ask()
    for k in (1, 10):
        with django_assert_num_queries(SMALL):
            ask("gentamicin level", k=k)
        with django_assert_num_queries(SMALL + 1):
            ask("gentamicin level", k=k, fusion="convex")
        # A large index is scanned by its graph, and exactly once more because that finds too few.
        with django_assert_num_queries(SMALL + 1):
            ask("gentamicin level", k=k, exact_below=0)


def test_a_further_wording_costs_its_searches(corpus: None, django_assert_num_queries: Any) -> None:
    ask()  # refreshes the process's cache of the index's languages
    with django_assert_num_queries(SMALL + 3):  # lexemes, lexical, dense
        ask("Which is LEAST likely to raise the gentamicin level?")


def test_what_changes_counts_for_the_next_question(corpus: None) -> None:
    """One statement reads the site's lexicon and encoders for each question."""
    assert "bleed" not in ask("xyzzy").trace.lexemes
    entry = LexiconEntry.objects.create(short="xyzzy", words="bleeding", match=Match.ANY_CASE)
    evidence = ask("xyzzy")
    assert "bleed" in evidence.trace.lexemes
    assert evidence.hits[0].title == "Warfarin reversal"
    entry.delete()
    assert "bleed" not in ask("xyzzy").trace.lexemes
    Encoder.objects.update(state=EncoderState.BUILDING)
    with pytest.raises(EncoderUnavailable):
        ask("xyzzy")


@pytest.mark.parametrize("exact_below", [0, 10_000])
def test_scopes(exact_below: int) -> None:
    documents = scopes.one_of_each()
    for scope, names in (
        (Scope.IN_FORCE, scopes.IN_FORCE),
        (Scope.OUT_OF_DATE, scopes.OUT_OF_DATE),
    ):
        assert titles(ask(scope=scope, exact_below=exact_below, k=50)) == names
    seen = scopes.IN_FORCE | scopes.OUT_OF_DATE
    assert documents.keys() == seen | scopes.NEVER


def test_a_document_comes_into_force_on_its_day() -> None:
    publish(scopes.TEXT.format(title="new"), effective_from=TODAY + datetime.timedelta(days=1))
    assert not ask().hits
    tomorrow = Query(QUESTION, on=TODAY + datetime.timedelta(days=1))
    assert titles(retrieve(tomorrow)) == {"new"}


def test_a_withdrawal_counts_from_the_next_query_on() -> None:
    document = publish(scopes.TEXT.format(title="one"))
    assert titles(ask()) == {"one"}
    document_withdraw(document, by=None, reason="It was wrong.")
    assert not ask().hits
    assert titles(ask(scope=Scope.OUT_OF_DATE)) == {"one"}


def test_a_half_indexed_document_is_found_when_it_is_whole() -> None:
    document = publish(scopes.TEXT.format(title="one"), indexed=False)
    assert not ask().hits
    mark_indexed(document)
    assert titles(ask()) == {"one"}
    Document.objects.filter(pk=document.pk).update(indexed_at=None)
    assert not ask().hits
    Document.objects.filter(pk=document.pk).update(indexed_at=timezone.now())
    assert ask().hits


def test_collections_limit_both_searches(corpus: None) -> None:
    query = Query("gentamicin bleeding dose", on=TODAY, collections=("blood",))
    evidence = retrieve(query)
    assert titles(evidence) == {"Warfarin reversal"}
    for ranking in evidence.trace.rankings:
        assert len(ranking.entries) == 1
    assert not retrieve(Query("gentamicin", on=TODAY, collections=("nowhere",))).hits


def test_ties_are_decided_by_key() -> None:
    for sha in "cab":
        publish("# Same\nThe very same words of advice.", title="Same", sha256=sha * 64)
    hits = ask("words of advice", collapse_twins=False).hits
    assert [hit.sha256[0] for hit in hits] == ["a", "b", "c"]


def test_nothing_indexed_finds_nothing() -> None:
    evidence = ask()
    assert evidence.hits == ()
    assert evidence.trace.fused == ()


def test_hostile_queries_never_raise(corpus: None) -> None:
    for text in [*HANDMADE, *random_queries(40, seed=12)]:
        ask(text)


OTHER: dict[type, Callable[[Any], Any]] = {
    bool: lambda value: not value,
    int: lambda value: value + 1,
    float: lambda value: value + 1,
    str: lambda value: f"not {value}",
    tuple: lambda value: (*value, "another"),
}


def test_every_setting_changes_the_fingerprint() -> None:
    base = RetrievalConfig()
    prints = {base.fingerprint("weights")}
    for field in dataclasses.fields(RetrievalConfig):
        value = getattr(base, field.name)
        changes: dict[str, Any] = {field.name: OTHER[type(value)](value)}
        changed = dataclasses.replace(base, **changes)
        prints.add(changed.fingerprint("weights"))
    prints.add(base.fingerprint("other weights"))
    assert len(prints) == len(dataclasses.fields(RetrievalConfig)) + 2
    assert all(len(text) == 16 for text in prints)
    assert base.fingerprint("weights") == RetrievalConfig().fingerprint("weights")


def test_a_candidate_of_one_side_has_the_score_of_the_other_too(corpus: None) -> None:
    few: dict[str, Any] = {"lexical_candidates": 1, "dense_candidates": 2}
    evidence = ask("gentamicin level in renal impairment", fusion="convex", **few)
    assert [len(ranking.entries) for ranking in evidence.trace.rankings] == [1, 2]
    deep = ask("gentamicin level in renal impairment")
    scores = {entry.key: entry.score for entry in deep.trace.rankings[0].entries}
    cosines = {entry.key: entry.score for entry in deep.trace.rankings[1].entries}
    fused = evidence.trace.fused
    most_bm25 = max(scores.get(entry.key, 0.0) for entry in fused)
    most_cosine = max(cosines[entry.key] for entry in fused)
    for entry in fused:
        expected = 0.2 * scores.get(entry.key, 0.0) / most_bm25
        expected += 0.8 * (cosines[entry.key] + 1) / (most_cosine + 1)
        assert entry.score == pytest.approx(expected, abs=1e-6)


def test_what_a_search_scored_is_the_score_that_is_fused(
    corpus: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    few: dict[str, Any] = {"lexical_candidates": 1, "dense_candidates": 2, "fusion": "convex"}
    question = "How much vitamin K for bleeding?"
    fused = ask(question, **few).trace.fused
    monkeypatch.setattr("retrieval.pipeline._of", lambda ids, scores: {})  # none kept
    again = ask(question, **few).trace.fused
    assert [(entry.key, entry.score) for entry in fused] == [
        (entry.key, entry.score) for entry in again
    ]
    assert len(fused) > 1


def test_every_wording_gives_lists_of_its_own(corpus: None) -> None:
    question = "Which is LEAST likely to raise the gentamicin level?"
    evidence = ask(question)
    assert [variant.name for variant in evidence.trace.variants] == ["question", "rule:negation"]
    assert [ranking.name for ranking in evidence.trace.rankings] == [
        *("lexical", "dense:minilm"),
        *("lexical:rule:negation", "dense:minilm:rule:negation"),
    ]
    assert len(ask(question, rules=False).trace.rankings) == 2


def test_the_question_is_scored_though_a_side_is_off(corpus: None) -> None:
    for side in ({"lexical": "none"}, {"dense": False}):
        (best, *_) = ask("gentamicin level", **side).hits
        assert best.cosine > 0.3
        assert best.coverage > 0.5


def test_summaries_give_candidates_where_that_is_set(corpus: None) -> None:
    assert "summaries" not in {r.name for r in ask("gentamicin level").trace.rankings}
    evidence = ask("gentamicin level", summaries=True)
    assert evidence.trace.rankings[-1].name == "summaries"


def test_recency_counts_from_the_day_of_the_question(corpus: None) -> None:
    Document.objects.update(year=2001)
    found = [
        retrieve(
            Query("gentamicin dose", on=datetime.date(year, 6, 1)),
            RetrievalConfig(recency_weight=0.3),
        ).trace.rerank_parts
        for year in (2001, 2011, 2026)
    ]
    for parts, year in zip(found, (2001, 2011, 2026), strict=True):
        assert parts
        assert {one["recency"] for one in parts.values()} == {recency_of(2001, today=year)}


def test_an_encoder_that_fails_fails_the_search(
    corpus: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even while statements are under way on the connection."""

    def fails(*args: Any) -> None:
        raise EncoderUnavailable("It is away.")

    monkeypatch.setattr("retrieval.pipeline._vectors", fails)
    with pytest.raises(EncoderUnavailable, match="It is away"):
        ask()
    monkeypatch.undo()
    assert ask().hits  # the connection still works
