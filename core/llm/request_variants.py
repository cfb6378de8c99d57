"""In which form a server takes a request: with all that is asked for, or with less. Pure.

Some know no JSON schema, some no seed; those of models that reason take no temperature, and bound
an answer by `max_completion_tokens`. What a server refuses is left out and asked again; what it
then takes `core.llm.client` remembers. Error texts are not read: they may be of any size.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

REFUSED = (400, 422)  # of a parameter, of whichever
UNSTRUCTURED = (404, 415, 501)  # these, too, of a server that knows no response_format


@dataclass(frozen=True)
class Question:
    """What a language model is asked. Without a schema its answer may be of any form."""

    prompt: str = field(repr=False)
    schema: Mapping[str, Any] | None = None  # JSON Schema
    name: str = ""  # of the schema
    max_tokens: int = 512  # of the answer
    seed: int | None = None


@dataclass(frozen=True)
class Form:
    """What a request holds besides model and prompt."""

    seed: bool = True
    structured: bool = True  # else the schema is written behind the prompt
    classic: bool = True  # temperature, and `max_tokens` by that name


# From all that is asked for to what any server takes.
LADDER = (
    Form(),
    Form(seed=False),
    Form(seed=False, structured=False),
    Form(seed=False, classic=False),
    Form(seed=False, structured=False, classic=False),
)


def next_form(form: Form, status: int | None) -> Form | None:
    """Return what to ask after a refusal with this status; None where that is of no use."""
    if status in REFUSED:
        return dict(itertools.pairwise(LADDER)).get(form)
    if status in UNSTRUCTURED and form.structured:
        return replace(form, seed=False, structured=False)
    return None


def parameters(question: Question, form: Form) -> dict[str, Any]:
    """Of `chat.completions.create`, without model and time-out. Greedy where that is taken."""
    content = question.prompt
    if question.schema is not None and not form.structured:
        described = json.dumps(question.schema)
        content += f"\n\nAnswer with JSON alone, of this JSON Schema: {described}"
    limit = "max_tokens" if form.classic else "max_completion_tokens"
    asked: dict[str, Any] = {
        "messages": [{"role": "user", "content": content}],
        limit: question.max_tokens,
    }
    if form.classic:
        asked["temperature"] = 0
    if form.seed and question.seed is not None:
        asked["seed"] = question.seed
    if form.structured and question.schema is not None:
        schema = {"name": question.name, "strict": True, "schema": dict(question.schema)}
        asked["response_format"] = {"type": "json_schema", "json_schema": schema}
    return asked
