"""A claim as statements that say one thing each, so that none hides behind another. Pure.

By rules, which split only where each part can stand alone (compare the atomic facts of Min et al.,
EMNLP 2023): between whole sentences, items of a list, and clauses with a verb and a subject or an
object of their own. Conditions and populations in front of clauses, and those behind the last, go
with each. Where the rules can't tell, a statement stays whole: it is judged as one, and a part that
lost its subject, its condition or its `not` would be judged as something that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.text.clauses import (
    DEPENDENT,
    FRAME,
    bracketless,
    has_subject,
    has_verb,
    is_imperative,
    is_negated,
    offers_a_choice,
    says_something,
    stands,
    trailing_condition,
    with_subject,
)
from core.text.sentences import line_sentence_spans

MAX_ATOMS = 12  # a claim of more is judged whole: it is no claim but a page
MAX_CHARS = 2000  # so is a longer one
FRAME_CHARS = 200

# Behind these a clause depends on what stands before them, and is never cut off it.
_RELATIVE = re.compile(
    r"\b(?:that|which|who|whom|whose|what|how|why|where|because|although|though|since|so|to avoid"
    r"|in order|whether|than|then|between|both|either|neither|nor|not only)\b|;|\bonly$",
    re.IGNORECASE,
)
# When it is done: what such words are said of, an `and` before them leaves open.
_TIMED = re.compile(r"\b(?:before|after|while|whilst|within|followed|following)\b", re.IGNORECASE)
# Of a list whose items may count only together, or only without each other.
_ALTERNATIVES = re.compile(
    r"\b(?:all|any|if|when|unless|either|both|one of|or|with|between|following|not|no|never|except"
    r"|without|other than|including|such as|then|followed|especially|particularly|as well as)\b",
    re.IGNORECASE,
)
_LIST_HEADS = re.compile(
    r"(?P<head>[^,;:]*\b(?:contraindications?|side effects|adverse effects|symptoms|signs|causes"
    r"|risk factors|indications|complications|red flags|interactions|cautions|options)\b"
    r"[^,;:]*?(?:\s(?:include|comprise)\s|:\s))(?P<items>.+)",
    re.IGNORECASE | re.DOTALL,
)
_INTRO = re.compile(r"(?P<intro>[^:;.,]{1,80}):\s+(?P<rest>\S.*)", re.DOTALL)
# A piece of a row, between semicolons, which can't stand in one.
_CELL = re.compile(r"\s*[^:]{1,80}:\s[^:]+")
_JOINT = re.compile(r",?\s+(?P<word>and|but)\s+|,\s+(?P<comma>but|whereas)\s+")
_SEMICOLON = re.compile(r";\s+(?:and\s+|but\s+)?")
_COMMA = re.compile(r",\s+(?:and\s+)?")
_LAST_AND = re.compile(r"\s+and\s+(?!.*\band\b)")
# `pain in the back and sides` is one item.
_PREPOSITION = re.compile(r"\b(?:of|in|on|at|to|from|by|for|or|than)\b", re.IGNORECASE)
# `small, fixed features` are no two items.
_ADJECTIVE = re.compile(
    r"(?:small|large|short|long|wide|broad|low|high|mild|severe|thick|thin|dry|red|slow|rapid|weak"
    r"|soft|new|old|cold|warm|hot|acute|chronic|painful|frequent|persistent)",
    re.IGNORECASE,
)
CARRIED_CHARS = 80  # of a condition that goes with both clauses
_ITEM = re.compile(r"^\s*(?:[-*•–]|\(?(?:\d{1,2}|[a-z])[.)])\s+")


def atomic_statements(claim: str) -> tuple[str, ...]:
    """The statements of a claim, in order, each once; the claim itself where it is one.

    A row of a table, `label: cell; label: cell`, is one. Nothing is split inside brackets. Empty
    for no text.
    """
    text = claim.strip()
    if not text:
        return ()
    if len(text) > MAX_CHARS:
        return (text,)
    atoms = [atom for unit, leans in _units(text) for atom in _atoms_of(unit, leans=leans)]
    found = tuple(dict.fromkeys(atoms))
    return found if 1 < len(found) <= MAX_ATOMS else (text,)


def _units(text: str) -> list[tuple[str, bool]]:
    """Sentences and items, and whether they are several, of which one leans on the one before.

    An item carries the line that introduces its list.
    """
    intro = ""
    held: list[tuple[str, bool]] = []
    for start, end in line_sentence_spans(text):
        sentence = text[start:end]
        item = _ITEM.match(sentence)
        if item and intro:
            if held[-1] == (intro, False):
                held.pop()
            held.append((f"{intro} {sentence[item.end() :]}", False))
        elif held and not item and _leans(sentence, held[-1][0]):
            held[-1] = (f"{held[-1][0]} {sentence}", True)
        else:
            held.append((sentence, False))
            intro = sentence if sentence.endswith(":") else ""
    return held


def _leans(sentence: str, before: str) -> bool:
    """By its own words, or since what bounds the sentence before may bound it too."""
    if DEPENDENT.match(sentence) or sentence[0].islower():
        return True
    if FRAME.match(sentence) or trailing_condition(sentence):
        return False
    is_bounded = FRAME.match(before) or trailing_condition(before)
    return bool(is_bounded or _INTRO.fullmatch(bracketless(before)))


def _atoms_of(unit: str, *, leans: bool) -> Iterator[str]:
    """Of one sentence: its list items, or its clauses under their label and frame."""
    masked = bracketless(unit)
    if leans or _is_row(masked):
        yield unit
        return
    if items := _listed(unit, masked):
        yield from items
        return
    label, body = _introduced(unit, masked)
    parts = _parted(body)
    yield from (_sentence(label + part) for part in parts) if len(parts) > 1 else (unit,)


def _is_row(masked: str) -> bool:
    """Whether it is `label: cell; label: cell`; linear, as one pattern for all of it is not."""
    cells = masked.split(";")
    return len(cells) > 1 and all(map(_CELL.fullmatch, cells))


def _listed(unit: str, masked: str) -> list[str]:
    """`Contraindications include A, B and C` and `Label: a; b`, each item with the head.

    None where it is no such list, and where an item may count only with or without another.
    """
    text = masked.rstrip(". ")
    if (match := _INTRO.fullmatch(text)) and ";" in match["rest"]:
        head, items, separators = match["intro"], "rest", _SEMICOLON
    elif match := _LIST_HEADS.fullmatch(text):
        has_semicolons = ";" in match["items"]
        head, items, separators = match["head"], "items", _SEMICOLON if has_semicolons else _COMMA
    else:
        return []
    if _ALTERNATIVES.search(f"{head} {match[items]}") or trailing_condition(match[items]):
        return []
    start, end = match.span(items)
    pieces = _cut(unit, masked, separators, start, end)
    if len(pieces) > 1 and separators is _COMMA:
        pieces = [*pieces[:-1], *_last_two(pieces[-1])]
    if len(pieces) < 2 or any(has_verb(piece) or _ADJECTIVE.fullmatch(piece) for piece in pieces):
        return []
    return [_sentence(unit[:start] + piece) for piece in pieces]


def _last_two(piece: str) -> list[str]:
    """`B and C`, the end of a list, as two; whole where the `and` may belong to B alone."""
    masked = bracketless(piece)
    joint = _LAST_AND.search(masked)
    if joint is None or _PREPOSITION.search(masked[: joint.start()]):
        return [piece]
    return [piece[: joint.start()], piece[joint.end() :]]


def _introduced(unit: str, masked: str) -> tuple[str, str]:
    """`Label: ` and what follows it; no label where the sentence has none."""
    match = _INTRO.fullmatch(masked)
    place = match.start("rest") if match else 0
    return unit[:place], unit[place:]


def _parted(body: str) -> list[str]:
    """Clauses over semicolons, then over `and` and `but`; each under the frame of the first."""
    frame, rest = _framed(body)
    pieces = _cut(rest, bracketless(rest), _SEMICOLON, 0, len(rest))
    if not all(map(stands, pieces)):
        pieces = [rest]
    return [frame + clause for piece in pieces for clause in _coordinated(piece)]


def _framed(body: str) -> tuple[str, str]:
    """A condition or population in front, with its comma, and the clause that it is for."""
    if FRAME.match(body):
        for comma in re.finditer(r",\s+", bracketless(body)[:FRAME_CHARS]):
            if stands(body[comma.end() :]):
                return body[: comma.end()], body[comma.end() :]
    return "", body


def _coordinated(clause: str) -> list[str]:
    """The clause in two or more, from its left, or as it is."""
    for joint in _JOINT.finditer(bracketless(clause)):
        contrasts = (joint["word"] or joint["comma"]) != "and"
        split = _split_at(clause[: joint.start()], clause[joint.end() :], contrasts=contrasts)
        if split:
            return [split[0], *_coordinated(split[1])]
    return [clause]


def _split_at(left: str, right: str, *, contrasts: bool) -> tuple[str, str] | None:
    """Both sides as clauses of their own; None where one of them would not stand alone."""
    if ";" in bracketless(right):
        return None
    if _RELATIVE.search(bracketless(left)) or offers_a_choice(left) or not says_something(left):
        return None
    if not contrasts and _TIMED.search(bracketless(f"{left} {right}")):
        return None
    if is_imperative(left):
        second = right if stands(right) else ""
    else:
        second = right if has_subject(right) else with_subject(left, right)
    denies_both = is_imperative(left) and is_negated(left) and not is_negated(right)
    if not second or (denies_both and not contrasts):
        return None
    return _sharing_conditions(left, second, contrasts=contrasts)


def _sharing_conditions(left: str, right: str, *, contrasts: bool) -> tuple[str, str] | None:
    """A condition behind what to do goes with all of it; one in the middle may reach over both.

    Both may have their own where the second begins anew with what to do.
    """
    of_left, of_right = trailing_condition(left), trailing_condition(right)
    if of_left is None and of_right is None:
        return left, right
    if of_left is not None:
        return (left, right) if of_right is not None and is_imperative(right) else None
    if contrasts or not is_imperative(left) or of_right is None or of_right["to"] in ("with", "to"):
        return None
    condition = right[of_right.start() :].rstrip(".")
    if "," in condition or len(condition) > CARRIED_CHARS:
        return None
    return f"{left}{condition}", right


def _cut(text: str, masked: str, separators: re.Pattern[str], start: int, end: int) -> list[str]:
    """The pieces of `text[start:end]`, by separators that stand outside of brackets."""
    places = [match.span() for match in separators.finditer(masked, start, end)]
    bounds = [start, *(place for span in places for place in span), end]
    pieces = [text[a:b].strip() for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
    return [piece for piece in pieces if piece]


def _sentence(text: str) -> str:
    """With a capital and a full stop, as models read their texts."""
    stripped = text.strip().rstrip(",;")
    ended = stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
    # A name such as eGFR or pH stays what it is.
    return ended[0].upper() + ended[1:] if ended.split()[0].islower() else ended
