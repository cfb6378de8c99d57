"""Test experiments: arms and their shares, what answers in each, and how one starts and stops."""

import datetime
import json
import uuid
from functools import partial
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import IntegrityError, connections, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from chat.audit import log as audit
from chat.audit.verify import verify_chain
from chat.config import answer_config
from chat.experiments.arms import arm_of, inactive_reason
from chat.experiments.services import (
    ExperimentError,
    ExperimentOrder,
    experiment_start,
    experiment_stop,
)
from chat.models import (
    Arm,
    AuditEvent,
    Channel,
    Conversation,
    Experiment,
    Mode,
    Reason,
    Turn,
    TurnStatus,
)
from chat.replays.replay import turn_replay
from corpus.models import Document
from tests.chat.guidelines import QUESTION, ask, publish_guideline
from tests.models import set_model, unset_models
from tests.together import at_once

FAITHFUL = ExperimentOrder("Faithful", 0.5, mode=Mode.FAITHFUL)
REFUSING = ExperimentOrder("All but sure", 0.5, confidence_threshold=1.0)


@pytest.fixture
def running(alice: User, guideline: Document) -> Experiment:
    return experiment_start(FAITHFUL, by=alice)


def begun(experiment: Experiment, arm: Arm, user: User) -> Conversation:
    """Create a conversation whose id falls into the arm."""
    keys = (uuid.uuid4() for _ in range(1000))
    pk = next(key for key in keys if arm_of(experiment.pk, key, share=experiment.share) is arm)
    return Conversation.objects.create(pk=pk, user=user, title="")


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_arms_are_near_their_share_and_stay(share: float) -> None:
    """Within 4 standard deviations of the binomial for 2,000 ids: one run in 16,000 is outside."""
    keys = [uuid.UUID(int=number) for number in range(2000)]
    arms = [arm_of(7, key, share=share) for key in keys]
    expected, spread = 2000 * share, (2000 * share * (1 - share)) ** 0.5
    assert abs(arms.count(Arm.CANDIDATE) - expected) < 4 * spread
    assert arms == [arm_of(7, key, share=share) for key in keys]
    again = [arm_of(8, key, share=share) for key in keys]
    both = sum(a is b is Arm.CANDIDATE for a, b in zip(arms, again, strict=True))
    assert abs(both - 2000 * share**2) < 4 * (2000 * share**2) ** 0.5  # independent arms


def test_who_is_in_a_smaller_share_is_in_a_larger(db: None) -> None:
    keys = [uuid.UUID(int=number) for number in range(500)]
    small = {key for key in keys if arm_of(7, key, share=0.1) is Arm.CANDIDATE}
    assert small < {key for key in keys if arm_of(7, key, share=0.4) is Arm.CANDIDATE}


def test_a_conversation_is_answered_in_its_arm(running: Experiment, alice: User) -> None:
    for arm, mode in ((Arm.CANDIDATE, Mode.FAITHFUL), (Arm.BASELINE, Mode.CONFIDENT_LITE)):
        thread = begun(running, arm, alice)
        turns = [ask(alice, conversation=thread) for _ in range(2)]
        for turn in turns:
            assert (turn.experiment, turn.arm, turn.mode) == (running, arm, mode)
            assert turn.trace["answers"]["mode"] == mode
        assert len({turn.fingerprint for turn in turns}) == 1
    assert len(set(Turn.objects.values_list("fingerprint", flat=True))) == 2


def test_the_question_that_begins_a_conversation_is_in_its_arm(
    running: Experiment, alice: User
) -> None:
    for _ in range(4):
        first = ask(alice)
        assert first.conversation is not None
        assert first.arm == arm_of(running.pk, first.conversation.pk, share=running.share)
        assert ask(alice, conversation=first.conversation).arm == first.arm


def test_who_is_in_no_arm(running: Experiment, alice: User) -> None:
    old = begun(running, Arm.CANDIDATE, alice)
    before = running.started_at - datetime.timedelta(seconds=1)
    Conversation.objects.filter(pk=old.pk).update(created_at=before)
    candidate = begun(running, Arm.CANDIDATE, alice)
    turns = [
        ask(alice, conversation=Conversation.objects.get(pk=old.pk)),
        ask(alice, conversation=candidate, mode=Mode.STANDARD),  # chosen by the asker
        # Chosen too, though it is the site's mode
        ask(alice, conversation=candidate, mode=Mode.CONFIDENT_LITE),
        ask(alice, channel=Channel.API),  # without a conversation
        ask(alice, conversation=candidate, channel=Channel.EVALUATION),
    ]
    assert [(turn.experiment, turn.arm) for turn in turns] == [(None, "")] * 5
    assert [turn.mode for turn in turns].count(Mode.CONFIDENT_LITE) == 4


def test_the_threshold_of_the_candidate_counts(guideline: Document, alice: User) -> None:
    experiment = experiment_start(REFUSING, by=alice)
    refused = ask(alice, conversation=begun(experiment, Arm.CANDIDATE, alice))
    assert refused.trace["answers"]["confidence_threshold"] == 1.0
    assert refused.mode == Mode.CONFIDENT_LITE
    answered = ask(alice, conversation=begun(experiment, Arm.BASELINE, alice))
    assert answered.trace["answers"]["confidence_threshold"] == 0.6
    assert answered.status == TurnStatus.ANSWERED
    assert (refused.reason == Reason.LOW_CONFIDENCE) == (answered.confidence < 1)


def test_a_blocked_question_is_in_its_arm(
    guideline: Document, alice: User, settings: LazySettings
) -> None:
    settings.IDENTIFIERS = "block"
    experiment = experiment_start(FAITHFUL, by=alice)
    thread = begun(experiment, Arm.CANDIDATE, alice)
    asked = f"{QUESTION} NHS number 943 476 5919"
    turn = ask(alice, asked, conversation=thread)
    assert turn.reason == Reason.IDENTIFIERS_IN_QUESTION
    assert (turn.experiment, turn.arm) == (experiment, Arm.CANDIDATE)


def test_what_runs_is_read_once_a_question_and_never_where_none_can_count(
    running: Experiment, alice: User
) -> None:
    def reads(**asked: Any) -> int:
        with CaptureQueriesContext(connections["default"]) as sent:
            ask(alice, **asked)
        return sum('FROM "chat_experiment"' in query["sql"] for query in sent)

    thread = begun(running, Arm.CANDIDATE, alice)
    assert reads(conversation=thread) == 1
    assert reads(mode=Mode.STANDARD) == 0
    assert reads(channel=Channel.API) == 0


@pytest.mark.parametrize("arm", Arm)
def test_a_replay_runs_with_what_the_turn_had(running: Experiment, alice: User, arm: Arm) -> None:
    turn = ask(alice, conversation=begun(running, arm, alice))
    assert not turn_replay(turn).changed
    experiment_stop(running, reason="Enough.", by=alice)
    assert not turn_replay(turn).changed


def test_a_replay_sees_a_threshold_that_was_not_the_turns(guideline: Document, alice: User) -> None:
    """The test above would pass if a replay ignored the turn's own settings."""
    experiment = experiment_start(FAITHFUL, by=alice)
    turn = ask(alice, conversation=begun(experiment, Arm.CANDIDATE, alice))
    turn.mode = Mode.CONFIDENT_LITE
    places = [one.place for one in turn_replay(turn).changed[0].differences]
    assert places == ["answers.mode", "fingerprint"]


def test_a_turn_is_vouched_for_with_its_arm(own_database: str) -> None:
    alice = User.objects.create_user("alice")
    publish_guideline()
    experiment = experiment_start(FAITHFUL, by=alice)
    turn = ask(alice, conversation=begun(experiment, Arm.CANDIDATE, alice))
    assert verify_chain().ok
    Turn.objects.using("owner").filter(pk=turn.pk).update(arm=Arm.BASELINE)
    assert not verify_chain().ok


def test_it_rests_while_the_site_is_set_otherwise(
    running: Experiment, alice: User, settings: LazySettings
) -> None:
    thread = begun(running, Arm.CANDIDATE, alice)
    settings.MODE = Mode.STANDARD.value
    assert inactive_reason(running, answer_config())
    turn = ask(alice, conversation=thread)
    assert (turn.experiment, turn.mode) == (None, Mode.STANDARD)
    settings.MODE = Mode.CONFIDENT_LITE.value
    assert ask(alice, conversation=thread).experiment == running


def test_a_judge_that_is_gone_refuses_nobody(
    guideline: Document, alice: User, settings: LazySettings
) -> None:
    set_model(settings, "judge", "http://127.0.0.1:9", model="judge-1")
    judged = ExperimentOrder("Judged", 0.5, mode=Mode.CONFIDENT)
    experiment = experiment_start(judged, by=alice)
    unset_models(settings, "judge")
    turn = ask(alice, conversation=begun(experiment, Arm.CANDIDATE, alice))
    assert (turn.status, turn.experiment) == (TurnStatus.ANSWERED, None)


def test_a_start_is_in_the_log(running: Experiment, alice: User) -> None:
    event = AuditEvent.objects.get(action="experiment.started")
    assert (event.subject, event.actor) == (f"experiment:{running.pk}", audit.actor_name(alice))
    payload = json.loads(event.payload)
    assert (payload["mode"], payload["share"]) == ("faithful", 0.5)
    assert payload["baseline"]["mode"] == "confident-lite"
    assert Experiment.objects.get().baseline == answer_config().as_dict()


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (ExperimentOrder(" ", 0.1, mode="faithful"), "no name"),
        (ExperimentOrder("x", 0.0, mode="faithful"), "half of them at most"),
        (ExperimentOrder("x", 0.51, mode="faithful"), "half of them at most"),
        (ExperimentOrder("x", float("nan"), mode="faithful"), "half of them at most"),
        (ExperimentOrder("x", 0.1, mode="confident"), "this site has none"),
        (ExperimentOrder("x", 0.1, confidence_threshold=-0.1), "from 0 to 1"),
        (ExperimentOrder("x", 0.1, confidence_threshold=1.1), "from 0 to 1"),
        (ExperimentOrder("x", 0.1, confidence_threshold=float("nan")), "from 0 to 1"),
        (ExperimentOrder("x", 0.1, "standard", 0.7), "no confidence is needed"),
        (ExperimentOrder("x", 0.1), "already"),
        (ExperimentOrder("x", 0.1, "confident-lite", 0.6), "already"),
    ],
)
def test_what_is_not_started(alice: User, order: ExperimentOrder, sentence: str) -> None:
    with pytest.raises(ExperimentError, match=sentence) as raised:
        experiment_start(order, by=alice)
    assert "Nothing was started." in raised.value.sentence
    assert not Experiment.objects.exists()
    assert not AuditEvent.objects.exists()


def test_one_runs_at_a_time_and_none_again(running: Experiment, alice: User) -> None:
    with pytest.raises(ExperimentError, match="Another experiment is running"):
        experiment_start(REFUSING, by=alice)
    with pytest.raises(IntegrityError), transaction.atomic():
        Experiment.objects.create(
            name="beside", share=0.1, baseline={}, started_at=timezone.now(), started_by=alice
        )
    with pytest.raises(ExperimentError, match="A reason is needed"):
        experiment_stop(running, reason=" \n", by=alice)
    assert Experiment.objects.get().is_running

    experiment_stop(running, reason="It refuses.", by=alice)
    assert (running.is_running, running.stop_reason) == (False, "It refuses.")
    event = AuditEvent.objects.get(action="experiment.stopped")
    assert "refuses" not in event.payload
    assert json.loads(event.payload)["reason_chars"] == len("It refuses.")
    with pytest.raises(ExperimentError, match="stopped already"):
        experiment_stop(running, reason="Once more.", by=alice)
    assert Experiment.objects.get().stop_reason == "It refuses."
    assert ask(alice, conversation=begun(running, Arm.CANDIDATE, alice)).experiment is None
    assert experiment_start(REFUSING, by=alice).is_running


def test_of_many_that_are_started_at_once_one_runs(own_database: str) -> None:
    alice = User.objects.create_user("alice")
    outcomes = at_once(*[partial(experiment_start, FAITHFUL, by=alice)] * 4)
    assert sum(isinstance(outcome, ExperimentError) for outcome in outcomes) == 3
    assert Experiment.objects.count() == 1
    assert AuditEvent.objects.filter(action="experiment.started").count() == 1


def test_the_clinician_is_not_told(running: Experiment, alice: User, client: Client) -> None:
    turn = ask(alice, conversation=begun(running, Arm.CANDIDATE, alice))
    client.force_login(alice)
    page = client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()
    assert QUESTION in page
    for word in ("experiment", "candidate", running.name):
        assert word not in page.lower() and word not in page
