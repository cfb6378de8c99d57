"""Measures of an item and a run: what is averaged or counted, and why there is no value."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings
from sklearn.metrics import roc_auc_score

from core.llm.client import Endpoint
from corpus.encoders.registry import get_embedder
from evaluation.checks import check_judge
from evaluation.measures.configured import site_judges
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.measure import MEASURES, Judges, measure_item
from evaluation.measures.ragas_judge import RagasConfig, RagasJudge
from evaluation.measures.selective import loss_of, selective
from evaluation.measures.types import AnswerClaim, AnsweredItem, Scored
from evaluation.metrics.claims import concept_overlap
from evaluation.metrics.selective import Point, aurc, auroc, risk_coverage
from retrieval.lexicon.concepts import Concepts, concepts_of_rows
from tests.evaluation.measures.made_up import WORKED, judge_told
from tests.llm.scoring import scores
from tests.llm.server import endpoint, status
from tests.models import set_model, unset_models
from tests.retrieval.lexicon.made_up_rows import ROWS, write_rows


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


JUDGES = Judges(concepts=concepts_of_rows(ROWS))
ANSWERED = AnsweredItem(
    "What is given?",
    answer_claims=(
        AnswerClaim("Give Zorvanol in glimmer fever.", ("In GLF rest.", "Drink.")),
        AnswerClaim("Fever falls.", ("The fever falls.",)),
        AnswerClaim("Rest.", ("Give Zorvanol.",)),
    ),
)


def score(item: AnsweredItem, judges: Judges = JUDGES) -> Scored:
    return measure_item(item, ["concept_overlap"], judges)["concept_overlap"]


def test_the_formula() -> None:
    assert (
        concept_overlap([{"a", "b"}, {"c"}, set()], [{"a", "x"}, {"c"}, {"a"}]) == (1 / 2 + 1) / 2
    )
    assert concept_overlap([{"a"}], [set()]) == 0.0
    assert concept_overlap([set()], [{"a"}]) is None
    assert concept_overlap([], []) is None


def test_concepts_of_a_claim_by_what_it_cites() -> None:
    assert score(ANSWERED) == Scored((1 / 2 + 1) / 2)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (replace(ANSWERED, is_refused=True), "the question was refused"),
        (replace(ANSWERED, answer_claims=()), "the answer claims nothing"),
        (replace(ANSWERED, answer_claims=ANSWERED.answer_claims[2:]), "no claim names a known"),
    ],
)
def test_why_there_is_no_value(item: AnsweredItem, why: str) -> None:
    found = score(item)
    assert found.value is None
    assert found.reason.startswith(why)


def test_a_site_reads_its_rows_or_its_lexicon(db: None, settings: Settings, tmp_path: Path) -> None:
    lexicon = site_judges().concepts
    assert isinstance(lexicon, Concepts)
    assert lexicon.of("DKA") == lexicon.of("diabetic ketoacidosis") != set()
    settings.CONCEPTS = str(write_rows(tmp_path))
    assert score(ANSWERED, site_judges()).value == 0.75


def test_rows_that_cannot_be_read_are_a_reason(
    db: None, settings: Settings, tmp_path: Path
) -> None:
    settings.CONCEPTS = str(tmp_path)
    found = score(ANSWERED, site_judges())
    assert found.value is None
    assert found.reason.startswith("not run: MRCONSO.RRF can't be read (FileNotFoundError).")


def item(
    confidence: float | None, *, refused: bool = False, answerable: bool | None = True
) -> AnsweredItem:
    return AnsweredItem("?", confidence=confidence, is_refused=refused, is_answerable=answerable)


def test_the_curve_and_its_area_by_hand() -> None:
    confidences, losses = [0.9, 0.5, 0.8, 0.6], [0.0, 1.0, 1.0, 0.0]
    assert risk_coverage(confidences, losses) == [
        Point(0.9, 1 / 4, 0.0),
        Point(0.8, 2 / 4, 1 / 2),
        Point(0.6, 3 / 4, 1 / 3),
        Point(0.5, 4 / 4, 2 / 4),
    ]
    assert aurc(confidences, losses) == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)


def test_what_is_tied_is_accepted_together_in_whatever_order() -> None:
    assert risk_coverage([0.5] * 4, [0, 1, 1, 0]) == [Point(0.5, 1.0, 0.5)]
    assert aurc([0.5] * 4, [0, 1, 1, 0]) == aurc([0.5] * 4, [1, 1, 0, 0]) == 0.5
    tied = aurc([0.9, 0.5, 0.5], [0.0, 1.0, 0.0])
    assert tied == pytest.approx((0 + 1 / 3 + 1 / 3) / 3)


def test_a_coverage_is_of_all_items_where_some_are_refused_anyway() -> None:
    assert risk_coverage([0.9, 0.4], [0.0, 1.0], total=4) == [
        Point(0.9, 1 / 4, 0.0),
        Point(0.4, 2 / 4, 0.5),
    ]


@pytest.mark.parametrize("places", [1, 2, 9])
def test_auroc_is_that_of_scikit_learn_with_ties_and_without(places: int) -> None:
    random = np.random.default_rng(places)
    labels = random.random(300) < 0.3
    confidences = (random.random(300) * 0.7 + labels * 0.2).round(places)
    ours = auroc(confidences.tolist(), labels.tolist())
    assert ours == pytest.approx(roc_auc_score(labels, confidences))


def test_auroc_needs_both_kinds() -> None:
    assert auroc([0.1, 0.9], [True, True]) is None


def test_a_run_by_hand() -> None:
    items = [
        item(0.9),
        item(0.8),
        item(0.7, answerable=False),  # wrongly answered
        item(0.6),
        item(0.3, refused=True, answerable=False),
        item(0.55, refused=True),  # wrongly refused
        item(0.65, answerable=None),
        item(None),
    ]
    faithfulness = [1.0, 0.5, 1.0, None, None, None, 1.0, 1.0]
    said = selective(items, faithfulness)
    assert (said.n, said.answered, said.refused) == (8, 6, 2)
    assert (said.wrongly_answered, said.wrongly_refused, said.unlabelled) == (1, 1, 1)
    assert said.judged == 4  # one has no confidence, one no faithfulness
    losses = {0.9: 0.0, 0.8: 0.5, 0.7: 1.0, 0.65: 0.0}
    assert said.aurc == aurc(list(losses), list(losses.values()))
    assert [point.coverage for point in said.curve] == [1 / 8, 2 / 8, 3 / 8, 4 / 8]
    assert said.auroc_right == pytest.approx((2 + 0) / 4)  # 0.9 beats both others, 0.65 none
    # 0.9, 0.8, 0.6 and 0.55 can be answered, 0.7 and 0.3 can't
    assert said.auroc_answerable == pytest.approx((2 + 2 + 1 + 1) / 8)
    half, six, three_quarters = said.thresholds
    assert (half.threshold, half.answered, half.abstention_rate) == (0.50, 5, 1 - 5 / 8)
    assert (half.faithfulness, half.n) == ((1 + 0.5 + 1 + 1) / 4, 4)
    assert (six.answered, six.n) == (5, 4)
    assert (three_quarters.answered, three_quarters.faithfulness) == (2, 0.75)


def test_the_loss_of_an_answer() -> None:
    assert loss_of(item(0.9), 0.75) == 0.25
    assert loss_of(item(0.9, answerable=False), 1.0) == 1.0
    assert loss_of(item(0.9, refused=True, answerable=False), 1.0) is None
    assert loss_of(item(0.9), None) is None


def test_a_run_that_refuses_all() -> None:
    said = selective([item(0.2, refused=True), item(0.9, refused=True)], [None, None])
    assert (said.answered, said.wrongly_refused, said.curve, said.aurc) == (0, 2, (), None)
    assert {(row.abstention_rate, row.faithfulness) for row in said.thresholds} == {(1.0, None)}
