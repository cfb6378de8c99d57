"""Test which calibration is in use, and when that changes."""

import json
from dataclasses import replace

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.audit import log as audit
from chat.gate.calibration import CalibrationError
from chat.gate.records import (
    BUILT_IN,
    NO_GUARANTEE,
    OTHER_COMPUTATION,
    OTHER_ENCODER,
    OTHER_GATE,
    OTHER_SEARCH,
    built_in_use,
    calibration_use,
    gate_in_use,
    misfit,
    record_of,
)
from chat.models import AuditEvent, CalibrationRecord, TurnStatus
from chat.replays.comparison import Group
from chat.replays.replay import turn_replay
from corpus.encoders.registry import encoder_facts
from medrag_site import doctor
from medrag_site.groups import AUDITORS, STAFF
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Query
from tests.chat.gate.calibrations import kept
from tests.chat.guidelines import QUESTION, ask, publish_guideline
from tests.models import change_model
from tests.people import person

pytestmark = pytest.mark.django_db


def versions_active() -> list[str]:
    return [record.version for record in CalibrationRecord.objects.filter(is_active=True)]


def foreign_encoder(monkeypatch: pytest.MonkeyPatch, fingerprint: str) -> None:
    """Make the site believe that another encoder is in use."""

    facts = replace(encoder_facts(), fingerprint=fingerprint)
    monkeypatch.setattr("chat.gate.records.encoder_facts", lambda: facts)


# What decides


def test_without_a_record_the_built_in_one_decides() -> None:
    gate = gate_in_use()
    assert (gate.scale, gate.threshold, gate.notes) == (BUILT_IN, 0.44, ())


def test_what_was_kept_last_decides(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    kept(intercept=-1.0, threshold=0.55)
    record = kept(intercept=-2.0, slope=0.7, threshold=0.65)
    with django_assert_num_queries(1):
        gate = gate_in_use()
    assert (gate.scale.version, gate.threshold) == (record.version, 0.65)
    assert (gate.scale.intercept, gate.scale.slope) == (-2.0, 0.7)
    assert versions_active() == [record.version] == ["site-2"]


def test_an_earlier_one_can_be_used_again_and_the_built_in_one_too() -> None:
    first, _ = kept(), kept()
    calibration_use(first, by=None)
    assert versions_active() == ["site-1"] == [gate_in_use().scale.version]
    built_in_use(by=None)
    assert versions_active() == []
    assert gate_in_use().scale == BUILT_IN


def test_a_threshold_set_by_hand_goes_before(settings: LazySettings) -> None:
    settings.GATE_THRESHOLD = 0.81
    assert (gate_in_use().threshold, gate_in_use().notes) == (0.81, ())
    kept(threshold=0.65)
    gate = gate_in_use()
    assert (gate.scale.version, gate.threshold, gate.notes) == ("site-1", 0.81, (NO_GUARANTEE,))


def test_only_one_is_active_for_an_encoder() -> None:
    kept()
    second = kept()
    with pytest.raises(IntegrityError), transaction.atomic():
        CalibrationRecord.objects.exclude(pk=second.pk).update(is_active=True)


@pytest.mark.parametrize(
    "version", ["site-9", "site-", "site-x", "9", "", "site-²", "site-1" + "0" * 20]
)
def test_a_version_that_is_not_there_is_refused_by_name(version: str) -> None:
    kept()
    with pytest.raises(CalibrationError, match="There is no calibration") as refused:
        record_of(version)
    assert f"site-1, {BUILT_IN.version}" in refused.value.sentence


# Another encoder


def test_a_calibration_of_another_encoder_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    kept(encoder="other:0123456789abcdef:torch-f32")
    assert gate_in_use().scale == BUILT_IN
    kept()
    foreign_encoder(monkeypatch, "third:aaaaaaaaaaaaaaaa:torch-f32")
    assert (gate_in_use().scale, gate_in_use().notes) == (BUILT_IN, (OTHER_ENCODER,))


def test_each_encoder_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    kept()
    kept(encoder="other:0123456789abcdef:torch-f32")
    assert versions_active() == ["site-2", "site-1"]
    assert gate_in_use().scale.version == "site-1"
    foreign_encoder(monkeypatch, "other:0123456789abcdef:torch-f32")
    assert gate_in_use().scale.version == "site-2"


def test_the_same_weights_computed_in_another_way_are_used_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept(threshold=0.77)
    foreign_encoder(monkeypatch, "model:c006c9485a9bef2b:onnx-int8")
    gate = gate_in_use()
    assert (gate.threshold, gate.notes) == (0.77, (OTHER_COMPUTATION,))
    kept(encoder="model:c006c9485a9bef2b:onnx-int8", threshold=0.66)
    assert (gate_in_use().threshold, gate_in_use().notes) == (0.66, ())


def test_the_one_that_is_chosen_decides_also_beside_one_of_exactly_this_computation() -> None:
    elsewhere = kept(encoder="model:c006c9485a9bef2b:onnx-int8", threshold=0.66)
    kept(threshold=0.77)
    assert versions_active() == ["site-2"]
    calibration_use(elsewhere, by=None)
    assert versions_active() == ["site-1"]
    assert (gate_in_use().threshold, gate_in_use().notes) == (0.66, (OTHER_COMPUTATION,))


def test_another_encoder_is_answered_with_and_its_risk_is_said_to_be_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish_guideline()
    other = "third:aaaaaaaaaaaaaaaa:torch-f32"
    foreign_encoder(monkeypatch, other)
    turn = ask()
    assert (turn.status, turn.trace["notes"]) == (TurnStatus.ANSWERED, [OTHER_ENCODER])
    (finding,) = [finding for finding in doctor.examine() if finding.name == "gate"]
    assert not finding.ok and "manage.py calibrate" in finding.detail
    kept(encoder=other, retrieval=turn.trace["searches"][0]["fingerprint"])
    assert ask().trace["notes"] == []
    built_in_use(by=None)
    assert versions_active() == [] and gate_in_use().notes == (OTHER_ENCODER,)


# An earlier gate


def of_an_earlier_release() -> CalibrationRecord:
    """Store a calibration over cosine and coverage, as the migration leaves it."""
    record = kept()
    CalibrationRecord.objects.update(odds="", slope=0.0, intercept=-5.05)
    record.refresh_from_db()
    return record


def test_a_calibration_of_an_earlier_gate_is_not_used_and_that_is_said(
    admin_client: Client,
) -> None:
    record = of_an_earlier_release()
    gate = gate_in_use()
    assert (gate.scale, gate.threshold) == (BUILT_IN, BUILT_IN.threshold)
    assert gate.notes == (f"site-1 {OTHER_GATE}",)
    publish_guideline()
    (finding,) = [finding for finding in doctor.examine() if finding.name == "gate"]
    assert not finding.ok and f"site-1 {OTHER_GATE}" in finding.detail
    page = admin_client.get(reverse("admin:chat_calibrationrecord_change", args=[record.pk]))
    assert OTHER_GATE in page.content.decode()
    assert OTHER_GATE in choose(admin_client, record)
    with pytest.raises(CalibrationError, match="was made for another gate") as refused:
        calibration_use(record, by=None)
    assert "Nothing was changed" in refused.value.sentence
    kept()
    assert gate_in_use().notes == () and versions_active() == ["site-2"]


def test_a_replay_of_a_turn_of_an_earlier_gate_says_that_the_gate_differs() -> None:
    publish_guideline()
    turn = ask()
    scale = {
        "version": "site-1", "intercept": -5.05, "cosine": 6.26, "coverage": 4.35, "knots": "",
        "threshold": 0.5, "encoder": BUILT_IN.encoder,
    }  # fmt: skip
    turn.trace["gate"] = {"scale": scale, "threshold": 0.5, "notes": []}
    replayed = turn_replay(turn)
    (settings,) = [one for one in replayed.changed if one.group is Group.SETTINGS]
    places = {one.place for one in settings.differences}
    assert {"gate.scale.version", "gate.scale.cosine", "gate.threshold"} <= places
    assert replayed.verdict.is_whole


# Another search


def test_another_search_is_said_in_the_trace_the_log_and_by_the_doctor() -> None:
    publish_guideline()
    fitting = ask().trace["searches"][0]["fingerprint"]
    kept(retrieval=fitting)
    assert ask().trace["notes"] == []
    assert "notes" not in json.loads(AuditEvent.objects.latest("seq").payload)
    kept(retrieval="0" * 16)
    turn = ask()
    assert turn.status == TurnStatus.ANSWERED
    assert turn.trace["notes"] == [OTHER_SEARCH]
    assert json.loads(AuditEvent.objects.latest("seq").payload)["notes"] == [OTHER_SEARCH]
    (finding,) = [finding for finding in doctor.examine() if finding.name == "gate"]
    assert not finding.ok and "site-2" in finding.detail and OTHER_SEARCH in finding.detail


def test_the_built_in_calibration_fits_any_search() -> None:
    assert misfit(gate_in_use(), "whatever") == ()


def test_another_model_for_the_wordings_is_another_search(settings: LazySettings) -> None:
    def searched(model: str) -> str:
        change_model(settings, "rewrite", model=model)
        query = Query(QUESTION, on=timezone.localdate())
        return retrieve(query, RetrievalConfig(multi_query=2)).trace.fingerprint

    kept(retrieval=searched("one"))
    assert misfit(gate_in_use(), searched("one")) == ()
    assert misfit(gate_in_use(), searched("two")) == (OTHER_SEARCH,)


# What is recorded


def test_the_turn_carries_the_version_and_all_that_decides() -> None:
    publish_guideline()
    before = ask()
    kept()
    after = ask()
    assert before.trace["gate"]["scale"]["version"] == BUILT_IN.version
    assert after.trace["gate"]["scale"]["version"] == "site-1"
    assert before.fingerprint != after.fingerprint
    calibration_use(record_of("site-1"), by=None)
    assert ask().fingerprint == after.fingerprint


def test_every_change_is_in_the_log(alice: User) -> None:
    record = kept(by=alice)
    calibration_use(record, by=None)
    built_in_use(by=alice)
    events = list(AuditEvent.objects.order_by("seq"))
    assert [event.action for event in events] == ["calibration.used"] * 3
    assert [event.subject for event in events] == [
        "calibration:site-1", "calibration:site-1", f"calibration:{BUILT_IN.version}"
    ]  # fmt: skip
    assert events[0].actor.endswith(":alice") and events[1].actor == "system"
    payload = json.loads(events[0].payload)
    assert (payload["threshold"], payload["testset_digest"]) == (record.threshold, "d" * 64)
    assert record.created_by == alice


def test_what_can_not_be_recorded_does_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = kept(), kept()

    def refuse(*args: object, **kwargs: object) -> None:
        raise audit.AuditError("The log can't be written.")

    monkeypatch.setattr(audit, "record", refuse)
    for change in (lambda: calibration_use(first, by=None), lambda: built_in_use(by=None), kept):
        with pytest.raises(audit.AuditError):
            change()
    assert versions_active() == [second.version]
    assert CalibrationRecord.objects.count() == 2


# In the administration


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def choose(client: Client, *records: CalibrationRecord) -> str:
    content = {"action": "use_from_now_on", "_selected_action": [str(r.pk) for r in records]}
    address = reverse("admin:chat_calibrationrecord_changelist")
    return client.post(address, content, follow=True).content.decode()


def test_a_superuser_chooses_and_it_is_theirs(admin_client: Client) -> None:
    first, second = kept(), kept()
    assert "Choose exactly one" in choose(admin_client, first, second)
    assert versions_active() == ["site-2"]
    assert "Calibration site-1 is used from the next question on" in choose(admin_client, first)
    assert versions_active() == ["site-1"]
    assert AuditEvent.objects.latest("seq").actor.endswith(":admin")
    foreign = kept(encoder="other:0123456789abcdef:torch-f32")
    assert "was made for another encoder" in choose(admin_client, foreign)


def test_an_auditor_reads_and_does_not_choose() -> None:
    first, _ = kept(), kept()
    client = client_of(person("olga", AUDITORS))
    page = client.get(reverse("admin:chat_calibrationrecord_change", args=[first.pk]))
    content = page.content.decode()
    assert "data:image/png;base64,iVBOR" in content
    assert "ward.json" in content and "&quot;auroc&quot;: 1.0" in content
    choose(client, first)
    assert versions_active() == ["site-2"]


def test_nobody_edits_and_others_see_nothing(admin_client: Client) -> None:
    record = kept()
    change = reverse("admin:chat_calibrationrecord_change", args=[record.pk])
    delete = reverse("admin:chat_calibrationrecord_delete", args=[record.pk])
    assert admin_client.post(change, {"threshold": "0.1"}).status_code == 403
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403
    assert admin_client.get(reverse("admin:chat_calibrationrecord_add")).status_code == 403
    assert client_of(person("sam", STAFF)).get(change).status_code == 403
    assert CalibrationRecord.objects.get().threshold == record.threshold


def test_the_list_costs_a_fixed_number_of_queries(
    admin_client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(5):
        kept()
    with django_assert_max_num_queries(10):
        page = admin_client.get(reverse("admin:chat_calibrationrecord_changelist"))
    assert page.status_code == 200
