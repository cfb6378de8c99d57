"""What a check of facts is worth is measured by asking without it."""

import pytest

from bench.answers.checks import worth_lines, worth_of
from bench.checker.measure import Checked
from bench.checker.tables import claim_lines
from bench.datasets.pairs import LabelledPair
from chat.checks.types import noting, switched_off
from chat.evidence.judgements import Evidence, Judgement, Label
from chat.pipeline.check_table import TABLE
from chat.reader.choose import sifted
from evaluation.measures.patterns import Verdict, judged
from evaluation.question_sets.patterned import Question, compiled
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

GUIDELINE = """# Zelomycin

Give adults with cystitis trimethoprim 200 mg twice a day for 3 days.

Give adults with cystitis nitrofurantoin 100 mg twice a day for 5 days.
"""


def test_checks_have_one_name_each_and_a_reason() -> None:
    names = [check.name for check in TABLE]
    assert len(set(names)) == len(names)
    assert all(check.says.endswith(".") for check in TABLE)


@pytest.mark.django_db
def test_a_check_that_is_switched_off_leaves_nothing_out() -> None:
    publish(GUIDELINE)
    asked = "nitrofurantoin dose for cystitis?"
    hits = hits_for(GUIDELINE)

    def read() -> str:
        return " ".join(unit.text for unit in sifted(asked, hits).units)

    with noting() as acted:
        assert "trimethoprim" not in read()
    assert "medicine" in acted
    with switched_off("medicine"), noting() as acted:
        assert "trimethoprim" in read()
    assert "medicine" not in acted


def test_a_question_is_asked_again_without_each_check_that_acted() -> None:
    question = Question("a", "dose?", is_answerable=True, decisive=compiled(["100 mg"]))
    restated = next(check for check in TABLE if check.name == "restated")
    told: list[int] = []

    def asked(question: Question) -> Verdict:
        told.append(1)
        stopped = restated("Which dose?", Evidence((), question="Which dose is it?"))
        return judged(question, ["100 mg" if stopped else "50 mg"])

    row = worth_of(question, asked)
    assert len(told) == 2
    assert row["with"] == ["full", "first", "helped"]
    assert row["without"] == {"restated": ["wrong"]}
    line = next(line for line in worth_lines([row]) if line.startswith("| restated"))
    assert line.startswith("| restated | claim | 1 of 1 | +1 | +1 | +1 | -1 | 0 |")


def test_claims_are_counted_that_only_a_check_stops() -> None:
    supported = Judgement(Label.SUPPORTED, 0.9)
    pairs = (
        LabelledPair("a", "Give 10 mg.", "Give 5 mg.", Label.CONTRADICTED),
        LabelledPair("b", "Give 5 mg.", "Give 5 mg daily.", Label.SUPPORTED),
        LabelledPair("c", "Give 7 mg.", "Give 5 mg.", Label.CONTRADICTED),
    )
    not_passed = Judgement(Label.NOT_FOUND, 0.1)
    lines = claim_lines(Checked("checker", "", pairs, (supported, supported, not_passed), 1.0))
    assert "passes 1 true claims and 1 others" in lines[0]
    assert "| numbers | 1 | 1 | 0 | 0 |" in lines
