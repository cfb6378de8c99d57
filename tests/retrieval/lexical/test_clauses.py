"""The choice of clauses: selective, within the budget, and deterministic."""

import itertools
import random

from retrieval.lexical.clauses import MOST_OVER, WIDTH, Term, choose


def term(name: str, df: int, *, strong: tuple[int, ...] = ()) -> Term:
    marks = tuple((f"{name}~{level}", n) for level, n in zip((65, 75, 85), strong, strict=False))
    return Term(name, df, 10_000 / df, marks)


def test_all_that_fit_the_budget_are_searched_alone() -> None:
    seeds = choose([term("rare", 10), term("rarer", 5)], chunks=1000, budget=15)
    assert seeds.clauses == (("rarer",), ("rare",))
    assert seeds.is_whole


def test_nothing_asked_is_nothing_to_search() -> None:
    assert choose([], chunks=1000, budget=15).clauses == ()


def test_frequent_words_are_searched_together() -> None:
    seeds = choose(
        [term("blood", 900), term("high", 800), term("rare", 5)], chunks=10_000, budget=200
    )
    assert seeds.clauses == (("rare",), ("high", "blood"))  # 1.5 * 800 * 900 / 10,000 are expected
    assert not seeds.is_whole


def test_frequent_words_are_searched_where_they_weigh_enough_together() -> None:
    terms = [term("blood", 4000, strong=(1000, 300, 40)), term("high", 5000, strong=(2000, 500, 0))]
    # 3,000 have both, 300 with the weakest marks, 22 with the next; 40 remain for one alone.
    assert choose(terms, chunks=10_000, budget=70).clauses == (
        ("blood~75", "high~75"),
        ("blood~85",),
    )
    assert choose(terms, chunks=10_000, budget=310).clauses[0] == ("blood~65", "high~65")


def test_a_combination_makes_a_narrower_one_needless() -> None:
    terms = [term("a", 400), term("b", 400), term("c", 400)]
    clauses = choose(terms, chunks=10_000, budget=399).clauses
    assert ("a", "b", "c") not in clauses
    assert all(len(set(one) & set(other)) < 2 for one, other in itertools.combinations(clauses, 2))


def test_a_frequent_word_alone_is_searched_where_it_weighs_much() -> None:
    seeds = choose([term("dose", 9000, strong=(900, 80, 5))], chunks=10_000, budget=100)
    assert seeds.clauses == (("dose~75",),)
    assert seeds.is_bounded


def test_a_mark_that_no_chunk_has_is_no_condition() -> None:
    seeds = choose([term("dose", 9000, strong=(900, 0, 0))], chunks=10_000, budget=100)
    assert seeds.clauses == (("dose~65",),)


def test_a_word_that_is_frequent_however_often_is_read_in_part() -> None:
    seeds = choose([term("dose", 9000)], chunks=10_000, budget=100)
    assert seeds.clauses == (("dose",),)
    assert not seeds.is_bounded
    assert choose([term("dose", 100 * MOST_OVER)], chunks=10_000, budget=100).is_bounded


def test_whatever_is_asked_some_of_it_is_searched_and_the_order_does_not_matter() -> None:
    generator = random.Random(3)
    for _ in range(300):
        terms = [
            term(
                f"t{n}", df := generator.randrange(1, 10_000), strong=(df // 5, df // 20, df // 50)
            )
            for n in range(generator.randrange(1, 12))
        ]
        budget = generator.choice([1, 30, 1000])
        seeds = choose(terms, chunks=10_000, budget=budget)
        assert seeds.clauses
        assert len(seeds.clauses) <= len(terms) + 2**WIDTH
        shuffled = generator.sample(terms, len(terms))
        assert choose(shuffled, chunks=10_000, budget=budget) == seeds
        alone = {clause[0] for clause in seeds.clauses if len(clause) == 1}
        known = {
            name: df for t in terms for name, df in ((t.name, t.document_frequency), *t.strong)
        }
        if seeds.is_whole:
            assert sum(known[name] for name in alone) <= budget
