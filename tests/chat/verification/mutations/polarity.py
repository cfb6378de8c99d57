"""Turn statements into their opposite. Pure."""

import re
from collections.abc import Iterator, Sequence

Turn = tuple[str, str]  # a pattern and its replacement

_IMPERATIVE = (
    "Give Add Use Offer Start Stop Measure Repeat Take Request Record Check Restart Continue Admit "
    "Transfuse Infuse Prescribe Send Treat Refer Call Observe Insert Remove Start Screen Reduce "
    "Change Consider Withhold Suspect Recheck Arrange Test Tell Report Dilute Flush"
).split()
_FLIPPED: tuple[Turn, ...] = (
    *((rf"^((?:\d\. |[*†‡] )?){verb}\b", rf"\1Do not {verb.lower()}") for verb in _IMPERATIVE),
    (r"\bis contraindicated\b", "is indicated"),
    (r"\bare contraindicated\b", "are indicated"),
    (r"\bContraindicated\b", "Recommended"),
    (r"\bis indicated\b", "is contraindicated"),
    (r"\bis preferred\b", "is not preferred"),
    (r"^Avoid\b", "Give"),
    (r"\bavoid\b(?= \w)", "use"),
    (r"^Withhold\b", "Give"),
    (r"^Stop\b", "Continue"),
    (r"\bStop (?=warfarin|gentamicin)", "Continue "),
    (r"\bis needed\b", "is not needed"),
    (r"\bare needed\b", "are not needed"),
    (r"\bis likely\b", "is unlikely"),
    (r"\bare likely\b", "are unlikely"),
    (r"\bare treated\b", "are not treated"),
    (r"\bis treated\b", "is not treated"),
    (r"\bis made\b", "is not made"),
    (r"\bis done\b", "is not done"),
    (r"\bare given\b", "are not given"),
    (r"\bis given\b", "is not given"),
    (r"\bmay be given\b", "must not be given"),
    (r"\bshould\b(?! not)", "should not"),
    (r"\bcan\b(?!not| not)", "cannot"),
    (r"\bmust\b(?! not)", "must not"),
    (r"\bapplies to\b", "does not apply to"),
    (r"\bcovers\b", "does not cover"),
    (r"\bis present\b", "is absent"),
    (r"\bis caused by\b", "is not caused by"),
    (r"\bare caused by\b", "are not caused by"),
    (r"\bis inherited\b", "is not inherited"),
    (r"\bresults from\b", "does not result from"),
    (r"\bcauses\b", "does not cause"),
    (r"\bis the (?=most common|drug of choice|main|leading)", "is not the "),
    (r"\bis common\b", "is rare"),
    (r"\bis rare\b", "is common"),
    (r"\bpositive\b", "negative"),
    (r"\bis safe\b", "is unsafe"),
    (r"\breverses\b", "does not reverse"),
)
_DIRECTIONS: tuple[Turn, ...] = (
    (r"\babove\b(?! all)", "below"),
    (r"(?<!table )\bbelow\b", "above"),
    (r"\bmore than\b", "less than"),
    (r"\bMore than\b", "Less than"),
    (r"\bless than\b", "more than"),
    (r"\bLess than\b", "More than"),
    (r"\bat least\b", "at most"),
    (r"\bat most\b", "at least"),
    (r"\bor more\b", "or less"),
    (r"\bor above\b", "or below"),
    (r"\bor older\b", "or younger"),
    (r"\bAbove\b", "Below"),
    (r"\bUnder\b(?= \d)", "Over"),
    (r"\bunder\b(?= \d)", "over"),
    (r"\b([Oo])ver\b(?= \d+ (?:years|kg))", r"under"),
    (r"\brises\b", "falls"),
    (r"\bfalls\b", "rises"),
    (r"\braises\b", "lowers"),
    (r"\blowers\b", "raises"),
    (r"\blower it\b", "raise it"),
    (r"\b([Ii])ncrease(s?)\b", r"decrease\2"),
    (r"\b([Rr])educe(s?)\b(?! consciousness)", r"increase\2"),
    (r"\bExtend\b", "Shorten"),
    (r"\bLower\b(?= the)", "Raise"),
    (r"\bbefore\b(?! and after)", "after"),
    (r"(?<!before and )\bafter\b(?! all)", "before"),
    (r"\bminimum\b", "maximum"),
    (r"\bmaximum\b", "minimum"),
    (r"\bhigher\b", "lower"),
    (r"\bincreased\b", "decreased"),
    (r"\bdecreased\b", "increased"),
    (r"\bfaster\b", "slower"),
    (r"\bmore slowly\b", "more quickly"),
    (r"\bearlier\b", "later"),
    (r"\bmore common\b", "less common"),
    (r"\bmost common\b", "least common"),
)
_DROPPED: tuple[Turn, ...] = (
    (r"\bDo not (\w)", r"\1"),
    (r"\bdo not (\w)", r"\1"),
    (r"\bdoes not (\w+)", r"does \1"),
    (r"\bmust not\b", "must"),
    (r"\bmust no longer\b", "must still"),
    (r"\bneed not\b", "need to"),
    (r"\bcannot\b", "can"),
    (r"\b(is|are|was|were|has|have|will|can|should|may|could) not\b", r"\1"),
    (r"\bisn't\b", "is"),
    (r"\baren't\b", "are"),
    (r"\bdon't\b", "do"),
    (r"\b[Nn]ever\b", "always"),
    (r"^Never (\w)", r"\1"),
    (r"(?<!with or )\bwithout\b", "with"),
    (r"\bno sooner than\b", "sooner than"),
    (r"\bno more than\b", "more than"),
    (r"\b([Nn])ot more than\b", "More than"),
    (r"\bNot suitable\b", "Suitable"),
    (r"\bnot given routinely\b", "given routinely"),
    (r"\bno (?=benefit|vaginal|bleeding|fever|improvement|further|urine|known)", "some "),
    (r"\bunless\b", "if"),
    (r"\bexcept in\b", "also in"),
    (r"\bexcept where\b", "also where"),
    (r"\bis never used\b", "is used"),
)


def flipped(text: str) -> Iterator[str]:
    """Negate an order or a fact, or remove its negation."""
    yield from _turned(text, _FLIPPED)


def direction_turned(text: str) -> Iterator[str]:
    """Turn above into below, before into after, more into less, and so on."""
    yield from _turned(text, _DIRECTIONS)


def negation_dropped(text: str) -> Iterator[str]:
    """Leave out a word that negates or excepts."""
    yield from _turned(text, _DROPPED)


def _turned(text: str, turns: Sequence[Turn]) -> Iterator[str]:
    """Yield one text for each place where a pattern matches."""
    for pattern, replacement in turns:
        for match in re.finditer(pattern, text):
            made = text[: match.start()] + match.expand(replacement) + text[match.end() :]
            yield made if match.start() else made[0].upper() + made[1:]
