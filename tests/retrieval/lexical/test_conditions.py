"""The conditions for one scan of the index are equivalent to the chosen clauses."""

import itertools
import random
from typing import Any

from django.db import connection

from retrieval.lexical.clauses import choose
from retrieval.lexical.search import asked_lexemes, conditions_of
from tests.corpora import publish

WORDS = "gentamicin level dose insulin tea rest not renal adult child mg 5 10 night".split()
QUESTIONS = [
    "gentamicin level", "dose of insulin in renal impairment, not in a child", "tea",
    "5 mg at night",
    "rest " * 40, "gentamicin tea rest dose insulin level renal adult child night", "mg mg 10",
]  # fmt: skip


def fill() -> None:
    generator = random.Random(8)
    for n in range(40):
        lines = [" ".join(generator.choices(WORDS, k=generator.randrange(3, 30))) for _ in range(4)]
        publish(f"# Note {n}\n" + "\n## Part\n".join(lines), title=f"Note {n}")


def held_by(condition: str, parameters: Any) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM corpus_chunk c WHERE {condition}", parameters)
        return {pk for (pk,) in cursor.fetchall()}


def test_the_index_is_searched_by_what_the_clauses_say(db: None) -> None:
    fill()
    sizes = set()
    for text, budget in itertools.product(QUESTIONS, (1, 5, 12, 40, 100)):
        terms = tuple(term for asked in asked_lexemes(text, spelled=()) for term in asked.terms)
        seeds = choose(terms, chunks=1000, budget=budget)
        found = conditions_of(seeds)
        as_one = " | ".join(f"({' & '.join(map(repr, clause))})" for clause in seeds.clauses)
        expected = held_by("search_vector @@ %s::tsquery", [as_one])
        each = " OR ".join(f"search_vector @@ %({name})s::tsquery" for name in found)
        assert held_by(each, found) == expected != set()
        sizes.add((len(seeds.clauses), len(found)))
    assert any(clauses > searched > 1 for clauses, searched in sizes)
