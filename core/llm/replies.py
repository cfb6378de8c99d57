"""Read the answer of a language model's endpoint strictly. Pure.

Nothing is repaired: an answer that is cut off, withheld or of another form is rejected.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from core.llm.transport import CallFailed
from core.llm.usage import Usage

MAX_STARTS = 20  # brackets of a chatty answer where its JSON is looked for
MAX_TOKENS = 10**9  # a larger count is not believed

# Values of `finish_reason` that make an answer unusable. Servers vary in the values of a good end.
_BAD_ENDS = {
    "length": "gave an answer that is cut off",
    "content_filter": "withheld its answer",
    "tool_calls": "asked for a tool, and there is none",
    "function_call": "asked for a tool, and there is none",
}
_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)  # of models that reason aloud
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # no database takes them as text


@dataclass(frozen=True)
class Reply:
    """The unchanged text of an answer, and its usage as the server reports it (0: not reported)."""

    content: str = field(repr=False)
    usage: Usage = field(default_factory=Usage)
    fault: str = ""  # why the answer is incomplete; goes on after "The language model"

    def value(self, schema: Mapping[str, Any]) -> Any:
        """Return the first JSON value in the reply that fits `schema` (JSON Schema).

        The value may stand alone, in a fence or behind other words. Raises CallFailed if the reply
        has a fault or no value fits.
        """
        import jsonschema  # type: ignore[import-untyped]  # late: only where a model is configured

        if self.fault:
            raise CallFailed(self.fault, answered=True)
        values = list(_values(_THOUGHTS.sub("", self.content)))
        is_valid = jsonschema.Draft202012Validator(dict(schema)).is_valid
        for value in filter(is_valid, values):
            return value
        how = "of another form" if values else "that can't be read"
        raise CallFailed(f"gave an answer {how}", answered=True)


def reply_of(completion: Any) -> Reply:
    """Return the first choice of a `ChatCompletion`, which the client builds of whatever it got.

    Raises CallFailed if it has no text, and LookupError, TypeError or AttributeError where it is
    not of that form at all.
    """
    choice = completion.choices[0]
    if choice.message.refusal:
        raise CallFailed("declined to answer", answered=True)
    if not isinstance(content := choice.message.content, str):
        raise CallFailed("gave an answer without text", answered=True)
    ended, usage = choice.finish_reason, completion.usage
    return Reply(
        content=_UNSTORABLE.sub("", content),
        usage=Usage(0, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")),
        fault=_BAD_ENDS.get(ended, "") if isinstance(ended, str) else "",
    )


def _count(usage: Any, name: str) -> int:
    count = getattr(usage, name, None)
    return count if type(count) is int and 0 <= count <= MAX_TOKENS else 0


def _values(content: str) -> Iterator[Any]:
    """Yield the JSON arrays and objects in a text, outermost only, from its first brackets."""
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
