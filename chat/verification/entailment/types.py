"""What a verifier is asked, and what it says. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from chat.verification.types import Judgement, Pair
from core.llm.usage import Usage


class Verifier(Protocol):
    """Judges statements against texts, after the exact checks have let them through."""

    @property
    def name(self) -> str: ...

    @property
    def usage(self) -> Usage:
        """What language models took for its judgements so far."""

    @property
    def said(self) -> Sequence[str]:
        """What language models answered, call by call, as it came: for the record."""

    @property
    def fingerprint(self) -> str:
        """Names the verifier, its weights or model and prompt, and its settings."""

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        """Return one judgement a pair, in order; none for none. In one batch or a few calls.

        Raises `chat.errors.VerifierUnavailable`: then no claim is shown.
        """
