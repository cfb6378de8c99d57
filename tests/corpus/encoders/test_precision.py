"""Test the precision in which models compute, by the processor and the setting."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import LazySettings

from core import openvino_runtime
from core.rounding import cosine_sql, rounded_cosine
from medrag_site.processes.start import DEMONSTRATION, prepare


@pytest.mark.parametrize(
    ("offered", "asked", "wanted"),
    [
        (["FP32", "BF16"], "precision=auto", "bf16"),
        (["FP32", "BF16"], "", "bf16"),
        (["FP32", "BF16"], "precision=f32", "f32"),
        (["FP32", "BF16"], "threads=4 precision=f32", "f32"),
        (["FP32"], "precision=auto", "f32"),
        (["FP32"], "precision=f32", "f32"),
    ],
)
def test_16_bits_only_where_they_are_offered_and_not_declined(
    offered: list[str], asked: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor = SimpleNamespace(get_property=lambda *_: offered)
    monkeypatch.setattr(openvino_runtime, "core", lambda: processor)
    monkeypatch.setenv(openvino_runtime.COMPUTING, asked)
    assert openvino_runtime.precision.__wrapped__() == wanted


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("", "precision=f32"),
        ("threads=4", "threads=4 precision=f32"),
        ("precision=auto threads=4", "precision=auto threads=4"),
    ],
)
def test_a_demonstration_computes_in_32_bits_unless_the_setting_speaks(
    asked: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(openvino_runtime.COMPUTING, asked)
    openvino_runtime.ask_for_32_bits()
    assert os.environ[openvino_runtime.COMPUTING] == wanted


def test_commands_compute_as_the_demonstration_whose_data_they_use(
    settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setenv(openvino_runtime.COMPUTING, "")
    prepare(["manage.py", "doctor"])
    assert os.environ[openvino_runtime.COMPUTING] == ""
    (tmp_path / DEMONSTRATION).touch()
    prepare(["manage.py", "doctor"])
    assert os.environ[openvino_runtime.COMPUTING] == "precision=f32"


def test_cosines_that_differ_in_their_last_digits_are_equal() -> None:
    assert rounded_cosine(0.71234567) == rounded_cosine(0.71234568) == 0.712
    assert rounded_cosine(None) == 0.0
    assert cosine_sql("a <=> b") == "round((1 - (a <=> b))::numeric, 3)::float8"
