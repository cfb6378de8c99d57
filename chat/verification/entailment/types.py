"""Define the `Verifier` protocol. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from chat.evidence.judgements import Judgement, Pair
from core.llm.usage import Usage


class Verifier(Protocol):
    """Judges statements by their evidence, after they have passed the exact checks."""

    @property
    def name(self) -> str: ...

    @property
    def usage(self) -> Usage:
        """Tokens and calls that language models have used for judgements so far."""

    @property
    def said(self) -> Sequence[str]:
        """Replies of language models so far, one per call, unchanged, for the trace."""

    @property
    def fingerprint(self) -> str:
        """Identifies the verifier, its weights or model and prompt, and its settings."""

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        """Return one judgement per pair, in order; empty for no pairs. One batch or a few calls.

        Raises `chat.errors.VerifierUnavailable`: then no claim is shown.
        """
