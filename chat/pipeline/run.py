"""Hold the state of one question: what is asked, by which parts, and the result of each step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.caveats.cautions import APPLICABILITY, MISMATCH, Caution
from chat.config import AnswerConfig
from chat.gate.decision import Decision
from chat.generation.types import Generation, Generator
from chat.pipeline.corpus_snapshot import Snapshot
from chat.pipeline.events import Tell, ignore_event
from chat.pipeline.search import SearchLog
from chat.pipeline.told import NOTHING_TOLD, Told
from chat.question.understand import Understood
from chat.types import Answered, DraftClaim, Outcome
from chat.verification.answer_judge import AnswerJudgement
from chat.verification.entailment.types import Verifier
from chat.verification.verify import Verdict
from core.llm.usage import Usage
from retrieval.configured import site_config
from retrieval.types import Evidence, Query


@dataclass
class AnswerRun:
    """The parts that answer, and the results of the steps, which read and fill it.

    `stored` is an earlier answer of a language model; if given, no model is called.
    """

    query: Query
    config: AnswerConfig
    generator: Generator
    verifier: Verifier
    searches: SearchLog = field(default_factory=lambda: SearchLog(site_config()))
    understood: Understood = field(default_factory=Understood)
    forgotten: tuple[str, ...] = ()  # of the patient, said before in the conversation, in words
    told: Told = NOTHING_TOLD  # what its thread has answered
    began: float = field(default_factory=time.perf_counter)
    stored: Generation | None = None
    tell: Tell = ignore_event  # who hears of each step; may raise `AskerLeft` and nothing else

    snapshot: Snapshot | None = None
    evidence: Evidence | None = None
    decision: Decision | None = None  # of the gate; None until there is one
    generation: Generation | None = None
    drafts: tuple[DraftClaim, ...] = ()  # as they were written, each once
    verdicts: tuple[Verdict, ...] = ()
    supported: tuple[DraftClaim, ...] = ()
    judgement: AnswerJudgement | None = None
    confidence: float = 0.0  # [0, 1]
    claims: tuple[DraftClaim, ...] = ()  # what is shown: supported, with caveats
    cautions: list[Caution] = field(default_factory=list)
    timings_ms: dict[str, float] = field(default_factory=dict)
    failed_usage: Usage = field(default_factory=Usage)  # of models whose answer was of no use
    failure: str = ""  # the name of the error's class

    def start_over(self, understood: Understood, cautions: Sequence[Caution]) -> None:
        """Forget what the steps found; what was understood and warned of before them is given."""
        fresh = AnswerRun(self.query, self.config, self.generator, self.verifier)
        for name in _RESULTS:
            setattr(self, name, getattr(fresh, name))
        self.searches = SearchLog(self.searches.config)
        self.understood, self.cautions = understood, list(cautions)

    @property
    def decided(self) -> Decision:
        """The gate's decision. Raises LookupError before there is one."""
        if self.decision is None:
            raise LookupError("The gate has not decided yet.")
        return self.decision

    def cautions_of(self, outcome: Outcome) -> list[Caution]:
        """Return the warnings for the outcome; a refusal drops those about statements.

        It shows none. That the statements found are for other people may be its reason, and stays.
        """
        if isinstance(outcome, Answered):
            return self.cautions
        return [
            caution.of_refusal()
            for caution in self.cautions
            if caution.code == MISMATCH or not (caution.claims or caution.code == APPLICABILITY)
        ]

    @property
    def option(self) -> str:
        """The letter of the chosen option of a multiple-choice question."""
        return self.generation.option if self.generation else ""

    @property
    def left_s(self) -> float:
        """Seconds left for the question, at least 0."""
        return max(0.0, self.config.timeout_s - (time.perf_counter() - self.began))


# Of the steps. Times and the use of models add up over all tries.
_RESULTS = (
    "snapshot", "evidence", "decision", "generation", "drafts", "verdicts", "supported",
    "judgement", "confidence", "claims", "failure",
)  # fmt: skip
