"""Test the tasks on corpus staff's start page: counts that match their pages, and who sees them."""

import datetime

from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.reviews.feedback import feedback_save
from corpus.models import Collection, Document, Job, JobState, Lifecycle, Page
from medrag_site.groups import PUBLISHERS, STAFF
from medrag_site.start_page import GROUPS, TECHNICAL
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpus.admin.test_admin import documents, member
from tests.people import client_of, narrow, person

INDEX = reverse("admin:index")
GAPS, UNHELPFUL = reverse("admin:chat_feedback_gaps"), reverse("admin:chat_feedback_unhelpful")


def waiting(client: Client) -> dict[str, int]:
    context = client.get(INDEX).context
    shown = [*context["waiting_documents"], *context["waiting_questions"]]
    return {one.url.rpartition("=")[2] if "=" in one.url else one.url: one.count for one in shown}


def test_each_number_is_that_of_the_list_behind_it(alice: User) -> None:
    checked, ready, failed, due, later = documents(5)
    Job.objects.exclude(document=failed).update(state=JobState.DONE)
    Job.objects.filter(document=failed).update(state=JobState.FAILED)
    today = timezone.localdate()
    for document, state, days in (
        (ready, Lifecycle.REVIEW, -1),
        (due, Lifecycle.PUBLISHED, 30),
        (later, Lifecycle.PUBLISHED, 31),
    ):
        day = today + datetime.timedelta(days=days)
        Document.objects.filter(pk=document.pk).update(lifecycle=state, review_by=day)
    Page.objects.filter(document__in=[ready, due]).update(doubts=[{"message": "A table."}])
    client = member(alice, STAFF)
    found = waiting(client)
    assert [found[name] for name in ("check", "publish", "failed", "doubt", "due")] == [1] * 5
    for name, document in zip(
        ("check", "publish", "failed", "doubt", "due"),
        (checked, ready, failed, ready, due),
        strict=True,
    ):
        listed = client.get(reverse("admin:corpus_document_changelist"), {"attention": name})
        assert [row.pk for row in listed.context["cl"].result_list] == [document.pk], name
    assert reverse("admin:corpus_document_add") in client.get(INDEX).content.decode()


def test_what_is_being_read_and_what_no_question_finds_is_told(alice: User) -> None:
    searched, unsearched = documents(2)
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    Document.objects.filter(pk=searched.pk).update(indexed_at=timezone.now())
    Job.objects.filter(document=unsearched).update(state=JobState.DONE)
    Job.objects.filter(document=searched).update(state=JobState.RUNNING)
    client = member(alice, STAFF)
    assert [waiting(client)[name] for name in ("reading", "missing")] == [1, 1]
    for name, document in (("reading", searched), ("missing", unsearched)):
        listed = client.get(reverse("admin:corpus_document_changelist"), {"attention": name})
        assert [row.pk for row in listed.context["cl"].result_list] == [document.pk], name


def test_a_long_corpus_costs_no_more_queries(
    alice: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = member(alice, STAFF)
    documents(60)
    with django_assert_max_num_queries(11):
        client.get(INDEX)


def test_staff_read_what_was_asked_where_they_work_and_not_who_asked(
    bob: User, alice: User
) -> None:
    publish_guideline()
    asked = "What is the boiling point of tungsten for jane.doe@example.org?"
    refused, answered = ask(alice, asked), ask(alice, QUESTION)
    feedback_save(answered, helpful=False, comment="Too short.")
    client = member(bob, STAFF)
    assert waiting(client)[GAPS] == waiting(client)[UNHELPFUL] == 1
    gaps, unhelpful = (client.get(url).content.decode() for url in (GAPS, UNHELPFUL))
    assert "boiling point of tungsten" in gaps
    assert QUESTION in unhelpful
    assert "Too short." in unhelpful
    assert "alice" not in gaps + unhelpful
    assert "jane.doe" not in gaps
    assert str(refused.pk) not in gaps


def test_what_was_asked_in_other_collections_is_hidden(alice: User) -> None:
    document = publish_guideline()
    Collection.objects.create(slug="heart", name="Heart")
    heart_only = person("heart", STAFF, "Cardiology")
    for right in ("uploaders", "publishers"):
        narrow(document.collection, right, "Chest team")
    feedback_save(ask(alice, QUESTION), helpful=False)
    ask(alice, UNANSWERABLE, collections=("chest",))
    client = client_of(heart_only)
    assert waiting(client)[GAPS] == waiting(client)[UNHELPFUL] == 0
    assert client.get(GAPS).context["heard"] == []
    ask(alice, UNANSWERABLE)  # searched in all her collections, theirs among them
    assert waiting(client)[GAPS] == 1
    narrow(Collection.objects.get(slug="heart"), "searchers", "Cardiology")
    assert waiting(client)[GAPS] == 0  # no longer one of her collections


def test_nothing_of_it_for_others(alice: User) -> None:
    Collection.objects.create(slug="chest", name="Chest")
    evaluator = member(alice, "Evaluators")
    assert evaluator.get(GAPS).status_code == 403
    assert "What waits" not in evaluator.get(INDEX).content.decode()
    assert member(alice, PUBLISHERS).get(UNHELPFUL).status_code == 200


def test_what_people_come_for_stands_first_under_its_plain_name(alice: User) -> None:
    alice.is_superuser = True
    alice.save()
    client = member(alice, STAFF)
    shown = client.get(INDEX)
    groups = {app["name"]: [m["name"] for m in app["models"]] for app in shown.context["app_list"]}
    assert list(groups) == [*GROUPS, TECHNICAL]
    assert groups["Guidelines"][:2] == ["Guideline documents", "Collections"]
    assert groups["Evaluation of this site"][:4] == [
        "Sets of test questions",
        "Test questions",
        "Runs of test questions",
        "Answers to test questions",
    ]
    every = [name for names in groups.values() for name in names]
    assert len(every) == len(set(every)) == len(admin.site._registry)
    assert '<h2 id="answers-and-audit">Answers and audit</h2>' in shown.content.decode()
    listed = client.get(reverse("admin:corpus_document_changelist")).content.decode()
    assert "<h1>Guideline documents</h1>" in listed
    assert "<title>Guideline documents ·" in listed


def test_one_is_not_told_as_several(alice: User, bob: User) -> None:
    publish_guideline()
    feedback_save(ask(alice, QUESTION), helpful=False, comment="")
    shown = member(bob, STAFF).get(INDEX).content.decode()
    assert "</strong> answer said to be not helpful" in shown
    assert "</strong> questions without an answer" in shown
