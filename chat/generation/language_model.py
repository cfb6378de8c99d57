"""Claims by a language model, each with what it says it rests on.

The model is neither trusted nor relied on. Question and passages are data between marks that are
new for each turn, under keys that no document can foresee; no tool is offered, and nothing that it
writes is followed or rendered. Whatever it says is only a draft: verification stays behind it.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chat.endpoints import Price, usage_of
from chat.errors import GeneratorUnavailable
from chat.generation.placing import Shown
from chat.generation.types import Generation, Option, Task
from chat.generation.written import answer_schema, claims_of, option_of
from chat.passages import units_by_passage
from corpus.language_model import Endpoint, LanguageModelUnavailable, parsed
from corpus.preference import SEED, ask_first
from corpus.prompt_files import Prompt
from corpus.request_forms import Question
from retrieval.types import Hit

PROMPT = Prompt(
    Path(__file__).resolve().parents[1] / "prompts" / "answer_v1.txt",
    frozenset({"count", "question", "options", "passages"}),
)
KEY_BYTES = 6  # 48 bits: nobody guesses one within a turn
MAX_TOKENS = 4000  # of an answer, thoughts of models that reason included


@dataclass(frozen=True)
class LanguageModelGenerator:
    """Asks the first of `endpoints` that answers. It is sent the question and passages."""

    endpoints: tuple[Endpoint, ...]
    price: Price = (0.0, 0.0)
    max_claims: int = 8
    max_passages_chars: int = 40_000  # of all together, some 10,000 tokens; never cut inside one

    @property
    def fingerprint(self) -> str:
        models = ",".join(endpoint.model for endpoint in self.endpoints)
        limits = f"{self.max_claims}:{self.max_passages_chars}"
        return f"llm-1:{PROMPT.identity}:{models}:{limits}"

    def generate(self, task: Task) -> Generation:
        keys = _keys_for(self._fitting(task.passages))
        question = Question(
            prompt=self._prompt(task, keys),
            schema=self._schema(task),
            name="answer",
            max_tokens=MAX_TOKENS,
            seed=SEED,
        )
        try:
            answer = ask_first(self.endpoints, question, use="generate", timeout_s=task.deadline_s)
        except LanguageModelUnavailable as error:
            raise _unavailable(error) from error
        drawn = Generation(
            claims=(),
            raw=answer.content,
            keys={key: hit.key for key, hit in keys.items()},
            prompt=PROMPT.identity,
            model=answer.model,
            usage=usage_of(answer, self.price),
            notes=(*answer.notes, *self._left_out(task, keys)),
        )
        return _read(answer.value, task, drawn)

    def again(self, task: Task, stored: Generation) -> Generation:
        """The same claims, placed anew; a passage that is not in `task` any more is unknown.

        One query. Raises GeneratorUnavailable where no answer was stored, or none that can be read.
        """
        try:
            value = parsed(stored.raw, self._schema(task))
        except LanguageModelUnavailable as error:
            raise _unavailable(error) from error
        return _read(value, task, stored)

    def _schema(self, task: Task) -> dict[str, Any]:
        return answer_schema(max_claims=self.max_claims, options=task.options)

    def _fitting(self, passages: Sequence[Hit]) -> list[Hit]:
        """The best passages within the limit, the first in any case."""
        fitting: list[Hit] = []
        left = self.max_passages_chars
        for hit in passages:
            left -= len(hit.text)
            if fitting and left < 0:
                break
            fitting.append(hit)
        return fitting

    def _left_out(self, task: Task, keys: dict[str, Hit]) -> list[str]:
        count = len(task.passages) - len(keys)
        return [f"{count} of {len(task.passages)} passages did not fit."] if count else []

    def _prompt(self, task: Task, keys: dict[str, Hit]) -> str:
        mark = fresh_mark()
        return PROMPT.filled(
            mark=mark,
            count=str(self.max_claims),
            question=task.question,
            options=_listed(task.options),
            passages=shown_passages(keys, mark),
        )


def fresh_mark() -> str:
    """What data stands between: 64 random bits, so that no text can close it."""
    return f"<{secrets.token_hex(8)}>"


def shown_passages(hits: dict[str, Hit], mark: str) -> str:
    """The passages by their keys, as a prompt shows them: what each is about, and its text."""
    return "\n\n".join(
        f"Passage {key}, about: {mark} {hit.context} {mark}\n{mark}\n{hit.text}\n{mark}"
        for key, hit in hits.items()
    )


def _keys_for(hits: Sequence[Hit]) -> dict[str, Hit]:
    """A fresh key for each passage, in order."""
    keys: dict[str, Hit] = {}
    for hit in hits:
        while (key := secrets.token_hex(KEY_BYTES)) in keys:
            continue
        keys[key] = hit
    return keys


def _listed(options: Sequence[Option]) -> str:
    return "\n".join(f"{option.letter}. {option.text}" for option in options) or "(none)"


def _read(value: Any, task: Task, drawn: Generation) -> Generation:
    by_key = {hit.key: hit for hit in task.passages}
    hits = {key: by_key[chunk] for key, chunk in drawn.keys.items() if chunk in by_key}
    shown = Shown(hits, units_by_passage(list(hits.values()), task.question))
    return replace(drawn, claims=claims_of(value, shown), option=option_of(value))


def _unavailable(error: LanguageModelUnavailable) -> GeneratorUnavailable:
    return GeneratorUnavailable(
        f"No answer could be written: the language model {error.what}. Nothing was lost.",
        hint=error.hint,
        retryable=error.retryable,
    )
