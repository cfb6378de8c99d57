"""Names of one thing: short and lay forms, other names. Pure.

As the lexicon has them that the first releases are installed with; what staff add to the table
since widens the search, and has to stand in a quote as it is claimed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.wording.stems import stem
from core.text.words import WORD
from retrieval.migrations import _lexicon_v1, _lexicon_v2

_MORE = """
GTN = nitroglycerin
vitamin K = phytomenadione
phytomenadione = phytonadione
co-amoxiclav = amoxicillin with clavulanic acid
BP = blood pressure
HR = heart rate
RR = respiratory rate
K = potassium
NSAID = nonsteroidal anti-inflammatory drug
NSAID = non-steroidal anti-inflammatory drug
ACE inhibitor = angiotensin converting enzyme inhibitor
beta-blocker = beta blocker
by mouth = orally
LFTs = liver function tests
ECG = electrocardiograph
O2 = oxygen
X-ray = radiograph
chest X-ray = chest radiograph
radiation therapy = radiotherapy
KCl = potassium chloride
NaCl = sodium chloride
saline = sodium chloride
dextrose = glucose
corticosteroid = steroid
soluble insulin = regular insulin
first-line = first choice
first-line = drug of choice
first-line = treatment of choice
second-line = second choice
sats = saturation
O2 sats = oxygen saturation
O2 saturation = oxygen saturation
GP = general practice
GP = general practitioner
BP = blood pressures
ICU = intensive care
ICU = intensive care unit
ACEi = ACE inhibitor
"""
_SINGLE_WORDS_TOO_WIDE = {"K"}  # a vitamin as well


@dataclass(frozen=True)
class Form:
    """One way to write a name: its words, and whether only as written."""

    words: tuple[str, ...]
    exact: bool = False


def _pairs() -> list[tuple[Form, Form]]:
    rows = [*_lexicon_v1.rows(), *_lexicon_v2.rows()]
    listed = [(row["short"], row["words"], row["match"] == "capitals") for row in rows]
    for line in _MORE.strip().splitlines():
        short, words = line.split(" = ")
        if short not in _SINGLE_WORDS_TOO_WIDE:
            listed.append((short, words, short.isupper()))
    return [
        (Form(words_of(short, exact=exact), exact), Form(words_of(words)))
        for short, words, exact in listed
    ]


def words_of(text: str, *, exact: bool = False) -> tuple[str, ...]:
    """The words of a form as they are compared: as written, or by their stems."""
    found = WORD.findall(text)
    return tuple(found) if exact else tuple(stem(word) for word in found)


@lru_cache(maxsize=1)
def by_form() -> dict[Form, str]:
    """Each form with the name of its thing; names that share a form are one thing."""
    pairs = _pairs()
    leader: dict[Form, Form] = {}

    def top(form: Form) -> Form:
        while leader.setdefault(form, form) != form:
            form = leader[form]
        return form

    for short, words in pairs:
        first, second = sorted((top(short), top(words)), key=_order)
        leader[second] = first
    return {form: "=" + " ".join(top(form).words) for form in leader}


@lru_cache(maxsize=1)
def by_name() -> dict[str, tuple[Form, ...]]:
    """All forms of each thing."""
    found: dict[str, list[Form]] = defaultdict(list)
    for form, name in by_form().items():
        found[name].append(form)
    return {name: tuple(sorted(forms, key=_order)) for name, forms in found.items()}


@lru_cache(maxsize=1)
def longest_form() -> int:
    return max(len(form.words) for form in by_form())


def _order(form: Form) -> tuple[tuple[str, ...], bool]:
    return form.words, form.exact
