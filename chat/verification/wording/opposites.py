"""Words of which one says the opposite of the other. Pure; closed lists."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from chat.verification.wording.places import Place, is_misplaced, places
from chat.verification.wording.statements import Statement, statements

# A line: the words of one side, a stroke, those of the other; what ends in a bar goes on.
_PAIRS = """
increas\\w*|rais(?:e|es|ed|ing)|ris(?:e|es|ing)|rose|elevat\\w+|escalat\\w+|
(?:go|goes|going|went|come|comes) up / decreas\\w*|(?:go|goes|going|went|come|comes) down|
cut(?:s|ting)?(?= (?:the|to|by|down|back)\\b)|reduc\\w+|lower(?:s|ed|ing)|fall(?:s|ing|en)?|fell|
drop(?:s|ped|ping)?|declin\\w+|diminish\\w*|
halv\\w+
high(?:er|est|ly)?|raised|elevated / low(?:er|est)?|reduced|decreased
pre-?operative\\w* / post-?operative\\w*
first|1st|initial\\w* / second|2nd|final\\w*|last|third
early|earlier / late|later|delayed
acute(?:ly)? / chronic(?:ally)?
mild(?:ly)?|minor|slight(?:ly)? / severe(?:ly)?|major|serious(?:ly)?|life-threatening
left / right
positive(?:ly)? / negative(?:ly)?
present|presence / absent|absence
upper / lower
(?:more|greater|larger|better|longer|faster)(?! than) / (?:less|fewer|smaller|worse|shorter|
slower)(?! than)
improv\\w+|better / worsen\\w*|worse|deteriorat\\w+|aggravat\\w+
common(?:ly)?|frequent(?:ly)?|often|usually|mostly|generally|typically / rare(?:ly)?|
uncommon(?:ly)?|infrequent\\w*|
seldom|hardly
always|invariably / never|sometimes|occasionally|rarely
all of|both / any of|any one of|one of|either
most|majority|many / few|minority|some
all|every|each / some|certain|few
(?:first|initial|single)(?= (?:doses?|tablets?|infusions?|injections?)\\b) / (?:all|every|each|any|
subsequent|further|later)(?= (?:the )?(?:doses?|tablets?|infusions?|injections?)\\b)
maxim\\w+|most / minim\\w+|least
benign / malignant|cancerous
systolic / diastolic
long(?:-term|er)?|prolonged / short(?:-term|er|ened)?|brief(?:ly)?
large / small
rapid(?:ly)?|quick(?:ly)?|fast / slow(?:ly)?|gradual(?:ly)?
dominant / recessive
add(?:s|ed|ing)?|include[sd]? / remov(?:e|es|ed|ing)|exclude[sd]?
open(?:s|ed|ing)? / clos(?:e|es|ed|ing)
male|men|man|boys? / female|women|woman|girls?
conscious / unconscious
stable / unstable
normal(?:ly)? / abnormal(?:ly)?
known / unknown
central(?:ly)? / peripheral(?:ly)?
hot|warm / cold|cool
inhibit\\w*|suppress\\w*|block(?:s|ed|ing)? / stimulat\\w+|activat\\w+|induc\\w+
prevent(?:s|ed|ing|ion)?|protect(?:s|ed|ing)? / caus(?:e|es|ed|ing)|promot\\w+|provok\\w+
regular(?:ly)? / irregular(?:ly)?
complete(?:ly)? / incomplete(?:ly)?|partial(?:ly)?
empty / full
with food|after food / without food|before food
"""


def _side(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?!\w)", re.IGNORECASE)


_SIDES = [
    (_side(left.strip()), _side(right.strip()))
    for left, right in (
        line.split(" / ") for line in _PAIRS.replace("|\n", "|").strip().splitlines()
    )
]
_GOES_ON = re.compile(r"[,\s]*(?:and|but|or|then)\b", re.IGNORECASE)
_CONJOINED = re.compile(r"([\w-]+),? (and|or|plus) (?:an? |the |of |to )?([\w-]+)", re.IGNORECASE)


# Opposite as well, but `A before B` is `B after A`.
_BEFORE = _side(r"before|prior to|ahead of")
_AFTER = _side(r"after(?:wards)?|following(?= the| an?\b| each)")


def opposed(claim: str, own: Sequence[Statement]) -> bool:
    """Whether the claim has one side of a pair where the statements that it is from have the other.

    Where these have both, the words beside them decide. `A before B` is `B after A`, and no
    opposite; `A and B` opposes `A or B` where nothing is negated.
    """
    said = statements(claim)
    return (
        any(_has_other_side(said, own, *sides) for sides in _SIDES)
        or _is_late(said, own)
        or any(_joins_otherwise(each, own) for each in said)
        or _is_crossed(said, own)
    )


def _has_other_side(
    said: Sequence[Statement],
    own: Sequence[Statement],
    one: re.Pattern[str],
    other: re.Pattern[str],
) -> bool:
    claimed, quoted = _places(said, one, other), _places(own, one, other)
    mine, theirs = {each.name for each in claimed}, {each.name for each in quoted}
    if theirs and mine - theirs:
        return True
    return len(theirs) > 1 and is_misplaced(claimed, quoted)


def _is_crossed(said: Sequence[Statement], own: Sequence[Statement]) -> bool:
    """`Raise it if low and reduce it if high` is not `reduce it if low`."""
    claimed = [part for each in said for part in _parts(each)]
    quoted = [part for each in own for part in _parts(each)]
    both = [
        sides
        for sides in _SIDES
        if all(any(side.search(part) for part in quoted) for side in sides)
    ]
    for one, other in itertools.permutations(both, 2):
        for left, right in itertools.product((one, one[::-1]), (other, other[::-1])):
            crossed = _together(quoted, left[0], right[1]) and _together(quoted, left[1], right[0])
            is_new = crossed and not _together(quoted, left[0], right[0])
            if is_new and _together(claimed, left[0], right[0]):
                return True
    return False


def _together(parts: Sequence[str], one: re.Pattern[str], other: re.Pattern[str]) -> bool:
    return any(one.search(part) and other.search(part) for part in parts)


def _parts(statement: Statement) -> list[str]:
    """The statement cut before each `and`, `but`, `or` or `then` that begins a clause."""
    starts = [
        clause.start
        for clause in statement.clauses
        if _GOES_ON.match(statement.text, clause.start) and not clause.opener
    ]
    edges = [0, *starts, len(statement.text)]
    return [statement.text[a:b] for a, b in itertools.pairwise(edges)]


def _is_late(said: Sequence[Statement], own: Sequence[Statement]) -> bool:
    """Before for after or the other way, at the same place."""
    claimed, quoted = _places(said, _BEFORE, _AFTER), _places(own, _BEFORE, _AFTER)
    if len({each.name for each in quoted}) > 1 and is_misplaced(claimed, quoted):
        return True
    for place in claimed:
        same = [each for each in quoted if each.name == place.name and _shares(place, each)]
        other = [each for each in quoted if each.name != place.name and _shares(place, each)]
        if other and not same:
            return True
    return False


def _shares(one: Place, other: Place) -> bool:
    return ("" not in (one.before, other.before) and one.before == other.before) or (
        "" not in (one.after, other.after) and one.after == other.after
    )


def _places(
    listed: Sequence[Statement], one: re.Pattern[str], other: re.Pattern[str]
) -> list[Place]:
    found: list[Place] = []
    for statement in listed:
        matches = sorted(
            (match.start(), match.end(), name)
            for name, side in (("one", one), ("other", other))
            for match in side.finditer(statement.text)
        )
        found += places(statement, ((name, start, end) for start, end, name in matches))
    return found


def _joins_otherwise(said: Statement, own: Sequence[Statement]) -> bool:
    quoted = {joined for each in own for joined in _joined(each)}
    for left, joint, right in _joined(said):
        other = "or" if joint == "and" else "and"
        if {(left, joint, right), (right, joint, left)} & quoted:
            continue
        if {(left, other, right), (right, other, left)} & quoted:
            return True
    return False


def _joined(statement: Statement) -> Iterator[tuple[str, str, str]]:
    """Pairs of words beside an `and` or `or`; none where a negation makes the two one."""
    if re.search(
        r"\b(?:not|no|never|without|avoid\w*|nor|contraindicated)\b", statement.text, re.I
    ):
        return
    for match in _CONJOINED.finditer(statement.text):
        joint = "or" if match[2].lower() == "or" else "and"
        yield match[1].lower(), joint, match[3].lower()
