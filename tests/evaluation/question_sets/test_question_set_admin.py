"""Question sets: uploaded, imported or collected, then read and never changed."""

import datetime
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import Channel, Turn
from chat.reviews.feedback import feedback_save
from evaluation.collecting import Collected, NothingToCollect, Which, question_set_collect
from evaluation.models import Question, QuestionKind, QuestionSet
from evaluation.question_set_services import MAX_NOTES
from evaluation.question_sets.types import ItemKind
from medrag_site.groups import AUDITORS, CLINICIANS, EVALUATORS, PUBLISHERS, STAFF
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpus.admin.test_admin import member
from tests.evaluation.question_sets.test_forms import GUIDELINE, write
from tests.tables import rows

pytestmark = pytest.mark.django_db

ADD = "admin:evaluation_questionset_add"
LISTED = "admin:evaluation_questionset_changelist"
QUESTIONS = "admin:evaluation_question_changelist"
ROWS = [GUIDELINE, {**GUIDELINE, "id": "g2", "question": "How much tea?", "answerable": False}, 5]


def send(client: Client, rows: Any = ROWS, *, filename: str = "ward.json", **more: Any) -> Any:
    content = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    given = {"upload": SimpleUploadedFile(filename, content), "form": "guidelines", **more}
    return client.post(reverse(ADD), given, follow=True)


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_a_set_is_uploaded_and_read(evaluator: Client, bob: User) -> None:
    assert "Upload a question set" in text_of(evaluator.get(reverse(ADD)))
    page = send(evaluator, version="3", source="the ward", licence="none")
    stored = QuestionSet.objects.get()
    assert (str(stored), stored.by, stored.source) == ("ward 3", bob, "the ward")
    assert page.redirect_chain[-1][0] == reverse(
        "admin:evaluation_questionset_change", args=[stored.pk]
    )
    assert "Ward 3 is stored. Questions: 2." in text_of(page)
    assert "Records left out: 1. The reasons are listed below." in text_of(page)
    assert "<li>ward.json, record 3: an object is needed.</li>" in text_of(page)
    assert LogEntry.objects.get().get_edited_object() == stored
    assert "ward 3" in text_of(evaluator.get(reverse(LISTED)))


def test_questions_are_filtered_and_searched(evaluator: Client) -> None:
    send(evaluator, split="ours")
    for query, found in (
        ("", {"g1", "g2"}),
        ("?kind__exact=unanswerable", {"g2"}),
        ("?split=ours", {"g1", "g2"}),
        ("?split=others", set()),
        (f"?question_set__id__exact={QuestionSet.objects.get().pk}", {"g1", "g2"}),
        ("?q=tea", {"g2"}),
        ("?q=g1", {"g1"}),
    ):
        page = evaluator.get(reverse(QUESTIONS) + query)
        assert {question.key for question in page.context["cl"].result_list} == found, query
    shown = evaluator.get(
        reverse("admin:evaluation_question_change", args=[Question.objects.get(key="g1").pk])
    )
    assert "5 mg/kg." in text_of(shown)
    assert "decisive" in text_of(shown)


@pytest.mark.parametrize(
    ("rows", "more", "sentence"),
    [
        (b"{", {}, "ward.json is not JSON."),
        ([], {}, "holds no question in the form guidelines."),
        (ROWS, {"form": "medquad"}, "ward.json can&#x27;t be read."),
        (ROWS, {"form": "no such"}, "Select a valid choice."),
        (ROWS, {"name": "x" * 201}, "at most 200 characters"),
        (ROWS, {"upload": ""}, "Choose a file."),
        (b"", {}, "The submitted file is empty."),
    ],
)
def test_what_is_refused_is_an_error_of_the_form(
    evaluator: Client, rows: Any, more: dict[str, Any], sentence: str
) -> None:
    page = send(evaluator, rows, **more)
    assert page.status_code == 200
    assert 'class="errorlist"' in text_of(page)
    assert sentence in text_of(page)
    assert not QuestionSet.objects.exists()


def test_a_file_that_is_too_large(evaluator: Client, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 2 * 1024**2
    page = send(evaluator, b"x" * (2 * 1024**2 + 1))
    assert "the file is larger than 2 MB." in text_of(page)


@pytest.mark.parametrize("name", ["../../etc/x.json", "é" * 200 + ".json", ".json", "-.json", "?"])
def test_no_name_of_a_file_does_harm(evaluator: Client, name: str) -> None:
    assert send(evaluator, filename=name).status_code == 200
    assert QuestionSet.objects.count() == 1


@pytest.mark.parametrize("group", [AUDITORS, STAFF, PUBLISHERS, CLINICIANS])
def test_others_upload_nothing(bob: User, group: str) -> None:
    client = member(bob, group)
    assert client.get(reverse(ADD)).status_code == 403
    assert send(client).status_code == 403
    assert client.get(reverse(LISTED)).status_code == (200 if group in (AUDITORS, STAFF) else 403)
    assert not QuestionSet.objects.exists()


def test_who_may_only_add_is_not_sent_to_what_is_hidden(bob: User) -> None:
    client = member(bob)
    bob.user_permissions.add(Permission.objects.get(codename="add_questionset"))
    page = send(client)
    assert page.redirect_chain[-1][0] == reverse("admin:index")
    assert QuestionSet.objects.count() == 1


def test_nobody_changes_or_deletes_what_is_there(bob: User) -> None:
    client = member(bob, EVALUATORS)
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    send(client)
    pk, question = QuestionSet.objects.get().pk, Question.objects.get(key="g1").pk
    for model, row in (("questionset", pk), ("question", question)):
        for action in ("change", "delete"):
            address = reverse(f"admin:evaluation_{model}_{action}", args=[row])
            assert client.post(address, {"name": "x"}).status_code == 403
    assert client.get(reverse("admin:evaluation_question_add")).status_code == 403
    assert Question.objects.count() == 2


def test_the_lists_cost_a_fixed_number_of_queries(
    evaluator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(8):
        send(evaluator, filename=f"{number}.json", split=str(number))
    for address in (LISTED, QUESTIONS):
        with django_assert_max_num_queries(12):
            evaluator.get(reverse(address))


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


@pytest.mark.parametrize(("arguments", "sentence"), rows(__file__, "refused_sets.jsonl"))
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


COLLECT = "admin:evaluation_questionset_collect"


@pytest.fixture
def asked(alice: User) -> list[Turn]:
    """Store a turn rated helpful, a refused one, and one of an evaluation."""
    publish_guideline(picture=False)
    answered = ask(alice)
    feedback_save(answered, helpful=True)
    refused = ask(alice, UNANSWERABLE)
    feedback_save(refused, helpful=False)
    return [answered, refused, ask(channel=Channel.EVALUATION)]


def collected(which: Which, **days: Any) -> QuestionSet:
    today = timezone.localdate()
    wanted = Collected("ward", which, **({"first": today, "last": today} | days))
    return question_set_collect(wanted, by=None)


def test_what_was_helpful_brings_its_answer(asked: list[Turn]) -> None:
    (item,) = collected(Which.HELPFUL).questions.all()
    assert (item.key, item.question, item.kind) == (str(asked[0].pk), QUESTION, "answerable")
    assert "500 mg" in item.gold_answer
    assert item.relevant == [asked[0].claims.get(index=1).citations.get().sha256]


def test_what_was_not_is_a_question_to_look_at(asked: list[Turn]) -> None:
    (item,) = collected(Which.NOT_HELPFUL).questions.all()
    assert (item.question, item.kind, item.category) == (UNANSWERABLE, "unlabelled", "not helpful")
    assert (item.gold_answer, item.relevant) == ("", [])


def test_evaluations_and_other_days_are_left_out(asked: list[Turn]) -> None:
    assert collected(Which.ALL).questions.count() == 2
    yesterday = timezone.localdate() - datetime.timedelta(days=1)
    with pytest.raises(NothingToCollect):
        collected(Which.ALL, first=yesterday, last=yesterday)


def test_in_the_administration(asked: list[Turn], bob: User) -> None:
    client = member(bob, EVALUATORS)
    assert client.get(reverse(COLLECT)).status_code == 403  # may not read others' questions
    client = member(bob, EVALUATORS, AUDITORS)
    assert reverse(COLLECT) in listed(client)
    today = timezone.localdate().isoformat()
    given = {"name": "ward", "which": "refused", "first": today, "last": today, "limit": 10}
    page = client.post(reverse(COLLECT), given, follow=True)
    assert "ward is stored. Questions: 1." in page.content.decode().replace("Ward", "ward")
    again = client.post(reverse(COLLECT), given).content.decode()
    assert "has the same questions" in again
    wrong = client.post(reverse(COLLECT), given | {"first": "2999-01-01"}).content.decode()
    assert "The last day is before the first day." in wrong


def listed(client: Client) -> str:
    return client.get(reverse("admin:evaluation_questionset_changelist")).content.decode()
