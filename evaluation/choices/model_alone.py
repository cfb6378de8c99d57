"""Ask the answering language model a question of a set without any evidence.

Its choice is only a figure of an evaluation: it makes no turn, and nothing that shows answers to
clinicians knows of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from chat.question.guard import question_guarded
from core.llm.failover import SEED, NoneAnswered, ask_first
from core.llm.prompt_files import Prompt
from core.llm.request_variants import Question as Call
from core.llm.usage import Usage
from evaluation.choices.accuracy import ALONE
from evaluation.models import Question, QuestionKind
from evaluation.question_sets.types import LABELS, LETTERS

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "alone_v1.txt", frozenset({"question", "options"})
)
MAX_TOKENS = 4000  # of an answer, with the thoughts of reasoning models
BUILT_IN = "the built-in reader answers from passages alone, and has no answer without retrieval"
IDENTIFIES = "the question seems to identify a patient, and is sent to nobody"
AWAY = "failed: the language model was not reached"
UNUSABLE = "failed: the language model chose none of what is offered"


@dataclass(frozen=True)
class Alone:
    """The model's choice, or why there is none; `why` quotes nothing of the question or answer."""

    label: str = ""  # a letter, or yes, no or maybe
    model: str = ""
    why: str = ""  # one of the reasons above
    failure: str = ""  # the failure of each endpoint
    usage: Usage = field(default_factory=Usage)

    @property
    def tokens(self) -> int:
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def not_run(self) -> dict[str, str]:
        return {ALONE: self.why} if self.why else {}

    def scores(self, gold_label: str) -> dict[str, float]:
        """Return 1 for the right label and 0 for a wrong one; empty without a choice."""
        return {} if self.why else {ALONE: float(self.label.lower() == gold_label.lower())}

    def kept(self) -> dict[str, Any]:
        """Return the choice in the form in which it is stored."""
        return {"option": self.label, "model": self.model, "failure": self.failure}


def alone_fingerprint() -> str:
    """Identify the prompt and models that are asked alone; empty for the built-in reader."""
    if settings.GENERATOR != "llm":
        return ""
    models = ",".join(endpoint.model for endpoint in settings.MODELS.generate)
    return f"{PROMPT.identity}:{models}"


def can_be_asked_alone(question: Question) -> bool:
    """Tell whether a question has a gold label and labels to choose from."""
    return bool(question.gold_label and _offered(question))


def asked_alone(question: Question) -> Alone:
    """Ask the site's language model to choose a label. A model's failure is returned, not raised.

    Takes no longer than an answer may. Patient identifiers are handled as in any question.
    """
    if settings.GENERATOR != "llm":
        return Alone(why=BUILT_IN)
    offered = _offered(question)
    listed = "\n".join(f"{letter}. {text}" if text else letter for letter, text in offered.items())
    stem, options = (
        question_guarded(text, settings.IDENTIFIERS) for text in (question.question, listed)
    )
    if stem.is_blocked or options.is_blocked:
        return Alone(why=IDENTIFIES)
    call = Call(
        prompt=PROMPT.filled(question=stem.text, options=options.text),
        schema=_schema(tuple(offered)),
        name="choice",
        max_tokens=MAX_TOKENS,
        seed=SEED,
    )
    endpoints, timeout_s = settings.MODELS.generate, settings.ANSWER_TIMEOUT_S
    try:
        answer = ask_first(endpoints, call, use="alone", timeout_s=timeout_s)
    except NoneAnswered as error:
        why = UNUSABLE if error.answered else AWAY
        return Alone(why=why, failure=error.what, usage=error.usage)
    return Alone(answer.value["option"], answer.model, usage=answer.usage)


def _offered(question: Question) -> dict[str, str]:
    """Return the text of each option by its letter; empty texts for yes, no and maybe."""
    if question.kind == QuestionKind.YES_NO:
        return dict.fromkeys(LABELS, "")
    return dict(zip(LETTERS, question.options, strict=False))


def _schema(labels: tuple[str, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"option": {"type": "string", "enum": list(labels)}},
        "required": ["option"],
        "additionalProperties": False,
    }
