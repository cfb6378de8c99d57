"""Take a text apart into claims, each of which can be judged by itself.

Answers of a site are stored as claims already. What comes as one text is split by its sentences, or
by a language model, whose claims also say what a pronoun stands for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chat.verification.entailment.judge import CLAIM_CHARS
from core.language.en.sentences import line_sentence_spans
from core.llm.client import Endpoint
from core.llm.failover import SEED, ask_first
from core.llm.prompt_files import Prompt
from core.llm.request_variants import Question

SPLIT = Prompt(
    Path(__file__).with_name("prompts") / "split_answer_v1.txt", frozenset({"question", "answer"})
)
MAX_CLAIMS = 20
MAX_TOKENS = 2000  # of a reply, with the thoughts of models that reason
_TEXTS = {"type": "array", "maxItems": MAX_CLAIMS, "items": {"type": "string"}}


def sentence_claims(answer: str) -> tuple[str, ...]:
    """Return the answer's first `MAX_CLAIMS` sentences."""
    spans = line_sentence_spans(answer)
    return tuple(answer[start:end] for start, end in spans)[:MAX_CLAIMS]


def model_texts(
    prompt: str, *names: str, endpoint: Endpoint, use: str, timeout_s: float
) -> tuple[tuple[str, ...], ...]:
    """Return the texts that a language model writes under each name. Raises NoneAnswered.

    In its order, each once, without those that have no word or are too long to be judged.
    """
    schema: dict[str, Any] = {
        "type": "object",
        "properties": dict.fromkeys(names, _TEXTS),
        "required": list(names),
        "additionalProperties": False,
    }
    call = Question(prompt, schema, "texts", MAX_TOKENS, SEED)
    value = ask_first([endpoint], call, use=use, timeout_s=timeout_s).value
    return tuple(tuple(dict.fromkeys(filter(_is_claim, value[name]))) for name in names)


def _is_claim(text: str) -> bool:
    return len(text) <= CLAIM_CHARS and any(map(str.isalnum, text))
