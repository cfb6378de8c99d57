"""Stop the start when the configured verifier can't work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from chat.verification.entailment.configured import verifier_fault


@register("chat")
def check_verifier(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    fault = verifier_fault(settings.VERIFIER)
    hint = "Or leave MEDRAG_VERIFIER out: the bundled checker needs no setting."
    return [Error(fault, hint=hint, id="chat.E040")] if fault else []
