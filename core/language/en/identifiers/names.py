"""Find names of people: after a title, after "patient" and the like, or next to an identifier.

Things named after somebody (Bell's palsy, Lady Windermere syndrome) are not patients, nor are
clinicians ("Dr Smith's clinic"). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.language.en.identifiers.types import NAMED, WALL, Span
from core.language.en.identifiers.words import (
    EPONYMS,
    GIVEN,
    NAMED_AFTER,
    NEVER_NAMES,
    NOT_NAMES,
    PARTICLES,
    SURNAMES,
)
from core.language.en.medicines.names import drugs

MAX_TOKENS = 5
MAX_WORD_CHARS = 40
_NEAR_CHARS = 40

_TOKEN = re.compile(r"([^\W\d_]\.(?:[^\W\d_]\.)*|[^\W\d_]+(?:['’‐-][^\W\d_]+)*)(?!\w)")
_LAST = re.compile(
    r"\s{1,2}(?P<word>[^\W\d_]{2,40}(?:['’-][^\W\d_]{1,40})?)(?=\s?(?:[,.;:?!(]|and\b|\Z))"
)
_GAP = re.compile(r"\s{1,2}|(?<=\.)")
_POSSESSIVE = re.compile(r"['’][sS]\Z")
_THING = re.compile(
    rf"(?:['’]s?)?\s{{0,2}}(?:[^\W\d_]{{1,20}}\s)?(?:{EPONYMS})(?!\w)", re.IGNORECASE
)
_THINGS = re.compile(rf"(?:{EPONYMS})\Z", re.IGNORECASE)
_IMAGING = ("graphy", "gram", "grams", "scopy", "metry", "therapy", "plasty", "ectomy", "ology")
_MEDICINE = re.compile(
    r"(?:mab|nib|pril|sartan|statin|olol|azole|cillin|mycin|micin|floxacin|cycline|parin|xaban|"
    r"gliptin|flozin|glutide|azepam|itis|osis|emia|aemia|opathy|pathy|oma|uria|algia|plegia|"
    r"dipine|prazole|idone|oxetine|formin|barbital|caine|vir|profen|phylaxis)\Z"
)

_TITLE = re.compile(
    r"(?<![\w'’-])(?P<title>mister|missus|mrs|mr|miss|ms|mx|master|sir|dame|madam|lady|lord|reverend|"
    r"herrn?|frau|monsieur|madame|mme|mlle|señora?|signora?|sig\.ra|senhora?|sra|shri|smt)"
    r"(?:\.\s{0,2}|\s{1,2})",
    re.IGNORECASE,
)
_CLEAR = frozenset({"Mr", "Mrs", "Ms", "Mister"})  # a name follows, if it begins with a capital
_LOWER_TITLES = frozenset({"mr", "mrs", "mister"})  # a name may follow in lower case: `mr smith`
_UNCLEAR = frozenset(
    {"MR", "MRS", "MS", "Mx", "MX", "mx", "mRS", "mS", "miss", "master", "lady", "lord"}
)
_WORDS = frozenset({"Miss", "Master", "Lady", "Lord"})  # ordinary words in a headline
_PERSON = (
    r"patients?|pts?\.?|man|woman|boy|girl|child|baby|infant|toddler|newborn|neonate|son|daughter|"
    r"mother|father|mum|mom|dad|wife|husband|partner|brother|sister|gentleman|lady|resident|"
    r"client|inpatient|outpatient|teenager|grandmother|grandfather|uncle|aunt|neighbour|friend"
)
_PATIENT = re.compile(
    rf"(?<![\w'’-])(?:{_PERSON})(?:,? (?:of (?:mine|ours)))?(?:\s?[:,]|\s(?:is|was))?\s{{1,2}}"
    r"(?:(?:dr|prof|doctor|professor)\.?\s)?",
    re.IGNORECASE,
)
_CALLED = re.compile(
    rf"(?<![\w'’-])(?:{_PERSON})(?:,? (?:of (?:mine|ours)|aged? \d{{1,3}}),?)?"
    r"(?: (?:who is|who's|is|was))?,?\s{1,2}(?:named|called)\s{1,2}",
    re.IGNORECASE,
)
_NAME_IS = re.compile(
    r"(?<![\w'’-])(?:(?:(?:patient|pt)(?:['’]?s)?|full|first|last|family|maiden|her|his|their|"
    r"my|child['’]s|baby['’]s|mother['’]s) name|surname|forename)"
    r"(?:\s(?:is|was))?\s{0,2}[:=]?\s{1,2}",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![\w'’-])(?:named|i am|i['’]m|this is|re:|regarding)\s{1,2}", re.IGNORECASE
)
_BABY = re.compile(r"(?<![\w'’-])baby (?:boy|girl)\s{1,2}", re.IGNORECASE)
_PAIR = re.compile(r"(?<![\w'’.,-])(?=[^\W\d_a-z])")
_AGED = re.compile(
    r",?\s{0,2}\(?(?:aged? )?\d{1,3}(?:\s?(?:y(?:rs?|o)?|y/o|years?|[MF])(?!\w)|[-\s]years?\b|[,)])"
)
_OTHER = re.compile(
    rf"[\s,;:(-]{{1,4}}(?:{WALL}|(?:DOB|D\.O\.B|MRN|NHS n|SSN|CHI n|date of birth"
    r"|[Hh]ospital n|born on|lives at))"
)
_CLINICIAN = re.compile(
    r"(?<!\w)(?:(?:dr|prof|doctor|professor|nurse|sister|surgeon|midwife|consultant|st|saint)\.?"
    r"|named after)\s{1,2}\Z",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<![\w'’-])(?P<surname>[^\W\d_a-z]{2,30}), (?=[^\W\d_a-z])")


@dataclass(frozen=True)
class _Run:
    """Words that may be one name, with their span."""

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def is_given(self) -> bool:
        return self.words[0].casefold() in GIVEN

    @property
    def is_full(self) -> bool:
        """Whether this is an initial or a word and a surname, none in capitals."""
        return (
            len(self.words) > 1 and len(self.words[-1]) > 1 and not any(map(_is_loud, self.words))
        )


def names(text: str) -> Iterator[Span]:
    """Yield the spans of people's names, with titles, in no order; they may overlap."""
    # Where most words begin with a capital, capitals don't mark names.
    words = [
        word for word in text.replace(NAMED, " ").split() if len(word) > 3 and word[0].isalpha()
    ]
    is_headline = len(words) > 3 and sum(word[0].isupper() for word in words) > 0.6 * len(words)
    yield from _titled(text, is_headline=is_headline)
    yield from _said(text)
    yield from _patients(text, is_headline=is_headline)
    yield from _next_to(text, is_headline=is_headline)


def _titled(text: str, *, is_headline: bool) -> Iterator[Span]:
    for match in _TITLE.finditer(text):
        title = (
            match["title"].lower() if is_headline and match["title"] in _WORDS else match["title"]
        )
        run = _run(text, match.end(), title=title)
        if run and _fits(title, run, text, match.start()):
            yield match.start(), run.end


def _fits(title: str, run: _Run, text: str, start: int) -> bool:
    """Tell whether an ambiguous title is one here, unlike `MR imaging`, `400 ms`, `morphine mr`."""
    if title in ("mr", "MR") and not run.is_given and drugs(_before(text, start).split(" ")[-1]):
        return False
    if title == "mRS" or (title.casefold() == "ms" and _before(text, start)[-1:].isdecimal()):
        return False
    if title.casefold() in ("mx", "miss", "master", "lady", "lord") and title in _UNCLEAR:
        return run.is_given or (title.casefold() == "mx" and run.is_full)
    if title in _UNCLEAR:
        return (
            not (_is_loud(run.words[0]) and len(run.words[0]) <= 4)
            or text[start : start + _NEAR_CHARS].isupper()
        )
    return True


def _said(text: str) -> Iterator[Span]:
    """Yield names after "named", "her name is" and the like: one word is enough."""
    for cue in (_CALLED, _NAME_IS, _BABY):
        for match in cue.finditer(text):
            run = _run(text, match.end()) or _lower_given(text, match.end())
            if run and not _is_loud(run.words[0]):
                yield run.start, run.end
    for match in _NAMED.finditer(text):
        run = _run(text, match.end())
        if run and run.is_given:
            yield run.start, run.end


def _patients(text: str, *, is_headline: bool) -> Iterator[Span]:
    """Yield names after "patient" or "my wife": a usual given name, or a whole name.

    A whole name counts only outside headlines and titles such as `Patient Health Survey`.
    """
    for match in _PATIENT.finditer(text):
        run = _run(text, match.end())
        if run and (run.is_given or (run.is_full and not is_headline and _is_apart(match, text))):
            yield run.start, run.end


def _is_apart(cue: re.Match[str], text: str) -> bool:
    """Tell whether a cue is not part of a title such as `the Patient Health Survey`."""
    if not cue.group()[0].isupper():
        return True
    before = _before(text, cue.start())
    return not before or before[-1] in ".:;?!,("


def _before(text: str, start: int) -> str:
    """Return the text just before `start`; bounded, so that a long text costs no more."""
    return text[max(0, start - _NEAR_CHARS) : start].rstrip()


def _next_to(text: str, *, is_headline: bool) -> Iterator[Span]:
    """Yield `John Smith, 72`, `SMITH, John`, names before an identifier and usual whole names."""
    end = 0
    for match in _PAIR.finditer(text):
        if match.start() < end:
            continue
        run = _run(text, match.start())
        if run is None:
            continue
        end = run.end
        if _stands(run, text, is_headline=is_headline) and not _CLINICIAN.search(
            text, max(0, run.start - 24), run.start
        ):
            yield run.start, run.end
    for match in _COMMA.finditer(text):
        run = _run(text, match.end())
        if run is None or not run.is_given or match["surname"].casefold() in NOT_NAMES:
            continue
        if not _is_loud(run.words[0]) or _tells(run, text):  # else a list: NANOG, STELLA, OCT4
            yield match.start(), run.end


def _stands(run: _Run, text: str, *, is_headline: bool) -> bool:
    if len(run.words) < 2:
        return False
    if _OTHER.match(text, run.end) and (run.is_given or run.is_full):
        return True
    if not run.is_given or len(run.words[-1]) < 2:
        return False
    return not is_headline or _tells(run, text)


def _tells(run: _Run, text: str) -> bool:
    """Tell whether an age or another identifier follows."""
    return any(following.match(text, run.end) for following in (_AGED, _OTHER))


def _lower_given(text: str, at: int) -> _Run | None:
    """Return `jane`, or `jane doe` where punctuation, `and` or the end of the text follows."""
    match = _TOKEN.match(text, at)
    if match is None or _bare(match.group()).casefold() not in GIVEN:
        return None
    word = _bare(match.group())
    surname = _LAST.match(text, match.end()) if word == match.group() else None
    if surname and not _is_ordinary(surname["word"]):
        return _Run(at, surname.end("word"), (word, surname["word"]))
    return _Run(at, at + len(word), (word,))


def _run(text: str, at: int, *, title: str = "") -> _Run | None:
    """Return the name that begins at `at`; None for no name or a thing named after somebody."""
    words: list[str] = []
    end = position = at
    for _ in range(MAX_TOKENS):
        token = _TOKEN.match(text, position)
        if token is None:
            break
        word = _bare(token.group())
        if _is_name(word, title=title, is_first=not words):
            words.append(word)
            end = position + len(word)
        elif title in _LOWER_TITLES and not words and _is_lower_name(word):
            words, end = [word], position + len(word)
            break
        elif word.casefold() not in PARTICLES:
            break
        gap = _GAP.match(text, token.end())
        if gap is None or len(word) < len(token.group()):
            break
        position = gap.end()
    return _checked(_Run(at, end, tuple(words)), text)


def _checked(run: _Run, text: str) -> _Run | None:
    pair = "-".join(run.words[:2]).casefold()
    if not run.words or pair in NAMED_AFTER or all(len(w.strip(".")) < 2 for w in run.words):
        return None
    if _THING.match(text, run.end) or any(_THINGS.match(word) for word in run.words):
        return None
    return run


def _bare(token: str) -> str:
    """Return a word without a possessive s."""
    return _POSSESSIVE.sub("", token)


def _is_name(word: str, *, title: str, is_first: bool) -> bool:
    """Tell whether a word may be a name: not in lower case, and no ordinary word."""
    if len(word) > MAX_WORD_CHARS or word[0].islower():
        return False
    plain = word.casefold()
    if title in _CLEAR and is_first:
        return plain not in NEVER_NAMES and not plain.endswith(_IMAGING)
    return (bool(title) and plain in SURNAMES) or not _is_ordinary(word)


def _is_lower_name(word: str) -> bool:
    return 2 <= len(word) <= MAX_WORD_CHARS and not _is_ordinary(word)


def _is_ordinary(word: str) -> bool:
    plain = word.casefold()
    parts = plain.replace("’", "-").replace("'", "-").split("-")
    return (
        plain in NOT_NAMES
        or (len(parts) > 1 and parts[-1] in NOT_NAMES)
        or plain.endswith(_IMAGING)
        or _MEDICINE.search(plain) is not None
    )


def _is_loud(word: str) -> bool:
    return len(word) > 1 and word.isupper() and "." not in word
