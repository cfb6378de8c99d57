"""Test that the incremental statistics equal a count of the whole index."""

import datetime
import random
import re
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from core.language.configurations import configuration_of
from corpus.indexing import search_vectors, statistics
from corpus.models import Chunk, Document, IndexStatistics, Lexeme
from retrieval.config import RetrievalConfig
from retrieval.lexical.search import asked_lexemes, search_lexical
from retrieval.types import Query, Ranking
from tests.corpora import mark_indexed, publish

pytestmark = pytest.mark.django_db
WORDS = "gentamicin level dose insulin tea rest no not 5 mg Sjögren β-blocker IL-6".split()
LANGUAGES = ["en", "de", "fr", "xx"]


def counted() -> tuple[dict[str, int], int, int, dict[str, int]]:
    """Count the statistics in Python, from the text of the search vectors."""
    lexemes, configurations, length, chunks = Counter[str](), Counter[str](), 0, 0
    rows = Chunk.objects.filter(document__indexed_at__isnull=False)
    for vector, how in rows.values_list("search_vector", "document__search_configuration"):
        entries = re.findall(r"'((?:[^']|'')+)'(?::([\d,A-D]+))?", str(vector))
        lexemes.update(name for name, _ in entries)
        length += sum(places.count(",") + 1 for _, places in entries if places)
        configurations[how] += 1
        chunks += 1
    return dict(lexemes), chunks, length, dict(configurations)


def stored() -> tuple[dict[str, int], int, int, dict[str, int]]:
    rows = Lexeme.objects.filter(document_frequency__gt=0)
    total = IndexStatistics.objects.get()
    lexemes = dict(rows.values_list("lexeme", "document_frequency"))
    return lexemes, total.chunks, total.total_length, total.configurations


def write(document: Document, generator: random.Random) -> None:
    """Give the document's passages other words, and index them in its present language."""
    document.search_configuration = configuration_of(document.language)
    document.save()
    for chunk in document.chunks.all():
        chunk.text = " ".join(generator.choices(WORDS, k=generator.randrange(1, 40)))
        chunk.search_vector = None
        chunk.save()
    search_vectors.write(list(document.chunks.all()))


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_changes_leaves_them_as_a_recount_does(seed: int) -> None:
    generator = random.Random(seed)
    documents = [
        publish(f"# {n}\n{' '.join(WORDS[: n + 3])}\n## More\nTea {n}.", language=LANGUAGES[n])
        for n in range(4)
    ]
    for _ in range(25):
        document = generator.choice(documents)
        document.refresh_from_db()
        if document.indexed_at:
            statistics.subtract(document.pk)
            document.indexed_at = None
            document.language = generator.choice(LANGUAGES)
            document.save()
            write(document, generator)
        if generator.random() < 0.7:
            mark_indexed(document)
        assert stored() == counted()
        assert not statistics.drift()
    step_by_step = stored()
    statistics.recount()
    assert stored() == step_by_step


def test_an_empty_index_counts_nothing() -> None:
    document = publish("# One\nTea.")
    statistics.subtract(document.pk)
    total = IndexStatistics.objects.get()
    assert (total.chunks, total.total_length, total.configurations) == (0, 0, {})
    assert not Lexeme.objects.filter(document_frequency__gt=0).exists()


def test_drift_is_told_and_mended() -> None:
    publish("# One\nTea and rest.")
    assert "agree" in run()
    Lexeme.objects.filter(lexeme="tea").update(document_frequency=7)
    IndexStatistics.objects.update(chunks=9)
    assert statistics.drift() == statistics.Drift(lexemes=1, totals=True)
    with pytest.raises(SystemExit):
        run()
    assert "counted again" in run("--repair")
    assert not statistics.drift()
    assert stored() == counted()


def run(*options: str) -> str:
    out = StringIO()
    call_command("index_statistics", *options, stdout=out)
    return out.getvalue()


def search(text: str, **options: Any) -> Ranking:
    query = Query(text, on=datetime.date(2026, 5, 1))
    return search_lexical(query, asked_lexemes(text, spelled=(), **options), RetrievalConfig())


def test_a_passage_is_found_in_the_language_of_its_document() -> None:
    german = publish("# Asthma\nKortisonsprays nicht absetzen.", language="de")
    french = publish("# Asthme\nLes hépatites chroniques.", language="fr")
    english = publish("# Asthma\nDo not stop inhaled steroids.")
    assert titles(search("Kortisonspray absetzen", language="de")) == {german.pk}
    assert titles(search("hépatite chronique", language="fr")) == {french.pk}
    assert titles(search("hepatite chronique", language="fr")) == {french.pk}
    assert titles(search("steroid inhaler")) == {english.pk}
    # Each word is searched as every language stems it, a negation in all languages.
    assert titles(search("chronique")) == {french.pk}
    assert titles(search("not")) == {german.pk, english.pk}


def test_a_question_in_one_language_asks_for_nothing_more_because_of_the_others() -> None:
    publish("# Asthma\nDo not stop inhaled steroids.")
    alone = asked_lexemes("What is the dose of steroids?", spelled=())
    publish("# Asthma\nKortisonsprays nicht absetzen.", language="de")
    among = asked_lexemes("What is the dose of steroids?", spelled=())
    assert [a.lexeme for a in among] == [a.lexeme for a in alone] == ["dose", "steroid"]
    held = {"dosis", "steroid"}
    assert [a.is_held(held) for a in alone] == [a.is_held(held) for a in among]
    narrowed = asked_lexemes("What is the dose?", languages=("en",), spelled=())
    assert [a.forms for a in narrowed] == [frozenset()]


def test_only_a_whole_index_of_one_language_is_cut_once() -> None:
    publish("# Asthma\nDo not stop inhaled steroids.")
    asked_lexemes("steroids", spelled=())
    with connection.execute_wrapper(count := Count()):
        asked_lexemes("steroids", spelled=())
    assert count.statements == 1


class Count:
    def __init__(self) -> None:
        self.statements = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.statements += 1
        return execute(sql, params, many, context)


def titles(ranking: Ranking) -> set[int]:
    chunks = Chunk.objects.filter(pk__in=[entry.chunk_id for entry in ranking.entries])
    return set(chunks.values_list("document_id", flat=True))
