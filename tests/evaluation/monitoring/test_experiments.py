"""The page of an experiment: its figures and warning, and who may start, stop and see it."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.experiments.services import ExperimentOrder, experiment_start, experiment_stop
from chat.models import (
    Arm,
    Conversation,
    Experiment,
    Feedback,
    Flag,
    Mode,
    Reason,
    Review,
    ReviewState,
    Turn,
    Verdict,
)
from evaluation.monitoring.experiments import experiment_reported
from medrag_site.groups import (
    ADMINISTRATORS,
    AUDITORS,
    EVALUATORS,
    INTEGRATORS,
    PUBLISHERS,
    REVIEWERS,
    STAFF,
)
from tests.evaluation.monitoring.days import TODAY, asked
from tests.people import person

LIST = reverse("admin:chat_experiment_changelist")
ADD = reverse("admin:chat_experiment_add")
GIVEN = {"name": "Stricter", "mode": "", "confidence_threshold": "0.8", "percent": "20"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(alice: User) -> Experiment:
    return experiment_start(ExperimentOrder("Faithful", 0.5, mode=Mode.FAITHFUL), by=alice)


def page_of(experiment: Experiment) -> str:
    return reverse("admin:chat_experiment_change", args=[experiment.pk])


def stop_of(experiment: Experiment) -> str:
    return reverse("admin:chat_experiment_stop", args=[experiment.pk])


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def turn_in(experiment: Experiment | None, arm: str, **fields: Any) -> Turn:
    return asked(TODAY, experiment=experiment, arm=arm, **fields)


def reviewed(turn: Turn, verdict: Verdict, flag: Flag = Flag.SAMPLE) -> None:
    done = {"state": ReviewState.DONE, "done_at": timezone.now()}
    Review.objects.create(turn=turn, verdict=verdict, flags=[flag], **done)


def reviewed_answers(experiment: Experiment, arm: Arm, *, wrong: int, of: int) -> None:
    for number in range(of):
        reviewed(turn_in(experiment, arm), Verdict.WRONG if number < wrong else Verdict.CORRECT)


def test_each_arm_is_counted_by_itself(
    experiment: Experiment, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    thread = Conversation.objects.create(user=alice, title="")
    base = [turn_in(experiment, Arm.BASELINE, duration_ms=100 * n) for n in range(1, 5)]
    turn_in(experiment, Arm.BASELINE, reason=Reason.NO_EVIDENCE, duration_ms=500)
    tried = [
        turn_in(experiment, Arm.CANDIDATE, duration_ms=10, conversation=thread) for _ in range(2)
    ]
    turn_in(experiment, Arm.CANDIDATE, reason=Reason.NO_EVIDENCE, fingerprint="")
    turn_in(experiment, Arm.CANDIDATE, reason=Reason.LOW_CONFIDENCE, fingerprint="a" * 16)
    Feedback.objects.create(turn=base[0], helpful=True)
    Feedback.objects.create(turn=base[1], helpful=False)
    Feedback.objects.create(turn=tried[0], helpful=True)
    for turn, verdict in zip(
        base, (Verdict.CORRECT, Verdict.WRONG, Verdict.DANGEROUS), strict=False
    ):
        reviewed(turn, verdict)
    reviewed(base[3], Verdict.WRONG, Flag.FEEDBACK)  # a sample of feedback is not random
    reviewed(tried[1], Verdict.INCOMPLETE)
    Feedback.objects.create(turn=turn_in(None, ""), helpful=False)  # of no experiment

    with django_assert_num_queries(6):
        found = experiment_reported(experiment)
    one, two = found.baseline, found.candidate
    assert (one.questions, one.conversations, one.configurations) == (5, 1, 1)
    assert (two.questions, two.conversations, two.configurations) == (4, 2, 2)
    assert (one.p50_ms, one.p95_ms) == (300, 480)  # of 100 to 500: 400 + 0.8 x 100
    held = [(h.baseline.hits, h.baseline.n, h.candidate.hits, h.candidate.n) for h in found.shares]
    assert held == [(4, 5, 2, 4), (1, 2, 1, 1), (2, 3, 0, 1)]
    assert [(h.name, h.baseline.hits, h.candidate.hits) for h in found.refused] == [
        (str(Reason.NO_EVIDENCE.label), 1, 1),
        (str(Reason.LOW_CONFIDENCE.label), 0, 1),
    ]
    answered = found.shares[0].difference
    assert answered is not None
    # Wilson: 4 of 5 is 0.3755 to 0.9638, 2 of 4 is 0.1500 to 0.8500. So
    # -0.3 - sqrt(0.3500^2 + 0.1638^2) and -0.3 + sqrt(0.3500^2 + 0.4245^2).
    assert answered == pytest.approx((-0.3, -0.6864, 0.2502), abs=2e-4)


def test_an_empty_one_has_a_page(experiment: Experiment, client: Client) -> None:
    client.force_login(person("evaluator", EVALUATORS))
    page = text_of(client.get(page_of(experiment)))
    assert "Nothing was refused." in page
    assert "mode faithful (the site: confident-lite)" in page
    assert "errornote" not in page
    found = experiment_reported(experiment)
    assert [held.difference for held in found.shares] == [None] * 3


@pytest.mark.parametrize(("wrong", "is_warned"), [(12, True), (5, False)])
def test_a_worse_candidate_is_warned_of_and_runs_on(
    experiment: Experiment, client: Client, wrong: int, is_warned: bool
) -> None:
    """40 reviewed in each arm, 2 wrong in the baseline: 12 wrong exclude equality, 5 do not."""
    reviewed_answers(experiment, Arm.BASELINE, wrong=2, of=40)
    reviewed_answers(experiment, Arm.CANDIDATE, wrong=wrong, of=40)
    client.force_login(person("auditor", AUDITORS))
    page = text_of(client.get(page_of(experiment)))
    assert ("significantly more wrong or dangerous" in page) is is_warned
    assert f"{(wrong - 2) / 40 * 100:+.1f}" in page
    assert Experiment.objects.get().is_running


def test_a_better_candidate_is_not_warned_of(experiment: Experiment) -> None:
    reviewed_answers(experiment, Arm.BASELINE, wrong=12, of=40)
    reviewed_answers(experiment, Arm.CANDIDATE, wrong=2, of=40)
    found = experiment_reported(experiment)
    assert not found.is_candidate_worse


def test_an_evaluator_starts_and_stops_one(client: Client) -> None:
    evaluator = person("evaluator", EVALUATORS)
    client.force_login(evaluator)
    assert "Start an experiment" in text_of(client.get(LIST))
    form = text_of(client.get(ADD))
    assert "As the site: Confident, with coverage from the search" in form
    assert "If empty, that of the site, 0.6" in form
    assert 'value="confident"' not in form  # this site has no judge
    page = client.post(ADD, GIVEN, follow=True)
    experiment = Experiment.objects.get()
    assert page.redirect_chain[-1][0] == page_of(experiment)
    assert (experiment.share, experiment.confidence_threshold) == (0.2, 0.8)
    assert experiment.started_by == evaluator

    again = text_of(client.post(ADD, GIVEN))
    assert "Another experiment is running. Nothing was started. Stop that one first." in again
    assert Experiment.objects.count() == 1

    assert "A reason is needed" in text_of(client.post(stop_of(experiment), follow=True))
    assert client.get(stop_of(experiment)).status_code == 405
    why = {"reason": "Enough <b>seen</b>."}
    page_text = text_of(client.post(stop_of(experiment), why, follow=True))
    assert "Stricter is stopped." in page_text
    assert "by evaluator: Enough &lt;b&gt;seen&lt;/b&gt;." in page_text
    assert "Stop for good" not in page_text
    assert "stopped already" in text_of(client.post(stop_of(experiment), why, follow=True))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"percent": "50.1"}, "half of them at most"),
        ({"confidence_threshold": ""}, "what the site does already"),
        ({"mode": "confident"}, "not one of the available choices"),
    ],
)
def test_what_is_wrong_stands_beside_the_form(
    client: Client, given: dict[str, str], sentence: str
) -> None:
    client.force_login(person("evaluator", EVALUATORS))
    assert sentence in text_of(client.post(ADD, GIVEN | given))
    assert not Experiment.objects.exists()


def test_the_page_says_that_it_rests(
    experiment: Experiment, client: Client, settings: LazySettings
) -> None:
    client.force_login(person("auditor", AUDITORS))
    settings.CONFIDENCE_THRESHOLD = 0.7
    assert "It is paused" in text_of(client.get(page_of(experiment)))
    experiment_stop(experiment, reason="Enough.", by=User.objects.get(username="auditor"))
    assert "It is paused" not in text_of(client.get(page_of(experiment)))


# who: what comes of the list, the page, a start, a stop, and a form sent to the page
SEEN, RUN, NO = (200, 200, 403, 403, 403), (200, 200, 200, 200, 403), (403,) * 5
RIGHTS = {
    EVALUATORS: RUN,
    AUDITORS: SEEN,
    REVIEWERS: NO,
    STAFF: NO,
    PUBLISHERS: NO,
    INTEGRATORS: NO,
    ADMINISTRATORS: NO,
}


@pytest.mark.parametrize(("group", "expected"), RIGHTS.items())
def test_who_may_do_what(
    experiment: Experiment, client: Client, group: str, expected: tuple[int, ...]
) -> None:
    client.force_login(person("somebody", group))
    found = (
        client.get(LIST).status_code,
        client.get(page_of(experiment)).status_code,
        client.get(ADD).status_code,
        client.post(stop_of(experiment), {"reason": "Enough."}, follow=True).status_code,
        client.post(page_of(experiment), {"name": "Another"}).status_code,
    )
    assert found == expected
    if group != EVALUATORS:
        assert client.post(ADD, GIVEN).status_code == 403
        assert Experiment.objects.get().is_running
    assert Experiment.objects.get().name == "Faithful"
    delete = reverse("admin:chat_experiment_delete", args=[experiment.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403


def test_a_clinician_is_sent_to_sign_in(experiment: Experiment, client: Client) -> None:
    client.force_login(person("clinician"))
    for address in (LIST, ADD, page_of(experiment)):
        assert client.get(address).status_code == 302
    assert client.post(stop_of(experiment), {"reason": "Enough."}).status_code == 302
    assert Experiment.objects.get().is_running


def test_the_page_of_an_answer_names_its_arm_to_auditors_alone(
    experiment: Experiment, client: Client
) -> None:
    turn = turn_in(experiment, Arm.CANDIDATE, trace={})
    address = reverse("admin:chat_turn_change", args=[turn.pk])
    client.force_login(person("auditor", AUDITORS))
    page = text_of(client.get(address))
    assert f'<a href="{page_of(experiment)}">Faithful</a>: Candidate' in page
    client.force_login(person("reviewer", REVIEWERS))  # reviewers must not know the arm
    page = text_of(client.get(address))
    assert "Candidate" not in page and page_of(experiment) not in page
