"""Check the judge and the prompt of evaluations, before every command and start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Warning, register

from evaluation.choices.model_alone import PROMPT
from evaluation.measures.configured import judge_fault


@register("evaluation")
def check_judge(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of a judge that evaluations would refuse, or of a faulty prompt."""
    fault = judge_fault()
    hint = "Until then evaluations of question sets do not start."
    faults: list[CheckMessage] = [Warning(fault, hint=hint, id="evaluation.W001")] if fault else []
    if wrong := PROMPT.fault():
        hint = "Restore the file from the release. Answers are not affected."
        faults.append(Warning(f"The prompt {wrong}", hint=hint, id="evaluation.W002"))
    return faults
