"""Have a language model write claims, each with citations.

The model is not trusted. Question and passages are sent as data between marks that are new for each
turn, under keys that no document can foresee. The model is offered no tools, and nothing it writes
is executed or rendered. Its reply is only a draft, which verification checks.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chat.errors import GeneratorUnavailable
from chat.evidence.prompt_text import (
    MAX_PASSAGES_CHARS,
    fitting,
    fresh_mark,
    shown_passages,
    under_fresh_keys,
)
from chat.evidence.quotable import units_by_passage
from chat.generation.placing import Shown
from chat.generation.types import Generation, Task
from chat.generation.written import answer_schema, claims_of, option_of
from core.llm.client import Endpoint, LanguageModelUnavailable, value_of
from core.llm.failover import SEED, NoneAnswered, ask_first
from core.llm.prompt_files import Prompt
from core.llm.replies import Reply
from core.llm.request_variants import Question
from core.llm.usage import Usage
from corpus.selectors import spans_withheld
from retrieval.types import Hit

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "answer_v1.txt",
    frozenset({"count", "question", "options", "passages"}),
)
MAX_TOKENS = 4000  # of a reply, with the reasoning of models that reason
TOO_LONG = (400, 413, 422)  # what servers answer to a prompt, or prompt and reply, beyond a context
SHARES = (1, 2, 4)  # of the passages' length: after such an answer a half, then a quarter is sent


@dataclass(frozen=True)
class LanguageModelGenerator:
    """Sends the question and its passages to the first of `endpoints` that answers."""

    endpoints: tuple[Endpoint, ...]
    max_claims: int = 8
    max_passages_chars: int = MAX_PASSAGES_CHARS

    @property
    def fingerprint(self) -> str:
        models = ",".join(endpoint.model for endpoint in self.endpoints)
        limits = f"{self.max_claims}:{self.max_passages_chars}"
        return f"llm-3:{PROMPT.identity}:{models}:{limits}"

    def generate(self, task: Task) -> Generation:
        ends, used = time.monotonic() + task.deadline_s, Usage()
        chars = min(self.max_passages_chars, sum(len(hit.text) for hit in task.passages))
        for share in SHARES:
            keys = under_fresh_keys(fitting(task.passages, max_chars=chars // share))
            try:
                answer = ask_first(
                    self.endpoints,
                    self._question(task, keys),
                    use="generate",
                    timeout_s=ends - time.monotonic(),
                )
                break
            except NoneAnswered as error:
                used += error.usage
                if error.status not in TOO_LONG or len(keys) == 1 or share == SHARES[-1]:
                    raise _unavailable(error, used) from error
        count, left_out = len(task.passages), len(task.passages) - len(keys)
        unread = [f"{left_out} of {count} passages did not fit."] if left_out else []
        drawn = Generation(
            claims=(),
            raw=answer.content,
            keys={key: hit.key for key, hit in keys.items()},
            prompt=PROMPT.identity,
            model=answer.model,
            usage=used + answer.usage,
            notes=(*answer.notes, *unread),
        )
        return _read(answer.value, task, drawn)

    def again(self, task: Task, stored: Generation) -> Generation:
        """Return the claims of the stored reply, with citations placed in the passages of `task`.

        A cited passage that is no longer in `task` is unknown. One query. Raises
        GeneratorUnavailable where no reply was stored, or the stored one can't be read.
        """
        try:
            value = value_of(Reply(stored.raw), self._schema(task))
        except LanguageModelUnavailable as error:
            raise _unavailable(error, stored.usage) from error
        return _read(value, task, stored)

    def _question(self, task: Task, keys: dict[str, Hit]) -> Question:
        return Question(
            prompt=self._prompt(task, keys),
            schema=self._schema(task, keys),
            accepts=self._schema(task),
            name="answer",
            max_tokens=MAX_TOKENS,
            seed=SEED,
        )

    def _schema(self, task: Task, keys: Collection[str] = ()) -> dict[str, Any]:
        return answer_schema(max_claims=self.max_claims, options=task.options, keys=keys)

    def _prompt(self, task: Task, keys: dict[str, Hit]) -> str:
        mark = fresh_mark()
        options = "\n".join(f"{option.letter}. {option.text}" for option in task.options)
        return PROMPT.filled(
            mark=mark,
            count=str(self.max_claims),
            question=task.question,
            options=options or "(none)",
            passages=shown_passages(keys, mark),
        )


def _read(value: Any, task: Task, drawn: Generation) -> Generation:
    by_key = {hit.key: hit for hit in task.passages}
    hits = {key: by_key[chunk] for key, chunk in drawn.keys.items() if chunk in by_key}
    withheld = spans_withheld({hit.document_id for hit in hits.values()})
    shown = Shown(hits, units_by_passage(list(hits.values()), task.question), withheld)
    return replace(drawn, claims=claims_of(value, shown), option=option_of(value))


def _unavailable(error: LanguageModelUnavailable, usage: Usage) -> GeneratorUnavailable:
    failed = GeneratorUnavailable(
        f"No answer could be written: the language model {error.what}. Nothing was lost.",
        hint=error.hint,
        retryable=error.retryable,
    )
    failed.usage = usage
    if isinstance(error, NoneAnswered):
        failed.raw, failed.notes = error.contents, error.notes
    return failed
