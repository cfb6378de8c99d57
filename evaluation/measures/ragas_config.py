"""How RAGAS is run. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RagasConfig:
    """How the judge is asked."""

    concurrency: int = 4  # calls at a time, of one item
    call_timeout_s: float = 60.0  # of one call, attempts and waits included
    measure_timeout_s: float = 600.0  # of one measure of one item: a call for each passage
    retries: int = 2  # of a call whose failure may pass
    max_tokens: int = 4096  # of an answer: statements with a reason for each
    strictness: int = 3  # questions that answer relevancy has written; RAGAS's own default

    @property
    def fingerprint(self) -> str:
        """Names what may change a score; how long and how often is not of it."""
        return f"{self.strictness}:{self.max_tokens}"
