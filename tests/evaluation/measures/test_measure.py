"""An item and a run as a whole: what is averaged, and what is only counted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured

from core.llm.client import Endpoint
from corpus.encoders.registry import get_embedder
from evaluation.checks import check_judge
from evaluation.measures.configured import site_judges
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.measure import MEASURES, Judges, measure_item, measure_run
from evaluation.measures.ragas_config import RagasConfig
from evaluation.measures.ragas_judge import NOT_INSTALLED, RAGAS_MEASURES, RagasJudge
from evaluation.measures.types import AnsweredItem, JudgedBy, Outcome, Scored, undefined
from evaluation.metrics.statistics import interval
from tests.evaluation.measures.made_up import WORKED, BrokenVerifier, judge_told
from tests.llm.scoring import scores
from tests.llm.server import endpoint, status
from tests.models import set_model, unset_models

NOTHING = {"mean": None, "low": None, "high": None, "n": 0}


def test_without_a_judge_each_measure_says_so() -> None:
    found = measure_item(WORKED, MEASURES, Judges())
    assert list(found) == list(MEASURES)
    assert found.pop("concept_overlap").reason == "not run: no concepts were read"  # by nobody
    assert {(each.value, each.reason, each.outcome) for each in found.values()} == {
        (None, "not run: no judge is configured", Outcome.NOT_RUN)
    }


def test_the_checker_does_without_ragas() -> None:
    found = measure_item(WORKED, MEASURES, Judges(judge_told(), NOT_INSTALLED))
    assert found["claim_faithfulness"].value == 0.6
    assert {found[name].reason for name in RAGAS_MEASURES} == {"not run: ragas is not installed"}


def test_only_what_is_wanted_is_measured() -> None:
    wanted = ["ragas_faithfulness", "claim_recall"]
    assert list(measure_item(WORKED, wanted, Judges(judge_told()))) == [
        "claim_recall",
        "ragas_faithfulness",
    ]
    assert measure_item(WORKED, [], Judges(judge_told())) == {}
    with pytest.raises(ValueError, match="no such measure: bleu"):
        measure_item(WORKED, ["bleu"], Judges())


def test_a_run_by_hand() -> None:
    judges = Judges(judge_told())
    items = [
        replace(WORKED, seconds=1.0, tokens=100),
        replace(WORKED, is_refused=True, seconds=2.0),
        replace(WORKED, answer_claims=WORKED.answer_claims[:2], confidence=0.9),
    ]
    run = measure_run(items, [measure_item(item, MEASURES, judges) for item in items])
    assert run["items"] == 3
    faithful = run["measures"]["claim_faithfulness"]
    assert faithful == {
        **interval([0.6, 1.0]).as_json(),
        "without": {"undefined": {"the question was refused": 1}, "not run": {}, "failed": {}},
        "judged_by": [{"name": "told", "fingerprint": "entailment-1:told-1"}],
    }
    assert (faithful["mean"], faithful["n"]) == (0.8, 2)
    relevancy = run["measures"]["ragas_answer_relevancy"]
    assert {name: relevancy[name] for name in NOTHING} == NOTHING
    assert relevancy["without"]["not run"] == {"not run: no judge is configured": 3}
    assert (run["seconds"]["mean"], run["seconds"]["n"]) == (1.5, 2)
    assert (run["tokens"]["mean"], run["tokens"]["n"]) == (100.0, 1)
    said = run["selective"]
    assert (said["answered"], said["refused"], said["wrongly_refused"]) == (2, 1, 1)
    assert said["aurc"] == pytest.approx((0 + 0.2) / 2)
    assert json.loads(json.dumps(run, allow_nan=False)) == run | {
        "selective": json.loads(json.dumps(said))
    }


def test_a_run_is_the_same_each_time() -> None:
    scored = [{"claim_recall": Scored(value / 10)} for value in range(10)]
    items = [WORKED] * 10
    assert measure_run(items, scored) == measure_run(items, scored)


def test_an_empty_run_and_one_that_refused_all() -> None:
    assert measure_run([], [])["measures"] == {}
    refused = replace(WORKED, is_refused=True, contexts=())
    run = measure_run([refused] * 2, [measure_item(refused, MEASURES, Judges(judge_told()))] * 2)
    assert {summary["mean"] for summary in run["measures"].values()} == {None}
    assert run["seconds"] == run["tokens"] == NOTHING
    assert run["selective"]["refused"] == 2


def test_each_item_needs_its_scores() -> None:
    with pytest.raises(ValueError, match="each item needs its scores"):
        measure_run([WORKED], [])


def test_what_was_not_measured_of_some_is_counted() -> None:
    by = JudgedBy("told", "told-2")
    run = measure_run(
        [WORKED] * 3,
        [{"claim_recall": Scored(0.5, judged_by=by)}, {}, {"claim_recall": undefined("x")}],
    )
    recall = run["measures"]["claim_recall"]
    assert (recall["mean"], recall["n"]) == (0.5, 1)
    assert recall["without"] == {
        "undefined": {"x": 1},
        "not run": {"not run: it was not asked for": 1},
        "failed": {},
    }
    assert recall["judged_by"] == [{"name": "told", "fingerprint": "told-2"}]


def test_a_failure_is_counted_and_the_run_goes_on() -> None:
    broken = Judges(EntailmentJudge(BrokenVerifier()))
    scored = [measure_item(WORKED, MEASURES, judges) for judges in (broken, Judges(judge_told()))]
    recall = measure_run([WORKED] * 2, scored)["measures"]["claim_recall"]
    assert (recall["mean"], recall["n"]) == (0.6, 1)
    assert list(recall["without"]["failed"].values()) == [1]
    assert recall["judged_by"][-1] == {"name": "told", "fingerprint": "entailment-1:told-1"}


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_ragas_in_a_run_whose_judge_fails_once() -> None:
    config = RagasConfig(call_timeout_s=20.0, retries=0)
    with endpoint(scores()) as server:
        server.script = [status(500)]
        judges = Judges(ragas=RagasJudge(Endpoint(server.url, "judge-1"), get_embedder(), config))
        items = [WORKED] * 3
        scored = [measure_item(item, ["ragas_context_recall"], judges) for item in items]
    recall = measure_run(items, scored)["measures"]["ragas_context_recall"]
    assert (recall["mean"], recall["n"]) == (0.0, 2)
    assert recall["without"]["failed"] == {"failed: the judge answered with status 500": 1}


def test_the_judges_of_a_site(db: None, settings: LazySettings) -> None:
    unset_models(settings, "judge")
    unset_models(settings, "generate")
    judges = site_judges(RagasConfig())
    assert isinstance(judges.entailment, EntailmentJudge)
    assert judges.ragas == "no judge is configured"
    assert check_judge(None) == []
    set_model(settings, "judge", "http://one.test/v1", model="judge")
    judges = site_judges(RagasConfig())
    assert isinstance(judges.entailment, EntailmentJudge)
    assert judges.entailment.judged_by.name == "llm"
    assert isinstance(judges.ragas, RagasJudge)


def test_a_judge_of_its_own_answers_is_refused_at_start(settings: LazySettings) -> None:
    set_model(settings, "generate", "http://one.test/v1", model="writer")
    set_model(settings, "judge", "http://one.test/v1", model="writer", may_generate=True)
    with pytest.raises(ImproperlyConfigured, match="no model scores its own answers"):
        site_judges(RagasConfig())
    (warning,) = check_judge(None)
    assert warning.id == "evaluation.W001"


def test_an_item_without_anything_is_measured_all_the_same() -> None:
    bare = AnsweredItem("Why?")
    run = measure_run([bare], [measure_item(bare, MEASURES, Judges(judge_told()))])
    assert run["selective"]["unlabelled"] == 1
