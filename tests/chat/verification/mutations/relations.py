"""Exchange subject and object. Pure."""

import re
from collections.abc import Iterator

_NAME = r"[A-Za-z][\w ()/'-]*?"
_VERBS = (
    "causes?|raises?|lowers?|reverses?|replaces?|mimics?|impairs?|leads? to|results? in"
    "|results? from|(?:is|are)(?: usually| often)? caused by|increases? the risk of|affects?"
    "|precedes?|prevents?"
    "|may cause|can cause|can lead to|produces?|releases?|(?:is|are) more common than"
)
_SENTENCE = re.compile(
    rf"^({_NAME}) ({_VERBS}) ({_NAME})"
    r"(\.| because .*| only .*|, (?:which|especially|a condition) .*)$"
)
_INSIDE = (
    re.compile(r"\b(Use|use) ([\w ]+?) ((?:\d|to)[^.]*?) instead of (\w+)"),
    re.compile(r"\b(Give|give|Start) (\w+) (before|after) (?:any |the )?([\w ]+?)(?=[,.])"),
)
_COMMON = set("A An The Mutations Changes Rapid Certain Repeated Shallow Protamine Giving".split())
_TOO_LONG = 9  # words; a longer side is a clause
# Words that make a side a clause, a pronoun or a part of a list.
_CLAUSE = re.compile(
    r"\b(?:and|or|which|that|this|these|it|they|who|its|their|not|no|to|can|does|help|cause"
    r"|although|if|them|many|several|how|what|a variety|all|most|some|symptoms?|usually"
    r"|then|also|underlying)\b|^(?:of|the cause)\b",
    re.IGNORECASE,
)


def swapped(text: str) -> Iterator[str]:
    """Turn `A raises B` into `B raises A`."""
    if match := _SENTENCE.match(text):
        subject, verb, thing, rest = match.groups(default="")
        sides = f"{subject} | {thing}"
        short = not thing.startswith("of ") and all(
            len(side.split()) <= _TOO_LONG for side in (subject, thing)
        )
        if short and not _CLAUSE.search(sides):
            yield f"{_upper(thing)} {verb} {_lower(subject)}{rest}"
    if match := _INSIDE[0].search(text):
        verb, drug, dose, other = match.groups()
        yield _put(text, match, f"{verb} {other} {dose} instead of {drug}")
    if match := _INSIDE[1].search(text):
        verb, first, joint, second = match.groups()
        yield _put(text, match, f"{verb} {second} {joint} {first}")


def _put(text: str, match: re.Match[str], words: str) -> str:
    return text[: match.start()] + words + text[match.end() :]


def _upper(name: str) -> str:
    return name[0].upper() + name[1:]


def _lower(name: str) -> str:
    """Write a name in lower case, unless it may be a person's, as in a disease."""
    return name[0].lower() + name[1:] if name.split()[0] in _COMMON else name
