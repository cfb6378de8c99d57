"""Measuring an item and a run: what is averaged, and what is only counted."""

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured

from core.llm.client import Endpoint
from corpus.encoders.registry import get_embedder
from evaluation.checks import check_judge
from evaluation.measures.configured import site_judges
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.measure import MEASURES, Judges, measure_item
from evaluation.measures.ragas_judge import RagasConfig, RagasJudge
from tests.evaluation.measures.made_up import WORKED, judge_told
from tests.llm.scoring import scores
from tests.llm.server import endpoint, status
from tests.models import set_model, unset_models


def test_without_a_judge_each_measure_says_so() -> None:
    found = measure_item(WORKED, MEASURES, Judges())
    assert list(found) == list(MEASURES)
    assert found.pop("concept_overlap").reason == "not run: no concepts were read"
    assert {(each.value, each.reason) for each in found.values()} == {
        (None, "not run: no judge is configured")
    }


def test_only_what_is_wanted_is_measured() -> None:
    wanted = ["ragas_faithfulness", "claim_recall"]
    assert list(measure_item(WORKED, wanted, Judges(judge_told()))) == [
        "claim_recall",
        "ragas_faithfulness",
    ]
    assert measure_item(WORKED, [], Judges(judge_told())) == {}
    with pytest.raises(ValueError, match="no such measure: bleu"):
        measure_item(WORKED, ["bleu"], Judges())


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_ragas_in_a_run_whose_judge_fails_once() -> None:
    config = RagasConfig(call_timeout_s=20.0, retries=0)
    with endpoint(scores()) as server:
        server.script = [status(500)]
        judges = Judges(ragas=RagasJudge(Endpoint(server.url, "judge-1"), get_embedder(), config))
        items = [WORKED] * 3
        scored = [measure_item(item, ["ragas_context_recall"], judges) for item in items]
    found = [each["ragas_context_recall"] for each in scored]
    assert [each.value for each in found] == [None, 0.0, 0.0]
    assert found[0].reason == "failed: the judge answered with status 500"


def test_the_judges_of_a_site(db: None, settings: LazySettings) -> None:
    unset_models(settings, "judge")
    unset_models(settings, "generate")
    judges = site_judges()
    assert isinstance(judges.entailment, EntailmentJudge)
    assert judges.ragas == "no judge is configured"
    assert check_judge(None) == []
    set_model(settings, "judge", "http://one.test/v1", model="judge")
    judges = site_judges()
    assert isinstance(judges.entailment, EntailmentJudge)
    assert judges.entailment.judged_by.name == "llm"
    assert isinstance(judges.ragas, RagasJudge)


def test_a_judge_of_its_own_answers_is_refused_at_start(settings: LazySettings) -> None:
    set_model(settings, "generate", "http://one.test/v1", model="writer")
    set_model(settings, "judge", "http://one.test/v1", model="writer", may_generate=True)
    with pytest.raises(ImproperlyConfigured, match="no model scores its own answers"):
        site_judges()
    (warning,) = check_judge(None)
    assert warning.id == "evaluation.W001"
