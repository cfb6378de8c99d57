"""Test the list of past answers that cited a withdrawn document."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Turn
from corpus import signals
from corpus.models import Collection, Document, Lifecycle
from corpus.selectors import answers_citing
from corpus.services.lifecycle import document_withdraw
from medrag_site.groups import AUDITORS, PUBLISHERS
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.people import narrow, person


def test_one_row_an_answer_the_newest_first(
    guideline: Document, alice: User, bob: User, django_assert_num_queries: Any
) -> None:
    first, second = ask(alice), ask(bob)
    ask(alice, UNANSWERABLE)
    third = ask()
    with django_assert_num_queries(1):
        found = answers_citing(guideline)
    assert [answer.reference for answer in found] == [str(t.pk) for t in (third, second, first)]
    assert [answer.asked_by for answer in found] == ["system", "bob", "alice"]
    assert found[-1].asked_at == first.created_at
    assert QUESTION not in str(found)


def test_a_reader_gets_the_statements_that_are_open_to_them(
    guideline: Document, alice: User, django_assert_num_queries: Any
) -> None:
    publisher, auditor = person("publisher", PUBLISHERS), person("auditor", AUDITORS)
    closed = Collection.objects.create(slug="closed", name="Closed")
    narrow(closed, "searchers", "Ward")
    other = publish_guideline(title="Closed to most", collection=closed)
    for _ in range(3):
        turn = ask(alice)
    first = turn.claims.first()
    assert first is not None
    narrow(guideline.collection, "searchers", "Ward")  # who works in it reads it all the same
    said = first.text
    assert answers_citing(guideline)[0].statements == ()
    with django_assert_num_queries(6):  # permissions, rights, answers, statements, citations
        answers = answers_citing(guideline, reader=publisher)
    assert all(said in answer.statements for answer in answers)
    cited = first.citations.all()[0]
    cited.pk, cited.document, cited.sha256 = None, other, other.sha256
    cited.save(force_insert=True)
    assert said not in answers_citing(guideline, reader=publisher)[0].statements
    assert said in answers_citing(guideline, reader=auditor)[0].statements


def test_its_address_is_the_auditors_page(guideline: Document, alice: User) -> None:
    turn = ask(alice)
    (answer,) = answers_citing(guideline)
    client = Client()
    client.force_login(person("auditor", AUDITORS))
    response = client.get(answer.url)
    assert response.status_code == 200
    assert turn.question in response.content.decode()


def test_a_withdrawal_gives_the_list_and_another_document_is_not_on_it(
    guideline: Document, alice: User
) -> None:
    turn = ask(alice)
    other = publish_guideline(title="Tungsten in adults")
    assert document_withdraw(other, by=None, reason="Harm was reported.") == []
    (answer,) = document_withdraw(guideline, by=None, reason="Harm was reported.")
    assert answer.reference == str(turn.pk)


def test_a_list_that_can_not_be_made_is_an_error_and_withdraws_nothing(guideline: Document) -> None:
    """An empty list would say that nobody need be told."""

    def fail(**said: Any) -> list[Any]:
        raise RuntimeError("no answers today")

    signals.answers_citing.connect(fail, dispatch_uid="test")
    try:
        with pytest.raises(RuntimeError):
            document_withdraw(guideline, by=None, reason="Harm was reported.")
    finally:
        signals.answers_citing.disconnect(dispatch_uid="test")
    assert Document.objects.get(pk=guideline.pk).lifecycle == Lifecycle.PUBLISHED
    assert Turn.objects.count() == 0
