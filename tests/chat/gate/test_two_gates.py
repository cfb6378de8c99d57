"""Test the gate for a language model: whether the passages hold the answer at all."""

import math

import numpy as np
import pytest
from django.conf import LazySettings

from chat.gate.decision import Gate, decide
from chat.gate.records import BUILT_IN, OTHER_GATE, gate_in_use
from chat.models import Reason, TurnStatus
from chat.pipeline.calibration_questions import Labelled, observed
from chat.pipeline.search import SearchLog, search_and_gate
from chat.reader.answerable import NOTHING, answerable, of_list
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Query
from tests.chat.evidence.hits import TODAY
from tests.chat.gate.calibrations import kept
from tests.chat.guidelines import ask
from tests.corpora import publish
from tests.llm.contents import as_content
from tests.llm.server import endpoint, replies
from tests.llm.sites import generate_by

pytestmark = pytest.mark.django_db

DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
TEXT = f"# Pneumonia in adults\n## Treatment\n{DOSE}\n## Other\nCall the ward."
QUESTION = "What is the dose of demonstracillin for adults with pneumonia?"


def test_what_is_read_off_a_list_is_its_highest_and_its_second() -> None:
    found = of_list({"likeness": np.array([0.1, 0.7, 0.4]), "reader": np.array([2.0])})
    assert found == {
        "highest likeness": 0.7, "second likeness": 0.4, "highest reader": 2.0, "second reader": 2.0
    }  # fmt: skip
    assert of_list({}) == {}
    assert answerable().log_odds({}) == NOTHING


def test_more_likeness_opens_sooner() -> None:
    low, high = ({"likeness": np.array([x, x]), "reader": np.array([-5.0])} for x in (0.2, 0.8))
    assert answerable().log_odds(low) < answerable().log_odds(high)


def test_each_generator_has_its_gate(settings: LazySettings) -> None:
    assert gate_in_use() == Gate(BUILT_IN, BUILT_IN.threshold)
    settings.GENERATOR = "llm"
    gate = gate_in_use()
    assert gate.threshold == answerable().threshold
    assert gate.of_list == f"{answerable().version}:{answerable().digest}"
    assert gate.as_dict()["of_list"] == gate.of_list
    settings.GATE_THRESHOLD = 0.9
    assert (gate_in_use().threshold, gate_in_use().of_list) == (0.9, gate.of_list)


def test_all_passages_together_decide_in_the_place_of_the_best() -> None:
    publish(TEXT)
    evidence = retrieve(Query(QUESTION, on=TODAY))
    gate = Gate(BUILT_IN, 0.5, of_list="of all")
    weak = Reason.WEAK_EVIDENCE
    for together, reason in ((2.0, None), (-2.0, weak), (float("nan"), weak)):
        decision = decide(evidence, gate, together=together)
        assert decision.reason == reason
        assert decision.passages


def test_a_calibration_scales_the_log_odds_that_its_generator_reads(settings: LazySettings) -> None:
    """One made for the other generator is left out, and the gate says so."""
    publish(TEXT)
    of_best = kept(threshold=0.99)
    settings.GENERATOR = "llm"
    gate = gate_in_use()
    assert gate.scale == BUILT_IN and gate.notes == (f"{of_best.version} {OTHER_GATE}",)
    record = kept(slope=0.5, intercept=1.0, threshold=0.6)
    gate = gate_in_use()
    assert (gate.scale.version, gate.threshold, gate.notes) == (record.version, 0.6, ())
    assert gate.of_list == record.odds != of_best.odds
    decision = decide(retrieve(Query(QUESTION, on=TODAY)), gate, together=-1.0)
    assert decision.probability == pytest.approx(1 / (1 + math.exp(-0.5)))


def test_the_log_odds_of_a_question_are_those_that_the_gate_reads(settings: LazySettings) -> None:
    publish(TEXT)
    for generator in ("extractive", "llm"):
        settings.GENERATOR = generator
        (example,) = observed([Labelled(QUESTION, True)], RetrievalConfig(), on=TODAY).examples
        searches = SearchLog(RetrievalConfig())
        decision = search_and_gate(Query(QUESTION, on=TODAY), gate_in_use(), searches)
        assert gate_in_use().scale.probability(example.odds) == decision.probability


@pytest.mark.parametrize(
    ("question", "is_asked"), [(QUESTION, True), ("How long do I roast a 2 kg chicken?", False)]
)
def test_a_language_model_is_asked_where_there_is_something_to_read(
    settings: LazySettings, question: str, is_asked: bool
) -> None:
    publish(TEXT)
    with endpoint(replies(lambda shown: as_content([]))) as writer:
        generate_by(settings, writer.url)
        turn = ask(question=question)
        assert bool(writer.asked) is is_asked
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.WEAK_EVIDENCE)
