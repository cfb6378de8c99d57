"""What acts, on what, and how: the subject and the object of a verb stay with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.statements import Statement, statements
from chat.verification.wording.terms import terms
from chat.verification.wording.verbatim import word_for_word
from chat.verification.wording.vocabulary import GIVE, meaning

NAME = "effects"
# Verbs of one line mean the same here; a closed list. `is`: `-s` and `-ed` are added to each.
_EFFECTS = {
    "up": "increase raise elevate enhance potentiate promote prolong",
    "down": "reduce decrease lower diminish lessen minimise minimize shorten",
    "cause": "cause produce induce trigger provoke precipitate lead_to result_in",
    "prevent": "prevent protect_against",
    "treat": "treat cure relieve control",
    "better": "improve",
    "worse": "worsen aggravate exacerbate",
    "stop": "inhibit suppress block antagonise antagonize",
    "go": "stimulate activate",
    "back": "reverse antidote",
}
_IRREGULAR = {"led to": "cause", "leading to": "cause"}


def _forms() -> dict[str, str]:
    found = dict(_IRREGULAR)
    for kind, words in _EFFECTS.items():
        for word in words.split():
            verb, _, rest = word.partition("_")
            stem = verb.removesuffix("e")
            ends = (verb, f"{verb}s", f"{stem}ed", f"{stem}ing")
            found |= {f"{form} {rest}".strip(): kind for form in ends}
    return found


_KINDS = _forms()
# `Is associated with a reduced risk of` says `reduces the risk of`.
_LINK = (
    r"(?:associated with|linked to|linked with)\s+(?:an?\s+|the\s+)?(?:\w+ly\s+)?"
    r"(?:(?P<up>increased|higher|raised|greater)|(?:reduced|decreased|lower))(?=\s+\w)"
)
_VERB = re.compile(
    r"(?<![\w-])(?:{}|(?P<link>{}))(?![\w-])".format(
        "|".join(sorted(_KINDS, key=len, reverse=True)), _LINK
    ),
    re.IGNORECASE,
)
_DETERMINED = re.compile(
    r"\b(?:an?|the|this|that|any|no|of|in|with|for|from|by|at|to|its|their|on|further|dose"
    r"|under|drug)\s+$",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\b(?:to|may|can|will|should|must|might|could|not|does|do|would)\s+(?:\w+ly\s+)?$"
)
_NOUN_TAIL = re.compile(r"\s+(?:in|of)\b", re.IGNORECASE)
_BE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+\s+)?$", re.IGNORECASE)
_HAVE = re.compile(r"\b(?:has|have|had)\s+(?:\w+ly\s+)?$", re.IGNORECASE)
_BY = re.compile(r"\s+(?:\w+ly\s+)?(?:by|with)\b", re.IGNORECASE)
# Where another clause begins; a front part such as `In adults,` is none of the subject.
_EDGE = re.compile(
    r"[;:|()¤]|,?\s*\b(?:but|whereas|while|whilst|although|though|if|when|unless|because|since|until"
    r"|which|who|that|so|after|before|than|compared|by|thereby|thus)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r",\s*(?:and|or|but)?\s*|\b(?:and|or|but)\b\s*", re.IGNORECASE)
_FRONT = re.compile(r"\s*(?:in|for|during|among|with|after|before|at|on)\b[^,]*,", re.IGNORECASE)
_SAYS_LITTLE = frozenset(
    meaning(word)
    for word in "risk chance likelihood probability incidence rate level effect severity number "
    "use dose patient drug high large small great amount concentration treatment symptom "
    "acute severe serious major long short term significant people women men".split()
)


@dataclass(frozen=True)
class Effect:
    """A verb with what does it and what it is done to; either may be empty, where not said."""

    kind: str
    subject: frozenset[str]
    object: frozenset[str]


def check(claim: str, cited: Cited) -> Finding | None:
    """An object or a subject that another verb of the quote has, and the claim's own verb hasn't.

    Verbs of one meaning are one, and so are the active and the passive voice. What the quote gives
    to no verb is left to other guards.
    """
    if word_for_word(claim, cited):
        return None
    quoted = [effect for quote in cited.quotes for effect in _all(quote)]
    if any(_is_anothers(said, quoted) for said in _all(claim)):
        return Finding(NAME, Label.CONTRADICTED, "the quote says it of another effect")
    return None


def _all(text: str) -> Iterator[Effect]:
    for statement in statements(text):
        yield from effects(statement)


def _is_anothers(said: Effect, quoted: Sequence[Effect]) -> bool:
    same = [each for each in quoted if each.kind == said.kind]
    if not same:
        return False
    acted_on = frozenset[str]().union(*(each.object for each in same))
    elsewhere = frozenset[str]().union(*(each.object for each in quoted if each.kind != said.kind))
    if said.object & elsewhere - acted_on:
        return True
    near = [each for each in same if each.object & said.object] or same
    own = frozenset[str]().union(*(each.subject for each in near))
    if not said.subject or said.subject & own:
        return False
    if any(each.subject & said.subject and each.object & said.object for each in quoted):
        return True
    is_known = all(each.subject for each in near)  # and no `it`, and no imperative
    others = frozenset[str]().union(
        *(each.subject | each.object if is_known else each.object for each in quoted)
    )
    return bool(said.subject & others - frozenset[str]().union(*(each.object for each in near)))


@lru_cache(maxsize=4096)
def effects(statement: Statement) -> tuple[Effect, ...]:
    """In order. A verb behind `and` or `but` without a subject has that of the one before."""
    found: list[Effect] = []
    text = statement.text
    verbs = [match for match in _VERB.finditer(text) if _is_verb(text, match)]
    for place, match in enumerate(verbs):
        start = verbs[place - 1].end() if place else 0
        left, is_relative = _left(text, start, match.start())
        subject = left or (found[-1].subject if found and not is_relative else left)
        after = verbs[place + 1].start() if place + 1 < len(verbs) else len(text)
        right = _right(text, match.end(), after, is_last=place + 1 == len(verbs))
        kind = _kind(match)
        if is_relative and left and not right and found:  # `ulcers, which the drug prevents`
            right = found[-1].object
        if _is_passive(text, match):
            by = _BY.match(text, match.end())
            agent = _right(text, by.end(), after, is_last=True) if by else frozenset()
            found.append(Effect(kind, agent, subject))
        elif match.group().lower().split()[0].endswith("ing"):
            found.append(Effect(kind, frozenset(), right))
        else:
            found.append(Effect(kind, subject, right))
    return tuple(found)


def _is_verb(text: str, match: re.Match[str]) -> bool:
    """And no noun or adjective: `an increase in`, `the increased risk`, `a treat`."""
    before, word = text[: match.start()], match.group().lower()
    if match["link"]:
        return True
    if _TO.search(before.lower()) or _BE.search(before) or _HAVE.search(before):
        return True
    if _NOUN_TAIL.match(text, match.end()) and " " not in word:
        return False
    if _DETERMINED.search(before):
        return False
    # `The drug reduced pain`, `and reduced pain`: not `reduced pain, increased thirst`.
    return not word.endswith("ed") or re.search(r"[^\W\d_]{3,}\s+$", before) is not None


def _kind(match: re.Match[str]) -> str:
    if match["link"]:
        return "up" if match["up"] else "down"
    return _KINDS[match.group().lower()]


def _is_passive(text: str, match: re.Match[str]) -> bool:
    is_done = not match["link"] and match.group().lower().split()[0].endswith("ed")
    return is_done and _BE.search(text[: match.start()]) is not None


def _left(text: str, start: int, end: int) -> tuple[frozenset[str], bool]:
    """The subject before a verb, and whether a `which` stands before it."""
    part = text[start:end]
    joints = list(_JOINT.finditer(part)) if start else []
    edges = list(_EDGE.finditer(part))
    cut = max([0, *(each.end() for each in [*joints[-1:], *edges])])
    if front := _FRONT.match(part[cut:]):
        cut += front.end()
    keys = _keys(part[cut:])
    relative = bool(edges and edges[-1].group().strip(" ,").lower() in {"which", "that", "who"})
    return keys, relative


def _right(text: str, start: int, end: int, *, is_last: bool) -> frozenset[str]:
    part = text[start:end]
    if not is_last:
        joints = list(_JOINT.finditer(part))
        part = part[: joints[-1].start()] if joints else part
    if edge := _EDGE.search(part):
        part = part[: edge.start()]
    return _keys(part)


def _keys(text: str) -> frozenset[str]:
    """What is spoken of; adverbs such as `markedly` say little here."""
    listed = [each for each in terms(text) if each.is_content and not each.text.endswith("ly")]
    return frozenset(each.key for each in listed) - _SAYS_LITTLE - {GIVE}
