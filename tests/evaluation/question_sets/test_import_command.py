"""`manage.py evaluate import` stores a set once, and reports what it left out."""

import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.models import Question, QuestionKind, QuestionSet
from evaluation.question_set_services import MAX_NOTES
from evaluation.question_sets.types import ItemKind
from tests.evaluation.question_sets.test_forms import GUIDELINE, write

pytestmark = pytest.mark.django_db


def imported(*arguments: str) -> str:
    out = io.StringIO()
    call_command("evaluate", "import", *arguments, stdout=out)
    return out.getvalue()


def test_a_set_with_all_that_is_known_of_it(tmp_path: Path, bob: User) -> None:
    path = write(tmp_path / "ours.json", [GUIDELINE, 5])
    facts = ("--name", "Ours", "--set-version", "2", "--source", "the ward", "--licence", "none")
    said = imported("guidelines", str(path), *facts, "--user", bob.username)
    stored = QuestionSet.objects.get()
    assert said.splitlines() == [
        f"Ours 2 is stored (number {stored.pk}). Questions: 1",
        "Left out: 1",
        "  ours.json, record 2: an object is needed.",
    ]
    assert (stored.form, stored.source, stored.licence) == ("guidelines", "the ward", "none")
    assert stored.by == bob
    assert stored.notes == ["ours.json, record 2: an object is needed."]
    question = stored.questions.get()
    assert question.key == "g1"
    assert question.kind == QuestionKind.ANSWERABLE
    assert question.patterns == {"decisive": [r"5\s*mg"], "wrong": ["7 mg"]}
    assert (question.relevant, question.page) == (["gentamicin.pdf"], 4)
    assert question.before == ["Which antibiotic?"]


def test_the_same_items_are_stored_once(tmp_path: Path) -> None:
    imported("guidelines", str(write(tmp_path / "one.json", [GUIDELINE])))
    with pytest.raises(CommandError, match=r"Nothing was stored: one \(number \d+\) has"):
        imported("guidelines", str(write(tmp_path / "two.json", [GUIDELINE])))
    assert (QuestionSet.objects.count(), Question.objects.count()) == (1, 1)
    imported("guidelines", str(tmp_path / "two.json"), "--split", "dev-2")
    assert QuestionSet.objects.count() == 2


def test_of_many_records_left_out_the_first_are_named(tmp_path: Path) -> None:
    rows = [{"question": "Why?", "expected_answer": "x"}, *range(MAX_NOTES + 7)]
    said = imported("plain", str(write(tmp_path / "many.json", rows))).splitlines()
    assert said[1] == "Left out: 1007"
    assert len(said) == 2 + 20 + 1
    assert said[-1] == "  and 987 more"
    stored = QuestionSet.objects.get()
    assert stored.left_out == MAX_NOTES + 7
    assert (len(stored.notes), stored.notes[-1]) == (MAX_NOTES + 1, "and 7 more")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "import takes a form and a path"),
        (("none", "x.json"), "import takes a form and a path"),
        (("plain", "x.json"), "There is no file x.json"),
        (("plain", "x.json", "--user", "nobody"), "There is no user nobody"),
        (("plain", "x.json", "--name", "x" * 201), "--name is longer than 200"),
        (("plain", "x.json", "--set-version", "x" * 51), "--set-version is longer than 50"),
        (("plain", "x.json", "--split", "x" * 51), "--split is longer than 50"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        imported(*arguments)
    assert not QuestionSet.objects.exists()


def test_what_the_database_can_not_hold_is_cleaned_away(tmp_path: Path) -> None:
    rows = [{"question": "Why\0 so \ud800?", "expected_answer": "\0\ud800b"}]
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(rows))
    imported("plain", str(path))
    assert Question.objects.get().gold_answer.endswith("b")


def test_the_kinds_of_the_database_are_those_of_the_forms() -> None:
    assert set(QuestionKind.values) == {kind.value for kind in ItemKind}
