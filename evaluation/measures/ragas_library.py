"""Run the library RAGAS with the site's own client and encoder.

Importing this takes seconds: import it late. RAGAS's own client would read proxies from the
environment, retry without a deadline, and quote answers in its errors.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn, TypeVar

os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # before the import, which reads it once

from pydantic import BaseModel
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import (
    AnswerCorrectness,
    AnswerRelevancy,
    ContextPrecision,
    ContextRecall,
    Faithfulness,
)

from core.errors import MedragError
from core.language.detection import language
from core.language.gloss import ENGLISH
from core.llm.client import Endpoint, LanguageModelUnavailable, ask_json
from corpus.encoders.types import Embedder
from evaluation.measures.ragas_judge import FOUND_NOTHING, RagasConfig
from evaluation.measures.ragas_parts import parts_of
from evaluation.measures.spoken.ragas_languages import put_in
from evaluation.measures.types import AnsweredItem, Part

Model = TypeVar("Model", bound=BaseModel)
_STATEMENTS = "StatementGeneratorOutput"


@dataclass
class Judge(InstructorBaseRagasLLM):
    """Asks the endpoint for one measure of one item, keeps its replies and counts empty ones."""

    endpoint: Endpoint
    threads: Executor = field(repr=False)
    retries: int
    max_tokens: int
    language: str = ENGLISH  # of the item
    empty: int = 0  # replies without a statement, a verdict or a question
    replies: list[tuple[str, dict[str, Any]]] = field(default_factory=list, repr=False)

    async def agenerate(self, prompt: str, response_model: type[Model]) -> Model:
        """Ask for a `response_model`. Raises `core.llm.client.LanguageModelUnavailable`."""
        ask = partial(
            ask_json,
            self.endpoint,
            prompt=prompt,
            schema=strict(response_model.model_json_schema()),
            name=response_model.__name__,
            max_tokens=self.max_tokens,
            retries=self.retries,
        )
        value = await asyncio.get_running_loop().run_in_executor(self.threads, ask)
        self.empty += _is_empty(value)
        reply = response_model.model_validate(value)
        self.replies.append((response_model.__name__, reply.model_dump()))
        if self.language != ENGLISH and response_model.__name__ == _STATEMENTS:
            written = language(" ".join(value["statements"]), default=self.language)
            if written != self.language:  # passages in the item's language can't hold them
                raise LanguageModelUnavailable("wrote statements in another language")
        return reply

    def generate(self, prompt: str, response_model: type[Model]) -> NoReturn:
        raise NotImplementedError("measures are asked for asynchronously")


class SiteEmbedding(BaseRagasEmbedding):
    """The site's encoder for one measure of one item; keeps the vectors.

    Every text is encoded as a passage, so that two texts are compared alike.
    """

    def __init__(self, embedder: Embedder, threads: Executor) -> None:
        super().__init__()
        self._embedder, self._threads = embedder, threads
        self.vectors: dict[str, list[float]] = {}  # of each text, in the order of their use

    def embed_text(self, text: str, **kwargs: Any) -> list[float]:
        (vector,) = self._embedder.encode([text])
        self.vectors[text] = [float(each) for each in vector]
        return self.vectors[text]

    async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self.embed_text, text
        )


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with closed objects and integers limited to 0 and 1, as RAGAS uses them."""
    changed = {name: _strict(value) for name, value in schema.items()}
    if changed.get("type") == "object":
        changed["additionalProperties"] = False
    if changed.get("type") == "integer":
        changed["enum"] = [0, 1]
    return changed


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return strict(value)
    return [_strict(each) for each in value] if isinstance(value, list) else value


def _is_empty(value: dict[str, Any]) -> bool:
    lists = [each for each in value.values() if isinstance(each, list)]
    return (bool(lists) and not any(lists)) or value.get("question") == ""


Measure = Callable[[AnsweredItem, Judge, BaseRagasEmbedding], Awaitable[Any]]


def measures(strictness: int, spoken: str = ENGLISH) -> dict[str, Measure]:
    """Return the function of each measure; its result's `value` may be NaN.

    The judge is asked in the language `spoken`.
    """
    return {
        "ragas_faithfulness": lambda item, llm, embed: put_in(Faithfulness(llm=llm), spoken).ascore(
            item.question, item.answer, list(item.contexts)
        ),
        "ragas_answer_relevancy": lambda item, llm, embed: put_in(
            AnswerRelevancy(llm=llm, embeddings=embed, strictness=strictness), spoken
        ).ascore(item.question, item.answer),
        "ragas_context_precision": lambda item, llm, embed: put_in(
            ContextPrecision(llm=llm), spoken
        ).ascore(item.question, item.reference, list(item.contexts)),
        "ragas_context_recall": lambda item, llm, embed: put_in(
            ContextRecall(llm=llm), spoken
        ).ascore(
            user_input=item.question,
            retrieved_contexts=list(item.contexts),
            reference=item.reference,
        ),
        "ragas_answer_correctness": lambda item, llm, embed: put_in(
            AnswerCorrectness(llm=llm, embeddings=embed), spoken
        ).ascore(item.question, item.answer, item.reference),
    }


@dataclass(frozen=True)
class MeasuredValue:
    """A measure's value, or a sentence, without text of the item, why it has none."""

    value: float | str
    parts: tuple[Part, ...]  # what the judge said so far, if it failed


async def scores(
    item: AnsweredItem,
    names: Collection[str],
    *,
    endpoint: Endpoint,
    embedder: Embedder,
    config: RagasConfig,
    spoken: str = ENGLISH,
) -> dict[str, MeasuredValue]:
    """Return what each measure found, with the judge asked in the language `spoken`.

    A call that outlasts a measure is abandoned; its thread ends by the call's own deadline.
    """
    threads = ThreadPoolExecutor(config.concurrency)
    endpoint = replace(endpoint, timeout_s=config.call_timeout_s)

    async def score(measure: Measure) -> MeasuredValue:
        judge = Judge(endpoint, threads, config.retries, config.max_tokens, spoken)
        embedding = SiteEmbedding(embedder, threads)
        value = await _value(measure(item, judge, embedding), judge, config.measure_timeout_s)
        return MeasuredValue(value, parts_of(judge.replies, embedding.vectors))

    try:
        measure_of = measures(config.strictness, spoken)
        values = await asyncio.gather(*(score(measure_of[name]) for name in names))
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
    return dict(zip(names, values, strict=True))


async def _value(result: Awaitable[Any], judge: Judge, timeout_s: float) -> float | str:
    """Await a measure's value, or return why it has none.

    If a judge's replies are empty, RAGAS returns NaN, 0 or even 1, none of which is a score.
    """
    try:
        value = float((await asyncio.wait_for(result, timeout_s)).value)
    except LanguageModelUnavailable as error:
        return f"the judge {error.what}"
    except TimeoutError:
        return f"the measure took more than {timeout_s:g} seconds"
    except MedragError as error:
        return error.sentence
    except Exception as error:  # noqa: BLE001  a library may raise any
        return f"ragas raised {type(error).__name__}"  # its message may quote the answer
    if judge.empty:
        return f"{FOUND_NOTHING} in {judge.empty} of its {len(judge.replies)} replies"
    return value if math.isfinite(value) else "ragas gave no number"
