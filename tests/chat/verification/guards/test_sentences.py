"""All guards of words over sentences of guidelines and articles.

The rates are those that verification has to reach: what is altered stops, what is faithful passes.
"""

from collections.abc import Callable
from itertools import pairwise

import pytest

from chat.verification.guards import (
    conditions,
    drugs,
    pairings,
    polarity,
    populations,
    routes,
    words,
)
from chat.verification.types import Cited, Finding
from tests.chat.verification.guards.altered_words import (
    ALTERATIONS,
    PARAPHRASES,
    articles,
    changed,
    samples,
)
from tests.published import MEDQUAD

CHECKS: tuple[Callable[[str, Cited], Finding | None], ...] = (
    *(drugs.check, routes.check, populations.check, polarity.check),
    *(conditions.check, pairings.check, words.check),
)
MISSED, FALSE_ALARMS = 0.01, 0.05


@pytest.fixture(scope="module", params=["samples", "medquad"])
def sentences(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "samples":
        return samples()
    if not MEDQUAD.exists():
        pytest.skip("MedQuAD is not here")
    return articles(300)


def is_stopped(claim: str, quote: str) -> bool:
    return any(check(claim, Cited((quote,))) for check in CHECKS)


def test_what_is_verbatim_passes(sentences: list[str]) -> None:
    assert len(sentences) > 250
    assert not [each for each in sentences if is_stopped(each, each)]
    assert not [each for each in sentences if is_stopped(each, f"{each}\nAnother line of text.")]


def test_what_is_altered_is_stopped(sentences: list[str]) -> None:
    tables = "".join(ALTERATIONS.values())
    made = [(claim, each) for each in sentences for claim in changed(each, tables)]
    missed = [pair for pair in made if not is_stopped(*pair)]
    assert len(made) > 300
    assert len(missed) <= MISSED * len(made), missed


def test_what_is_faithful_passes(sentences: list[str]) -> None:
    made = [(claim, each) for each in sentences for claim in changed(each, PARAPHRASES)]
    alarms = [pair for pair in made if is_stopped(*pair)]
    assert len(made) > 600
    assert len(alarms) <= FALSE_ALARMS * len(made), alarms


def test_a_claim_about_something_else_is_stopped(sentences: list[str]) -> None:
    pairs = [(one, other) for one, other in pairwise(sentences) if one != other]
    passed = [pair for pair in pairs if not is_stopped(*pair)]
    assert len(passed) <= MISSED * len(pairs), passed


@pytest.mark.parametrize("kind", sorted(ALTERATIONS))
def test_each_kind_in_the_sample_guidelines(kind: str) -> None:
    made = [(claim, each) for each in samples() for claim in changed(each, ALTERATIONS[kind])]
    missed = [pair for pair in made if not is_stopped(*pair)]
    assert len(made) > 20
    assert len(missed) <= 0.02 * len(made), missed
