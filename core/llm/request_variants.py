"""Vary a request by what a server accepts: with all parameters, or with fewer. Pure.

Some servers know no JSON schema, some no seed; those of reasoning models take no temperature and
limit an answer by `max_completion_tokens`. After a refusal the request is sent again with fewer
parameters, and `core.llm.client` remembers the form that was accepted. Error texts are not read:
they may be of any size.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

REFUSED = (400, 422)  # by a server that rejects some parameter
UNSTRUCTURED = (404, 415, 501)  # also by a server that knows no response_format


@dataclass(frozen=True)
class Question:
    """A prompt for a language model. Without a schema its answer may be of any form."""

    prompt: str = field(repr=False)
    schema: Mapping[str, Any] | None = None  # JSON Schema
    name: str = ""  # of the schema
    max_tokens: int = 512  # of the answer
    seed: int | None = None
    accepts: Mapping[str, Any] | None = None  # schema that an answer must fit, if a wider one

    @property
    def accepted(self) -> Mapping[str, Any]:
        """The schema that an answer must fit."""
        return self.accepts or self.schema or {}


@dataclass(frozen=True)
class Form:
    """Which optional parameters a request has."""

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
    """Return the form to try after a refusal with this status, or None if none would help."""
    if status in REFUSED:
        return dict(itertools.pairwise(LADDER)).get(form)
    if status in UNSTRUCTURED and form.structured:
        return replace(form, seed=False, structured=False)
    return None


def parameters(question: Question, form: Form) -> dict[str, Any]:
    """Return the parameters of `chat.completions.create` besides the model.

    Decoding is greedy if the form has a temperature.
    """
    content = question.prompt
    if question.schema is not None and not form.structured:
        described = json.dumps(question.schema)
        content += f"\n\nAnswer with JSON alone, of this JSON Schema: {described}"
    limit = "max_tokens" if form.classic else "max_completion_tokens"
    parameters: dict[str, Any] = {
        "messages": [{"role": "user", "content": content}],
        limit: question.max_tokens,
    }
    if form.classic:
        parameters["temperature"] = 0
    if form.seed and question.seed is not None:
        parameters["seed"] = question.seed
    if form.structured and question.schema is not None:
        schema = {"name": question.name, "strict": True, "schema": dict(question.schema)}
        parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
    return parameters
