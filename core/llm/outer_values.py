"""Find the JSON values of a model's reply that stand outside of its reasoning. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

MAX_STARTS = 20  # brackets of a chatty answer where its JSON is looked for
OUTSIDE = "\0"  # stands in the prose for a value
_REASONING = (
    r"(?:chain[_-]of[_-])?(?:think\w*|thought\w*|reason\w*|analys[ei]s|scratch\w*|reflect\w*|cot)"
)
# What a model may put around its answer. What stands in any other element is no part of it.
_AROUND_ANSWERS = frozenset(
    """
    answer final final_answer output json response result reply verdict judgement judgements
    judgment judgments tool_call function b br code div em hr i li ol p pre span strong ul
    """.split()
)
_TOKEN = re.compile(
    rf"""(?P<comment><!--)
    |<(?P<close>/?)(?P<tag>(?![0-9a-f]{{8,}}>)[a-z][\w:.-]*)(?:\s[^<>]*)?(?P<empty>/?)>
    |[\[◁](?P<close2>/?)(?P<tag2>{_REASONING})[\]▷]
    |<\|channel\|>\s*(?P<channel>\w+)
    |<\|(?P<close3>end_(?:of_)?|/)?(?:begin_of_|start_of_)?(?P<tag3>{_REASONING})\|>
    |(?P<fence>```\s*{_REASONING}\b)
    |(?P<start>[\[{{])""",
    re.VERBOSE | re.IGNORECASE,
)
_LOOKS_LIKE_JSON = re.compile(r"""\{\s*(?:\Z|"|'\w*'\s*:)""")


@dataclass
class Outer:
    """The outermost JSON values of a reply, in order, and what was found beside them."""

    values: list[Any] = field(default_factory=list)
    prose: str = ""  # outside of reasoning, in lower case; each value is `OUTSIDE`
    is_broken: bool = False  # JSON that can't be read, or reasoning without an end
    is_open: bool = False  # reasoning without an end
    begins: int = 0  # where the text behind the last reasoning begins


def outer_values(content: str) -> Outer:
    """Read a reply from its start to its end; reasoning that only ends discards what is before."""
    outer, prose = Outer(), []
    decoder = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_once_each)
    hidden: list[str] = []  # the elements of reasoning that are open
    place = starts = shown = 0
    while token := _TOKEN.search(content, place):
        place = token.end()
        if not hidden:
            prose.append(content[shown : token.start()])
        shown = place
        if token["start"]:
            if hidden:
                continue
            starts += 1
            value, place = _value_at(content, token.start(), decoder)
            if place > token.end():
                outer.values.append(value)
                prose.append(OUTSIDE)
                shown = place
            elif _LOOKS_LIKE_JSON.match(content, token.start()) or starts >= MAX_STARTS:
                outer.is_broken = True
                break
        elif token["comment"] or token["fence"]:
            end = content.find("-->" if token["comment"] else "```", place)
            outer.is_open |= end < 0 and not hidden
            place = shown = end + 3 if end >= 0 else len(content)
            outer.begins = place
        elif token["channel"]:
            final = token["channel"].lower() in ("final", "response", "answer")
            hidden = [] if final else ["channel"]
            outer.begins = place
        else:
            _follow(token, hidden, outer, prose)
    if not hidden:
        prose.append(content[shown:])
    outer.prose = "".join(prose).lower()
    outer.is_open |= bool(hidden)
    outer.is_broken |= outer.is_open
    return outer


def _follow(token: re.Match[str], hidden: list[str], outer: Outer, prose: list[str]) -> None:
    """Follow an opening or closing tag: into reasoning, out of it, or out of one never opened."""
    name = (token["tag"] or token["tag2"] or token["tag3"]).lower()
    closes = token["close"] or token["close2"] or token["close3"]
    if name in _AROUND_ANSWERS or token["empty"]:
        return
    if not closes:
        hidden.append(name)
        return
    if name in hidden:
        while hidden.pop() != name:
            pass
    else:
        outer.values.clear()
        prose.clear()
    if not hidden:
        outer.begins = token.end()


def _value_at(content: str, start: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
    """Return the JSON value at a bracket and its end; the bracket's own end where there is none."""
    try:
        return decoder.raw_decode(content, start)
    except (ValueError, RecursionError):
        return None, start + 1


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are no JSON
