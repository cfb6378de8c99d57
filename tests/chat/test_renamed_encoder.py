"""Calibrations of the bundled encoder outlive that it is named by more than its weights."""

from __future__ import annotations

from django.core.management import call_command

from chat.calibration_records import gate_in_use
from chat.models import CalibrationRecord
from tests.chat.calibrations import kept

FORMER = "model:53aa51172d142c89:openvino-f32"
OTHER = "e5-small:53aa51172d142c89:openvino-f32"


def migrate(name: str) -> None:
    call_command("migrate", "chat", name, database="owner", verbosity=0)


def names() -> list[str]:
    return [record.encoder for record in CalibrationRecord.objects.order_by("number")]


def test_a_record_by_the_former_name_is_in_use_again(own_database: str) -> None:
    record = kept(threshold=0.66)
    kept(encoder=OTHER)
    migrate("0003")
    CalibrationRecord.objects.filter(pk=record.pk).update(encoder=FORMER)
    migrate("0004")
    assert names() == ["model:c006c9485a9bef2b:openvino-f32", OTHER]
    gate = gate_in_use()
    assert (gate.scale.version, gate.threshold) == (record.version, 0.66)
    migrate("0003")
    assert names() == [FORMER, OTHER]
