"""In how many bits models are computed, by what is offered and what is asked for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core import openvino_runtime
from core.rounding import cosine_sql, rounded_cosine


@pytest.mark.parametrize(
    ("offered", "asked", "wanted"),
    [
        (["FP32", "BF16"], "auto", "bf16"),
        (["FP32", "BF16"], "", "bf16"),
        (["FP32", "BF16"], "f32", "f32"),
        (["FP32"], "auto", "f32"),
        (["FP32"], "f32", "f32"),
    ],
)
def test_16_bits_only_where_they_are_offered_and_not_declined(
    offered: list[str], asked: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor = SimpleNamespace(get_property=lambda *_: offered)
    monkeypatch.setattr(openvino_runtime, "core", lambda: processor)
    monkeypatch.setenv(openvino_runtime.PRECISION, asked)
    assert openvino_runtime.precision.__wrapped__() == wanted


def test_cosines_that_differ_in_their_last_digits_are_equal() -> None:
    assert rounded_cosine(0.71234567) == rounded_cosine(0.71234568) == 0.712
    assert rounded_cosine(None) == 0.0
    assert cosine_sql("a <=> b") == "round((1 - (a <=> b))::numeric, 3)::float8"
