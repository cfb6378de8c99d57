"""A language model's word on a whole answer, for the mode `confident`.

It judges beside the verification of each claim, never in its place, and it is not the model that
wrote the answer. What can't be read, or comes too late, is an error: then nothing is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from chat.errors import VerifierUnavailable
from chat.evidence.prompt_text import fitting, fresh_mark, shown_passages
from chat.types import DraftClaim
from core.llm.failover import SEED, NoneAnswered, ask_first
from core.llm.prompt_files import Prompt
from core.llm.request_variants import Question
from core.llm.usage import Usage
from retrieval.types import Hit

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "judge_answer_v1.txt",
    frozenset({"question", "statements", "passages"}),
)
MAX_TOKENS = 1000  # of an answer, thoughts of models that reason included
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "coverage": {"type": "number", "minimum": 0, "maximum": 1},
        "in_scope": {"type": "boolean"},
        "contradicts": {"type": "boolean"},
    },
    "required": ["coverage", "in_scope", "contradicts"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class AnswerJudgement:
    """What the judge says, and how it came about."""

    coverage: float  # share of the question that the answer answers, [0, 1]
    in_scope: bool
    contradicts: bool  # a passage, another statement, or passages each other
    usage: Usage = Usage()  # noqa: RUF009  frozen
    model: str = ""
    prompt: str = ""  # name and hash of the prompt's file
    raw: str = ""  # as it came, for a replay
    notes: tuple[str, ...] = ()  # such as an endpoint that was passed over


def judge_fingerprint() -> str:
    """Return prompt and models, for the fingerprint of what decided; without a judge the prompt."""
    models = ",".join(endpoint.model for endpoint in settings.MODELS.judge)
    return f"judge-1:{PROMPT.identity}:{models}"


def judge_answer(
    question: str, claims: Sequence[DraftClaim], passages: Sequence[Hit], *, timeout_s: float
) -> AnswerJudgement:
    """Return what the judge says of an answer's claims beside the passages of its question.

    Asks the first of the judging endpoints that answers, within `timeout_s`; they are sent all
    that is given here. Raises VerifierUnavailable.
    """
    asked = Question(_prompt(question, claims, passages), SCHEMA, "judgement", MAX_TOKENS, SEED)
    try:
        answer = ask_first(settings.MODELS.judge, asked, use="judge", timeout_s=timeout_s)
    except NoneAnswered as error:
        raise _unavailable(error) from error
    return AnswerJudgement(
        **answer.value,
        usage=answer.usage,
        model=answer.model,
        prompt=PROMPT.identity,
        raw=answer.content,
        notes=answer.notes,
    )


def _prompt(question: str, claims: Sequence[DraftClaim], passages: Sequence[Hit]) -> str:
    mark = fresh_mark()
    numbered = {str(place): hit for place, hit in enumerate(fitting(passages), start=1)}
    return PROMPT.filled(
        mark=mark,
        question=question,
        statements="\n".join(f"- {claim.text}" for claim in claims),
        passages=shown_passages(numbered, mark),
    )


def _unavailable(error: NoneAnswered) -> VerifierUnavailable:
    failed = VerifierUnavailable(
        f"The answer could not be judged: the language model {error.what}. Nothing was lost.",
        hint=error.hint,
        retryable=error.retryable,
    )
    failed.usage = error.usage
    return failed
