"""Parse a sentence or table row, so that two of them can be compared. Pure.

Facts are compared: amount, frequency, duration, delay, bound, route, and whether something is
recommended or forbidden. Everything else has to be the same for a comparison to mean anything:
medicine, people, stage, severity, strength, conditions.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace

from core.language.en.medicines.names import drugs
from core.language.en.patients.people import People, people_of
from core.language.en.quantities.measures import (
    DAYS,
    Interval,
    Measure,
    in_base,
    levelled,
    measures,
    unit_of,
)
from core.language.en.statements.limits import Limit, limit_of
from core.language.en.statements.topics import topic_words

AMOUNT, MAXIMUM, FREQUENCY, ROUTE = "the dose", "the maximum", "how often", "the route"
DURATION, DELAY, LIMIT_OF_TIME = "for how long", "after how long", "within what time"
THRESHOLD, TARGET, RUNNING_TIME = "the threshold", "the target", "over how long it is given"
POLARITY = "whether it is done at all"
FIRST_CHOICE, PROPHYLAXIS = "first choice", "prophylaxis"
_MINUTES_A_DAY = 1440.0

_COUNT = {
    "once": 1, "twice": 2, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "eight": 8,
}  # fmt: skip
_COUNTED = "|".join(_COUNT)
_NUMBER = r"\d+(?:\.\d+)?"
_FREQUENCIES = re.compile(
    rf"""\bevery\s+(?P<low>{_NUMBER})(?:\s*(?:to|-|or)\s*(?P<high>{_NUMBER}))?\s*
            (?P<unit>minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?)\b
        |\b(?P<hourly>{_NUMBER})(?:\s*(?:to|-)\s*(?P<hourly_high>{_NUMBER}))?[\s-]?hourly\b
        |\b(?:(?P<count>once|twice)|(?P<times>{_COUNTED}|\d)
            (?:\s*(?:to|-|or)\s*(?P<times_high>{_COUNTED}|\d))?\s+times?)
            \s*(?:a|per|each|every|in\ a|/)?\s*
            (?P<per>daily|day|week(?:ly)?|month(?:ly)?|hour)\b
        |\b(?P<latin>bd|bid|b\.d\.|tds|tid|t\.d\.s\.|qds|qid|q\.d\.s\.)(?=\W|$)
        |\b(?P<other>every\ other\ day|on\ alternate\ days|alternate\ days)\b
        |\b(?P<each>every|each)\s+(?P<each_unit>hour|day|week|month)\b
        |\b(?P<bare>hourly|daily|nightly|weekly|monthly|at\ night)\b""",
    re.VERBOSE,
)
_LATIN = {"bd": 2, "bid": 2, "tds": 3, "tid": 3, "qds": 4, "qid": 4}
_A_DAY = {
    "minute": _MINUTES_A_DAY, "hour": 24.0, "day": 1.0, "week": 1 / 7, "month": 1 / 30.4375,
}  # fmt: skip
_BARE = {"hourly": 24.0, "daily": 1.0, "nightly": 1.0, "at night": 1.0, "weekly": 1 / 7,
         "monthly": 1 / 30.4375}  # fmt: skip
_ROUTES = {
    "oral": r"by mouth|orally|oral|p\.?o\.?(?=\s)|tablets?|capsules?",
    "intravenous": r"intravenous(?:ly)?|i\.?v\.?(?=\W)|infus\w+",
    "intramuscular": r"intramuscular(?:ly)?|i\.?m\.?(?=\W)",
    "subcutaneous": r"subcutaneous(?:ly)?|s\.?c\.?(?=\W)",
    "inhaled": r"nebuli[sz]\w+|inhal\w+", "rectal": r"rectal(?:ly)?|suppositor\w+",
    "topical": r"topical(?:ly)?|cream|ointment", "sublingual": r"sublingual(?:ly)?|buccal",
    "nasal": r"intranasal(?:ly)?|nasal spray", "intraosseous": r"intraosseous(?:ly)?",
}  # fmt: skip
_ROUTE_WORDS = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _ROUTES.items()
}
# Words that make two statements different if only one has them.
_QUALIFIERS = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for name, words in {
        "loading": r"loading|initial(?:ly)?|first dose|start(?:ing)? (?:dose|with|at)|stat|bolus",
        "single": r"single", "maintenance": r"maintenance|maintain|subsequent\w*", "then": r"then",
        "repeat": r"second dose|repeat(?:ed)? dose|further dose|repeat(?:ed)?|again",
        "mild": r"mild(?:ly)?|minor", "moderate": r"moderate(?:ly)?",
        "severe": r"severe(?:ly)?|major|life-?threatening|critical(?:ly)?|septic|shock",
        "high risk": r"high[- ]risk", "low risk": r"low[- ]risk", "acute": r"acute(?:ly)?",
        "chronic": r"chronic\w*|long[- ]term", PROPHYLAXIS: r"prophyla\w+|prevent\w*",
        "women": r"wom[ae]n|females?", "men": r"m[ae]n|males?",
        "recurrent": r"recurren\w+|relaps\w+",
        FIRST_CHOICE: r"first[- ](?:choice|line)",
        "other choice": r"(?:second|third)[- ](?:choice|line)|alternative(?:ly)?|instead",
        "complicated": r"complicated", "uncomplicated": r"uncomplicated",
        "community": r"community[- ]acquired", "hospital": r"hospital[- ]acquired",
        "elective": r"elective", "emergency": r"emergency", "upper": r"upper", "lower": r"lower",
        "before": r"before|pre-\w+|prior to", "peripheral": r"peripheral", "central": r"central",
        "more": r"increas\w+|titrat\w+", "fewer": r"decreas\w+|reduc\w+|halv\w+|taper\w*",
        "trough": r"trough|pre-dose", "peak": r"peak", "fasting": r"fasting",
        "modified release": r"modified[- ]release|slow[- ]release|prolonged[- ]release|m/?r|xl",
    }.items()
}  # fmt: skip
_IN_LEVEL = frozenset("mmol/l micromol/l g/l mg/l mmhg kpa % °c ml/min ng/ml mcg/l mosm/kg".split())
_STRENGTH = re.compile(
    r"(?:glucose|dextrose|chloride|saline|bicarbonate|gluconate|albumin|gel|cream|lotion|solution)"
    r"\s+\d+(?:\.\d+)?\s?%|\d+ ?(?:mg|mcg|units)/ml\b"
)
_MAXIMUM = re.compile(
    r"(?:\b(?:maximum|max|limit)\b[^.;,:\d]*"
    r"|(?:at most|up to|(?:no|not) more than|not exceed\w*)\W*)$"
)
_TARGET = re.compile(r"\b(?:aim\w*|targets?|keep|kept|maintain\w*|goal|reach\w*)\b")
_FOR = re.compile(r"\b(?:for|course of|duration(?: of)?|continue\w*|lasts?|total of)\W*(?:\w+\s)?$")
_OVER = re.compile(r"\b(?:runs|during|run|infuse\w*)\W*$")
_RUNS = re.compile(rf"\bover(?=\s+{_NUMBER}(?:\s*(?:to|-)\s*{_NUMBER})?\s*(?:min|hour|h\b))")
_WITHIN = re.compile(r"\b(?:within|in the first|no later than|by)\W*$")
_AFTER = re.compile(r"\s*(?:after|later|before|following|from|apart|prior)\b")
_CONDITION = re.compile(
    r"\b(?:if|when|where|unless|while|in|for|to (?:patients?|people|adults?|those|women|men"
    r"|children|anyone|someone)(?: (?:with|who|whose|on|at|in))?|with known)\b"
    r"([^,.;:]*)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:give|use|offer|prescribe|start|add|take|recommend\w*|continue|can be|may be|should be"
    r"|is (?:safe|suitable|indicated|first choice|preferred)|are (?:safe|suitable|indicated)"
    r"|restart|transfuse|measure|check|send|treat)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Fact:
    """A value in a statement, in base units; frequencies are times per day."""

    role: str  # one of the constants above
    interval: Interval
    drug: str = ""
    names: frozenset[str] = frozenset()  # words before the value: potassium, of a concentration
    said: str = field(default="", compare=False)  # the value as the normalised text has it


@dataclass(frozen=True)
class Statement:
    """A parsed sentence or row."""

    text: str
    drugs: tuple[str, ...]
    words: frozenset[str]  # stems, without the medicines
    facts: tuple[Fact, ...]
    conditions: tuple[Fact, ...]  # bounds under which the statement applies
    condition_words: frozenset[str]
    routes: frozenset[str]
    qualifiers: frozenset[str]
    strengths: frozenset[str]
    label: str  # first cell of a row that is chosen by a number; else empty
    forbids: bool
    tells: bool
    people: People = field(default_factory=People)


def read_statement(text: str, *, drug_before: str = "") -> Statement:
    """Parse one sentence, or a row with labels as in `Unit.text`.

    `drug_before` is the medicine of the sentence before, used if the text names none.
    """
    named = drugs(text) or ((drug_before,) if drug_before else ())
    level = levelled(text)
    facts = _facts(level, named)
    forbids = limit_of(text) is Limit.CONTRAINDICATION
    conditions = " ".join(match.group(1) for match in _CONDITION.finditer(text))
    of_drugs = topic_words(" ".join(named))
    return Statement(
        text=text,
        drugs=named,
        words=topic_words(text) - of_drugs,
        facts=tuple(fact for fact in facts if fact.role != ""),
        conditions=tuple(replace(fact, role=THRESHOLD) for fact in facts if fact.role == ""),
        condition_words=topic_words(conditions) - of_drugs,
        routes=frozenset(name for name, words in _ROUTE_WORDS.items() if words.search(text)),
        qualifiers=qualifiers_of(text),
        strengths=frozenset(_STRENGTH.findall(level)),
        label=_numeric_label(text),
        forbids=forbids,
        tells=not forbids and bool(_TELLS.search(text)),
        people=people_of(text),
    )


def qualifiers_of(text: str) -> frozenset[str]:
    """Return the stages, severities and purposes that a text is qualified by."""
    return frozenset(name for name, words in _QUALIFIERS.items() if words.search(text))


def _numeric_label(text: str) -> str:
    first, parted, _ = text.partition(";")
    _, colon, cell = first.partition(":")
    return " ".join(first.lower().split()) if parted and colon and re.search(r"\d", cell) else ""


def _facts(text: str, named: tuple[str, ...]) -> list[Fact]:
    """Return the facts of a normalised text; those with an empty role are conditions."""
    facts = [
        Fact(
            FREQUENCY,
            _frequency(match),
            _drug_at(text, match.start(), named),
            said=match.group().strip(),
        )
        for match in _FREQUENCIES.finditer(text)
    ]
    rest = _FREQUENCIES.sub(lambda match: " " * len(match.group()), text)
    # `over 30 minutes` is a running time, not a bound. The replacement is as long as the original.
    rest = _RUNS.sub("runs", rest)
    for measure in measures(rest):
        if fact := _fact(measure, rest, named):
            facts.append(replace(fact, said=rest[measure.start : measure.end].strip()))
    return facts


def _fact(measure: Measure, text: str, named: tuple[str, ...]) -> Fact | None:
    before, after = text[max(0, measure.start - 60) : measure.start], text[measure.end :]
    interval, unit = measure.interval, measure.interval.unit
    inside = text[measure.start : measure.end]
    drug = _drug_at(text, measure.start, named)
    names = topic_words(" ".join(before.split()[-5:]))
    if unit in (DAYS, "minute"):
        return _time(interval, before, after, inside, drug)
    is_maximum = bool(_MAXIMUM.search(before) or re.match(r"(?:max|at most|up to|no)", inside))
    if unit in ("kg", "ml/min") or (unit in _IN_LEVEL) or not unit:
        if unit == "%" and not measure.bounded:
            return None  # a strength
        if not unit and not measure.bounded:
            return None
        role = (
            TARGET if unit not in ("kg", "ml/min") and _TARGET.search(text[: measure.start]) else ""
        )
        return Fact(role, interval, "", names)
    if is_maximum:
        value = interval.high if not math.isinf(interval.high) else interval.low
        return Fact(MAXIMUM, Interval(value, value, unit), drug)
    return Fact(AMOUNT, interval, drug)


def _time(interval: Interval, before: str, after: str, inside: str, drug: str) -> Fact | None:
    if interval.unit == DAYS:
        scale = _MINUTES_A_DAY
        interval = replace(
            interval, low=interval.low * scale, high=interval.high * scale, unit="minute"
        )
    if re.search(r"\bage[ds]?\W*$|\b(?:under|over)\W*$", before) or "older" in inside:
        return None
    if _WITHIN.search(before):
        return Fact(LIMIT_OF_TIME, interval, drug)
    if _AFTER.match(after) or re.search(r"\b(?:after|wait)(?: for)?\W*$", before):
        return Fact(DELAY, interval, drug)
    if _OVER.search(before):
        return Fact(RUNNING_TIME, interval, drug)
    if _FOR.search(before) or re.search(r"\bduration[^;]*$", before):
        return Fact(DURATION, interval, drug)
    if math.isinf(interval.low) or math.isinf(interval.high):
        return Fact("", interval, "", topic_words(before))
    return None


def _frequency(match: re.Match[str]) -> Interval:
    part = match.groupdict()
    if part["low"] or part["hourly"]:
        unit = unit_of(part["unit"]) if part["low"] else "hour"
        low = float(part["low"] or part["hourly"])
        high = float(part["high"] or part["hourly_high"] or low)
        a_day = _A_DAY.get(unit, 1.0)
        return Interval(round(a_day / max(high, 1e-9), 6), round(a_day / max(low, 1e-9), 6), "/day")
    if lowest := part["count"] or part["times"]:
        low, high = _counted(lowest), _counted(part["times_high"] or lowest)
        per = part["per"].removesuffix("ly").replace("dai", "day")
        return Interval(round(low * _A_DAY[per], 6), round(high * _A_DAY[per], 6), "/day")
    if part["latin"]:
        value = float(_LATIN[part["latin"].replace(".", "")])
    elif part["other"]:
        value = 0.5
    elif part["each"]:
        value = _A_DAY[part["each_unit"]]
    else:
        value = _BARE[part["bare"]]
    return Interval(round(value, 6), round(value, 6), "/day")


def _counted(word: str) -> float:
    return float(_COUNT[word]) if word in _COUNT else float(word)


def _drug_at(text: str, place: int, named: tuple[str, ...]) -> str:
    """Return the last medicine named before a place, else the first of all."""
    before = [(text.rfind(name, 0, place), name) for name in named]
    last = max((pair for pair in before if pair[0] >= 0), default=None)
    return last[1] if last else (named[0] if named else "")


def bound_differs(interval: Interval, other: Interval) -> bool:
    """Tell whether two values can't both be right: disjoint, or different bounds from one side.

    A range that contains the other value is no difference; nor are bounds from opposite sides.
    """
    if interval.unit != other.unit:
        return False
    interval, other = in_base(interval), in_base(other)
    if math.isinf(interval.low) and math.isinf(other.low):
        return interval.high != other.high
    if math.isinf(interval.high) and math.isinf(other.high):
        return interval.low != other.low
    is_open = [math.isinf(value) for value in (interval.low, interval.high, other.low, other.high)]
    if any(is_open[:2]) and any(is_open[2:]):
        return False
    return not interval.meets(other) and not (
        interval.low == other.low and interval.high == other.high
    )
