"""Build the site's generator and verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chat.evidence.judgements import Judgement, Pair
from chat.generation.configured import site_generator
from chat.generation.types import Generation, Generator, Task
from chat.verification.entailment.configured import site_verifier
from chat.verification.entailment.types import Verifier
from core.llm.usage import Usage


@dataclass(frozen=True)
class UnavailablePart:
    """Replaces a generator or verifier that can't be built, and raises its error when used."""

    error: Exception
    name = "unavailable"
    usage = Usage()
    said = ()

    @property
    def fingerprint(self) -> str:
        return f"unavailable:{type(self.error).__name__}"

    def generate(self, task: Task) -> Generation:
        raise self.error

    def again(self, task: Task, stored: Generation) -> Generation:
        raise self.error

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        raise self.error


def site_parts() -> tuple[Generator, Verifier]:
    """Return the site's generator and verifier. Never raises."""
    try:
        generator = site_generator()
    except Exception as error:  # noqa: BLE001 - fail closed: it refuses when it is asked
        generator = UnavailablePart(error)
    try:
        return generator, site_verifier()
    except Exception as error:  # noqa: BLE001 - as above
        return generator, UnavailablePart(error)
