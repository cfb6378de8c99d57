"""Have a language model judge a whole answer, for the mode `confident`.

The judge is asked in addition to the verification of each claim, and is not the model that wrote
the answer. A judgement that can't be read, or comes too late, is an error: then no answer is shown.
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
MAX_TOKENS = 1000  # of a reply, with the reasoning of models that reason
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
    """A judge's verdict on an answer, with the model, prompt and usage behind it."""

    coverage: float  # share of the question that the answer answers, [0, 1]
    in_scope: bool
    contradicts: bool  # a passage, another statement, or one passage another
    usage: Usage = Usage()  # noqa: RUF009  frozen
    model: str = ""
    prompt: str = ""  # name and hash of the prompt's file
    raw: str = ""  # the reply, unchanged, for a replay
    notes: tuple[str, ...] = ()  # such as an endpoint that was skipped


def judge_fingerprint() -> str:
    """Identify the judge's prompt and models for the configuration's fingerprint.

    Without a judge the list of models is empty.
    """
    models = ",".join(endpoint.model for endpoint in settings.MODELS.judge)
    return f"judge-1:{PROMPT.identity}:{models}"


def judge_answer(
    question: str, claims: Sequence[DraftClaim], passages: Sequence[Hit], *, timeout_s: float
) -> AnswerJudgement:
    """Have an answer's claims judged against the passages of its question.

    Asks the endpoints of `[judge]` in order until one answers, within `timeout_s`. The endpoint is
    sent the question, the text of the claims and as many passages as fit. Raises
    VerifierUnavailable.
    """
    prompt = Question(_prompt(question, claims, passages), SCHEMA, "judgement", MAX_TOKENS, SEED)
    try:
        answer = ask_first(settings.MODELS.judge, prompt, use="judge", timeout_s=timeout_s)
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
