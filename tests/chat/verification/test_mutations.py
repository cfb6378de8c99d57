"""Test that altered claims are stopped and true ones pass.

The claims are made in `tests/chat/verification/mutations/`, which knows nothing of the checks. A
part of those made from the samples is in every run, all of them are in `make exhaustive`. `python
-m tests.chat.verification.mutations` prints the rates by kind.
"""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from pytest_django import DjangoDbBlocker

from chat.verification.entailment.checker import TrainedChecker
from chat.verification.verify import verify
from tests.chat.verification.mutations import documents, sources, suite
from tests.chat.verification.mutations.rates import Outcome, rate, table, wrong
from tests.chat.verification.mutations.types import Item, Source
from tests.databases import fresh_database
from tests.published import MEDQUAD

FAITHFUL_CEILING = 0.30
# Without MedQuAD's sentences, those paraphrased by hand have more weight.
FAITHFUL_CEILING_OF_SAMPLES = 0.34
MIN_CLAIMS, MIN_CLAIMS_OF_PART = 600, 400


@dataclass(frozen=True)
class Judged:
    """The suite or a part of it, with the verdicts of the checks."""

    outcomes: tuple[Outcome, ...]
    ceiling: float  # the largest share of faithful claims that may be stopped
    min_claims: int

    def altered(self, kind: str) -> list[Outcome]:
        return [one for one in self.outcomes if one[0].altered and one[0].kind == kind]

    def faithful(self) -> list[Outcome]:
        return [one for one in self.outcomes if not one[0].altered]


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.exhaustive)],
    ids=("a part", "all"),
)
def judged(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Judged]:
    """Judge the claims on documents stored in a database of this module's own."""
    out = tmp_path_factory.mktemp("mutations")
    with django_db_blocker.unblock(), fresh_database(socket_dir):
        samples = sources.sample_sources(documents.stored_samples(out))
        medquad: Sequence[Source] = ()
        if not request.param:
            made = suite.part(suite.items(samples, ()))
            yield _judged(made, FAITHFUL_CEILING_OF_SAMPLES, MIN_CLAIMS_OF_PART)
            return
        if MEDQUAD.exists():
            medquad = sources.medquad_sources(documents.stored_medquad(out))
        else:
            warnings.warn("MedQuAD is not here: claims from the samples alone", stacklevel=1)
        made = suite.items(samples, medquad)
        ceiling = FAITHFUL_CEILING if medquad else FAITHFUL_CEILING_OF_SAMPLES
        yield _judged(made, ceiling, MIN_CLAIMS)


def _judged(made: Sequence[Item], ceiling: float, min_claims: int) -> Judged:
    checker = TrainedChecker(threads=2)
    verdicts = verify([item.claim for item in made], verifier=checker, timeout_s=3600)
    return Judged(tuple(zip(made, verdicts, strict=True)), ceiling, min_claims)


def test_table_of_rates(judged: Judged) -> None:
    """Prints the rates for a reader; checks only that every altered kind is among them."""
    print("\n" + table(judged.outcomes))
    print("\nWrongly judged: " + wrong(judged.outcomes))
    assert {item.kind for item, _ in judged.outcomes if item.altered} == set(suite.FLOORS)


def test_there_are_enough_claims_of_either_sort(judged: Judged) -> None:
    altered = sum(item.altered for item, _ in judged.outcomes)
    samples = [item for item, _ in judged.outcomes if not item.source.document.endswith(".xml")]
    assert altered >= judged.min_claims
    assert len(judged.faithful()) >= 0.9 * altered
    assert len(samples) >= judged.min_claims


def test_no_claim_is_made_twice(judged: Judged) -> None:
    """By one kind; two kinds may, rarely, make the same claim."""
    told = Counter(
        (item.kind, item.claim.text, item.claim.quotes, item.claim.unplaced)
        for item, _ in judged.outcomes
    )
    assert not [claim for claim, times in told.items() if times > 1]


def test_no_altered_claim_is_a_faithful_one(judged: Judged) -> None:
    said = {(item.claim.text, item.claim.quotes) for item, _ in judged.faithful()}
    for item, _ in judged.outcomes:
        if item.altered and not item.claim.unplaced:
            assert (item.claim.text, item.claim.quotes) not in said, item.claim.text


@pytest.mark.parametrize("kind", suite.FLOORS)
def test_altered_claims_are_stopped(judged: Judged, kind: str) -> None:
    outcomes = judged.altered(kind)
    assert len(outcomes) >= 20
    assert rate(outcomes).share >= suite.FLOORS[kind], f"{rate(outcomes)}\n{wrong(outcomes)}"


def test_faithful_claims_stand(judged: Judged) -> None:
    outcomes = judged.faithful()
    assert rate(outcomes).share <= judged.ceiling, f"{rate(outcomes)}\n{wrong(outcomes)}"


def test_what_was_held_out_is_judged_as_well_as_what_was_looked_at(judged: Judged) -> None:
    """Shows rules that fit only the sentences they were written for."""
    faithful = [one for one in judged.faithful() if one[0].source.held_out]
    altered = [one for one in judged.outcomes if one[0].altered and one[0].source.held_out]
    assert rate(faithful).share <= judged.ceiling + 0.06
    assert rate(altered).share >= 0.88
