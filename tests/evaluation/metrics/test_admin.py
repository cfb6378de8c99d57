"""Auditors and staff read the evaluation in the administration; nobody writes there."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evaluation.metrics.statistics import interval
from evaluation.models import ItemScore, Kind, Run, TestSet
from medrag_site.groups import AUDITORS, CLINICIANS, STAFF
from tests.corpus.admin.test_admin import member

VALUES = {"first": [0.2, 0.4, 0.6], "second": [0.3, 0.4, 0.9]}


def store(name: str, test_set: TestSet, values: list[float]) -> Run:
    now = timezone.now()
    run = Run.objects.create(
        kind=Kind.RETRIEVAL,
        test_set=test_set,
        name=name,
        recipe="as set",
        metrics={"nDCG@10": interval(values).as_json()},
        latency_ms={"whole": {"p50": 1.0, "p95": 2.0, "p99": 3.0}},
        notes={"reranker http: no answer": 2},
        started_at=now,
        finished_at=now,
    )
    for number, value in enumerate(values):
        ItemScore.objects.create(run=run, query=f"q{number}", scores={"nDCG@10": value})
    return run


def test_set(digest: str) -> TestSet:
    counts = {"documents": 3, "queries": 3, "judgements": 3}
    return TestSet.objects.create(digest=digest, name=f"set {digest}", form="beir", **counts)


test_set.__test__ = False  # type: ignore[attr-defined]


@pytest.fixture
def runs(db: None) -> tuple[Run, Run]:
    shared = test_set("a")
    return store("one", shared, VALUES["first"]), store("two", shared, VALUES["second"])


@pytest.mark.parametrize("group", [AUDITORS, STAFF])
def test_auditors_and_staff_see_runs(bob: User, runs: tuple[Run, Run], group: str) -> None:
    client = member(bob, group)
    listed = client.get(reverse("admin:evaluation_run_changelist")).content.decode()
    assert "0.4000 (0.2000 to 0.6000, n = 3)" in listed
    shown = client.get(reverse("admin:evaluation_run_change", args=[runs[0].pk]))
    assert shown.status_code == 200
    assert "reranker http: no answer" in shown.content.decode()
    for model in ("testset", "itemscore"):
        assert client.get(reverse(f"admin:evaluation_{model}_changelist")).status_code == 200


def test_a_measure_of_nothing_is_shown_as_none(bob: User, db: None) -> None:
    store("one that failed", test_set("b"), [])
    page = member(bob, AUDITORS).get(reverse("admin:evaluation_run_changelist"))
    assert "n = 0" not in page.content.decode()
    assert "0.0000" not in page.content.decode()


def test_two_runs_are_compared_from_the_list(bob: User, runs: tuple[Run, Run]) -> None:
    client = member(bob, AUDITORS)
    chosen = {"action": "compare_two", "_selected_action": [run.pk for run in runs]}
    response = client.post(reverse("admin:evaluation_run_changelist"), chosen, follow=True)
    content = response.content.decode()
    assert response.redirect_chain[0][0].endswith(f"first={runs[0].pk}&second={runs[1].pk}")
    assert '<th scope="row">nDCG@10</th><td>+0.1333</td>' in content
    moved = re.findall(r'<th scope="row">(q\d)</th>', content)
    assert moved == ["q2", "q0"]  # what moved most comes first; q1 did not move


def test_one_run_or_three_are_not_compared(bob: User, runs: tuple[Run, Run]) -> None:
    client = member(bob, AUDITORS)
    chosen = {"action": "compare_two", "_selected_action": [runs[0].pk]}
    response = client.post(reverse("admin:evaluation_run_changelist"), chosen, follow=True)
    assert "Choose exactly two runs" in response.content.decode()


def test_runs_over_other_sets_are_not_compared(bob: User, runs: tuple[Run, Run]) -> None:
    other = store("three", test_set("b"), VALUES["first"])
    address = reverse("admin:evaluation_run_compare")
    response = member(bob, AUDITORS).get(f"{address}?first={runs[0].pk}&second={other.pk}", follow=True)  # noqa: E501  # fmt: skip
    assert "different test sets" in response.content.decode()


def test_a_run_as_served_is_not_compared_with_a_long_list(bob: User, runs: tuple[Run, Run]) -> None:
    Run.objects.filter(pk=runs[1].pk).update(
        fingerprints={"as_served": True, "gate": {"version": "site-7"}}
    )
    client = member(bob, AUDITORS)
    query = f"first={runs[0].pk}&second={runs[1].pk}"
    response = client.get(f"{reverse('admin:evaluation_run_compare')}?{query}", follow=True)
    assert "for a long list. They can&#x27;t be compared." in response.content.decode()
    shown = client.get(reverse("admin:evaluation_run_change", args=[runs[1].pk]))
    assert "site-7" in shown.content.decode()


@pytest.mark.parametrize("query", ["", "first=1", "first=x&second=y", "first=9999999999999999999"])
def test_runs_that_are_not_there(bob: User, db: None, query: str) -> None:
    address = reverse("admin:evaluation_run_compare")
    assert member(bob, AUDITORS).get(f"{address}?{query}").status_code == 404


def test_others_see_nothing(bob: User, runs: tuple[Run, Run]) -> None:
    client = member(bob, CLINICIANS)
    address = reverse("admin:evaluation_run_compare")
    query = f"first={runs[0].pk}&second={runs[1].pk}"
    assert client.get(f"{address}?{query}").status_code in (302, 403)
    assert client.get(reverse("admin:evaluation_run_changelist")).status_code in (302, 403)


def test_nobody_writes_there(bob: User, runs: tuple[Run, Run]) -> None:
    client = member(bob, AUDITORS)
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    for address in ("add", "delete"):
        arguments = [] if address == "add" else [runs[0].pk]
        response = client.post(reverse(f"admin:evaluation_run_{address}", args=arguments))
        assert response.status_code == 403
    assert Run.objects.count() == 2


def test_the_list_costs_a_fixed_number_of_queries(
    bob: User, runs: tuple[Run, Run], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = member(bob, AUDITORS)
    for number in range(10):
        store(f"more {number}", runs[0].test_set, VALUES["first"])
    with django_assert_max_num_queries(12):
        client.get(reverse("admin:evaluation_run_changelist"))
