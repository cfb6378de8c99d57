"""What a language model's endpoint answered, read strictly. Pure.

Nothing is mended: what is cut off, withheld or of another form is no answer.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from core.llm.usage import Usage

MAX_STARTS = 20  # places of a chatty answer where its JSON is looked for
MAX_TOKENS = 10**9  # of a count that is believed

# How an answer ends that is none, with what is said of it. Servers have other words for a good end.
_BAD_ENDS = {
    "length": "gave an answer that is cut off",
    "content_filter": "withheld its answer",
    "tool_calls": "asked for a tool, and there is none",
    "function_call": "asked for a tool, and there is none",
}
_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)  # of models that reason aloud
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # no database takes them as text


class Unreadable(Exception):
    """An answer is of no use; the message goes on after "The language model"."""


@dataclass(frozen=True)
class Reply:
    """The text of an answer as it came, and what it took as the server says (0: it does not)."""

    content: str = field(repr=False)
    usage: Usage = field(default_factory=Usage)
    fault: str = ""  # why it is no whole answer; goes on after "The language model"

    def value(self, schema: Mapping[str, Any]) -> Any:
        """The value of a whole answer, as `value_in` finds it. Raises Unreadable."""
        if self.fault:
            raise Unreadable(self.fault)
        return value_in(self.content, schema)


def reply_of(body: bytes) -> Reply:
    """The first choice of a `chat.completion`. Raises Unreadable where there is no text in it."""
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        message = choice["message"]
        content = message.get("content")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable("gave an answer that can't be read") from error
    if message.get("refusal"):
        raise Unreadable("declined to answer")
    if not isinstance(content, str):
        raise Unreadable("gave an answer without text")
    ended = choice.get("finish_reason")
    usage = answer.get("usage")
    return Reply(
        content=_UNSTORABLE.sub("", content),
        usage=Usage(0, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")),
        fault=_BAD_ENDS.get(ended, "") if isinstance(ended, str) else "",
    )


def value_in(content: str, schema: Mapping[str, Any]) -> Any:
    """The value that fits `schema` (JSON Schema): alone, in a fence, or behind other words.

    Raises Unreadable.
    """
    import jsonschema  # type: ignore[import-untyped]  # late: only where a model is configured

    validator = jsonschema.Draft202012Validator(dict(schema))
    found = False
    for value in _values(_THOUGHTS.sub("", content)):
        found = True
        if validator.is_valid(value):
            return value
    raise Unreadable(
        "gave an answer of another form" if found else "gave an answer that can't be read"
    )


def _count(usage: Any, name: str) -> int:
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if type(count) is int and 0 <= count <= MAX_TOKENS else 0


def _values(content: str) -> Iterator[Any]:
    """JSON values in a text, the first that stand at a bracket outside of those found before."""
    decoder = json.JSONDecoder(parse_constant=_no_number)
    end = 0
    for start in itertools.islice(re.finditer(r"[\[{]", content), MAX_STARTS):
        if start.start() < end:
            continue
        with suppress(ValueError, RecursionError):
            value, end = decoder.raw_decode(content, start.start())
            yield value


def _no_number(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are no JSON
