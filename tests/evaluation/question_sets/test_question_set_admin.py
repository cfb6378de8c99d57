"""Question sets in the administration: evaluators upload and read them, nobody changes one."""

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Question, QuestionSet
from medrag_site.groups import AUDITORS, CLINICIANS, EVALUATORS, PUBLISHERS, STAFF
from tests.corpus.admin.test_admin import member
from tests.evaluation.question_sets.test_forms import GUIDELINE

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
