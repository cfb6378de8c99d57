"""Read the answer of a language model's endpoint strictly. Pure.

Nothing is repaired: an answer that is cut off, withheld, of another form, or that says two things
is rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.llm.outer_values import OUTSIDE, Outer, outer_values
from core.llm.transport import CallFailed
from core.llm.usage import Usage

MAX_TOKENS = 10**9  # a larger count is not believed

# Values of `finish_reason` that make an answer unusable. Servers vary in the values of a good end.
_BAD_ENDS = {
    "length": "gave an answer that is cut off",
    "content_filter": "withheld its answer",
    "tool_calls": "asked for a tool, and there is none",
    "function_call": "asked for a tool, and there is none",
}
_LEAST_WORD = 5  # letters of a word of the schema that prose can't have by chance
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # no database takes them as text


@dataclass(frozen=True)
class Reply:
    """The unchanged text of an answer, and its usage as the server reports it (0: not reported)."""

    content: str = field(repr=False)
    usage: Usage = field(default_factory=Usage)
    fault: str = ""  # why the answer is incomplete; goes on after "The language model"

    def value(self, schema: Mapping[str, Any]) -> Any:
        """Return the one JSON value in the reply that fits `schema` (JSON Schema).

        The value may stand alone, in a fence or among other words. What stands in reasoning tags is
        not read. Raises CallFailed if the reply has a fault, if no value fits, or if it leaves open
        which one holds: another object, JSON that breaks off or has a key twice, a tag that is not
        closed, or words of the schema beside the value that are not its own.
        """
        import jsonschema  # type: ignore[import-untyped]  # late: only where a model is configured

        if self.fault:
            raise CallFailed(self.fault, answered=True)
        outer = outer_values(self.content)
        is_valid = jsonschema.Draft202012Validator(dict(schema)).is_valid
        found = [value for value in outer.values if is_valid(value) or isinstance(value, dict)]
        written = {json.dumps(value, sort_keys=True) for value in found}
        if outer.is_broken or not outer.values:
            raise CallFailed("gave an answer that can't be read", answered=True)
        if not any(map(is_valid, found)):
            raise CallFailed("gave an answer of another form", answered=True)
        if len(written) > 1 or _says_otherwise(outer, schema, *written):
            raise CallFailed("gave two answers in one", answered=True)
        return found[0]

    def text(self) -> str:
        """Return the text of the reply without reasoning. Raises CallFailed if it was cut off."""
        if self.fault:
            raise CallFailed(self.fault, answered=True)
        outer = outer_values(self.content)
        if outer.is_open:
            raise CallFailed("gave an answer that is cut off", answered=True)
        return self.content[outer.begins :] if outer.begins else self.content


def _says_otherwise(outer: Outer, schema: Mapping[str, Any], written: str) -> bool:
    """Tell whether the words beside a value name another one: `... so not_found`."""
    before, _, after = outer.prose.partition(OUTSIDE)
    words, names = _words_of(schema)
    if any(word in after or (word in before and word not in written) for word in words):
        return True
    given = "|".join(map(re.escape, names))
    assigned = rf"""\b(?:{given})\b["'`*]*\s*(?:[:=]|\bis\b)\s*["'`*]*\w"""
    return bool(names and re.search(assigned, f"{before}{OUTSIDE}{after}"))


def _words_of(schema: Any) -> tuple[set[str], set[str]]:
    """Return the longer words that a schema offers as values, and the names of its properties."""
    words: set[str] = set()
    names: set[str] = set()
    for key, value in schema.items() if isinstance(schema, Mapping) else ():
        if key == "enum":
            words |= {w for w in value if isinstance(w, str) and len(w) >= _LEAST_WORD}
            continue
        names |= set(value) if key == "properties" else set()
        for part in value if isinstance(value, list) else (value,):
            inside = part.values() if key in ("properties", "$defs") else (part,)
            for more, named in map(_words_of, inside):
                words, names = words | more, names | named
    return words, names


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
