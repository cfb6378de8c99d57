"""The text around a hit: of its section, in whole sentences, within the limit."""

import datetime
import random
from dataclasses import replace

import pytest
from django.utils import timezone

from corpus.models import Chunk, Document, Page
from retrieval.config import RetrievalConfig
from retrieval.hits.surroundings import Stretch, surroundings, united, window
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Hit, Query, Surroundings
from tests.corpora import publish

ON = datetime.date(2026, 5, 1)
SENTENCE = "Point {n} of the part on {topic} says something of its own about care and comfort."


def part(topic: str, count: int) -> str:
    return f"## {topic.title()}\n" + "\n".join(
        " ".join(SENTENCE.format(n=n, topic=topic) for n in range(first, first + 3))
        for first in range(0, count, 3)
    )


@pytest.fixture
def guideline(db: None) -> Document:
    return publish(f"# Long guideline\n{part('splints', 42)}\n---\n{part('slings', 18)}")


def found(words: str, *, k: int = 1, max_chars: int = 2000) -> Evidence:
    return retrieve(Query(words, on=ON), RetrievalConfig(k=k, context_chars=max_chars))


def as_on_pages(around: Surroundings) -> str:
    pages = dict(Page.objects.filter(document_id=around.document_id).values_list("number", "text"))
    return "\n".join(pages[span.page][span.start : span.end] for span in around.spans)


def test_a_hit_is_read_with_what_stands_around_it_in_its_section(guideline: Document) -> None:
    evidence = found("point 21 splints")
    (hit,), (around,) = evidence.hits, evidence.surroundings
    assert hit.text in around.text
    assert len(hit.text) + 300 < len(around.text) <= 2000
    assert "slings" not in around.text
    assert around.key == hit.key
    assert around.text == as_on_pages(around)


def test_it_begins_and_ends_with_whole_sentences(guideline: Document) -> None:
    (around,) = found("point 21 splints").surroundings
    assert around.text.startswith("Point ")
    assert around.text.endswith("comfort.")


def test_the_hit_itself_is_as_it_was(guideline: Document) -> None:
    with_context, without = found("point 21 splints"), found("point 21 splints", max_chars=0)
    assert with_context.hits == without.hits
    assert without.surroundings == ()


def test_each_hit_has_its_own_window_in_their_order(guideline: Document) -> None:
    evidence = found("splints care and comfort", k=4)
    assert [one.key for one in evidence.surroundings] == [hit.key for hit in evidence.hits]
    for hit, around in zip(evidence.hits, evidence.surroundings, strict=True):
        assert hit.text in around.text
        assert len(around.text) <= 2000
        assert around.text == as_on_pages(around)


def test_a_window_is_of_the_hits_own_document(db: None) -> None:
    publish(f"# One\n{part('collars', 6)}")
    publish(f"# Two\n{part('collars and braces', 6)}")
    evidence = found("collars", k=4)
    assert [one.document_id for one in evidence.surroundings] == [
        hit.document_id for hit in evidence.hits
    ]
    assert len({one.document_id for one in evidence.surroundings}) == 2


def test_what_somebody_took_out_of_the_search_is_not_read_either(guideline: Document) -> None:
    (hit,) = found("point 21 splints").hits
    for step in (-1, 1):
        Chunk.objects.filter(document=guideline, index=hit.index + step).update(
            disabled_at=timezone.now()
        )
    (around,) = found("point 21 splints").surroundings
    assert around.text == hit.text


def test_nothing_for_no_hits(db: None) -> None:
    assert surroundings([], max_chars=2000) == ()


def test_two_queries_for_any_number_of_hits(
    guideline: Document, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    hits = found("splints slings", k=10).hits
    assert len(hits) > 5
    with django_assert_num_queries(2):  # type: ignore[operator]
        surroundings(hits, max_chars=2000)


def test_the_window_never_exceeds_its_room_and_always_holds_the_hit() -> None:
    seeded = random.Random(7)
    for _ in range(500):
        section = united(
            Stretch(page, start := seeded.randrange(50), start + seeded.randrange(1, 900))
            for page in range(1, seeded.randrange(2, 5))
        )
        within = seeded.choice(section)
        start = seeded.randrange(within.start, within.end)
        own = (Stretch(within.page, start, seeded.randrange(start, within.end) + 1),)
        room = seeded.randrange(1, 2500)
        got = window(own, section, room)
        length = sum(s.end - s.start for s in got)
        whole = sum(s.end - s.start for s in section)
        own_length = own[0].end - own[0].start
        assert length == min(max(room, own_length), whole)
        assert any(s.page == own[0].page and s.start <= start < s.end for s in got)
        assert all(united([*section, s]) == section for s in got)


def test_a_hit_of_a_passage_that_is_gone_has_only_itself(guideline: Document) -> None:
    (hit,) = found("point 21 splints").hits
    gone: Hit = replace(hit, key="gone")
    (around,) = surroundings([gone], max_chars=2000)
    assert around.text == hit.text
