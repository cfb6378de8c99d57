"""Questions put to a played model: what is counted, judged and told of each."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from django.conf import LazySettings

from bench.real_model import asking
from bench.real_model.asked import RealAsked, RealTask, read_real_task
from bench.real_model.asking import asked_of_model, judged
from bench.real_model.telling import real_lines
from chat.models import Reason
from tests.corpora import publish
from tests.llm.contents import Said, claims, verbatim
from tests.llm.lies import DOSE, GUIDELINE, QUESTION
from tests.llm.scoring import scores
from tests.llm.server import TOKENS, endpoint, replies, says
from tests.llm.sites import generate_by, judge_by

WRONG = DOSE.replace("500 mg", "5000 mg")
NOTHING = "What is the dose of zelomycin in gout?"


@pytest.fixture
def questions(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(GUIDELINE, population="adult")
    rows = [{"question": each, "expected_answer": DOSE} for each in (QUESTION, QUESTION, NOTHING)]
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(rows))
    monkeypatch.setattr(asking, "QUESTIONS", path)


@pytest.mark.usefixtures("questions")
def test_claims_shown_and_withheld_tokens_and_reasons_are_told(settings: LazySettings) -> None:
    with endpoint(replies(claims(verbatim(DOSE), Said(WRONG, DOSE)))) as server:
        server.script = [says("I am sorry.")]
        generate_by(settings, server.url)
        asked = [RealAsked.from_dict(json.loads(json.dumps(asdict(each)))) for each, _ in asked_of_model(3)]  # noqa: E501  # fmt: skip
    unread, answered, refused = asked
    assert (unread.reason, unread.why[0]) == (Reason.GENERATOR_UNAVAILABLE, "GeneratorUnavailable")
    assert (unread.calls, unread.shown, unread.withheld) == (1, (), ())
    assert (answered.reason, answered.shown) == ("", (DOSE,))
    assert [(check, text) for check, _, text in answered.withheld] == [("numbers", WRONG)]
    assert (answered.calls, answered.passages > 0) == (1, True)
    assert (answered.prompt_tokens, answered.completion_tokens) == TOKENS
    assert (refused.calls, refused.passages, bool(refused.reason)) == (0, 0, True)
    told = "\n".join(real_lines(asked, "small"))
    assert "- answered 1 of 3, refused 2" in told
    assert "- claims: 1 shown (0 with another citation), 1 withheld" in told
    assert "- withheld by: numbers 1" in told
    assert f"withheld (numbers: {answered.withheld[0][1]}): {WRONG}" in told


@pytest.mark.slow
@pytest.mark.usefixtures("questions")
def test_an_answer_is_judged_by_ragas_under_another_name(settings: LazySettings) -> None:
    with endpoint(replies(claims(verbatim(DOSE)))) as server, endpoint(scores()) as judging:
        generate_by(settings, server.url)
        judge_by(settings, judging.url)
        settings.VERIFIER = "checker"
        first = judged(*next(asked_of_model(1)))
    assert first.measures["ragas_faithfulness"] == 1.0
    told = "\n".join(real_lines([first], "small"))
    assert "RAGAS on 1 answers, judged by the model itself" in told
    assert "- ragas_faithfulness: 1.00 (n=1)" in told


def test_a_task_is_read_as_it_was_written(tmp_path: Path) -> None:
    task, path = RealTask(10, 3, "rows.jsonl"), tmp_path / "task.json"
    task.write(path)
    assert read_real_task(path) == task
    path.write_text('{"answers": {}}')
    assert read_real_task(path) is None
