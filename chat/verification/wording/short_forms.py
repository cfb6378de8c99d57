"""Short forms that are more than letters, in the words that the other modules know. Pure.

`b.d.` is one word, `K+` is potassium, and half an hour is 30 minutes.
"""

from __future__ import annotations

import re

from chat.verification.texts import normalised

_DOTTED = re.compile(r"(?<![\w.])(?:[A-Za-z]\.){2,4}(?!\w)")
_SENTENCE_END = re.compile(r"\s*$|\s+[A-Z]")
_IONS = {
    r"K\+": "potassium", r"Na\+": "sodium", r"Ca(?:2\+|\+\+|²⁺)": "calcium",
    r"Mg(?:2\+|\+\+|²⁺)": "magnesium", r"HCO3-?|HCO₃⁻?": "bicarbonate", "K⁺": "potassium",
    "Na⁺": "sodium",
}  # fmt: skip
# Not `one`, which mostly counts nothing.
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split(),
        start=2,
    )
}
_NUMBER = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_NUMBERS)})(?!\w|-(?!(?:hour|day|week|month|year)(?:s|ly)?\b))",
    re.IGNORECASE,
)
_PHRASES = tuple(
    (re.compile(rf"(?<!\w){form}(?!\w)", re.IGNORECASE), words)
    for form, words in (
        (r"half an? hour", "30 minutes"),
        (r"(?:a )?quarter of an hour", "15 minutes"),
        (r"an hour and a half", "90 minutes"),
        (r"a number of", "several"),
        (r"(?:half-?|1/2 ?)normal saline", "sodium chloride 0.45%"),
        (
            r"(?:0\.9% ?)?(?:normal|physiological|isotonic) saline(?: 0\.9%)?",
            "sodium chloride 0.9%",
        ),
    )
)


def written_out(text: str) -> str:
    """The text, white space levelled, with such forms in words. Twice is as once."""
    text = _DOTTED.sub(_closed, normalised(text))
    for ion, name in _IONS.items():
        text = re.sub(rf"(?<![\w/]){ion}(?!\w)", name, text)
    for form, words in _PHRASES:
        text = form.sub(words, text)
    return _NUMBER.sub(lambda match: _NUMBERS[match.group().lower()], text)


def _closed(match: re.Match[str]) -> str:
    """Capital letters, as routes are written; the last point stays at the end of a sentence."""
    ends = _SENTENCE_END.match(match.string, match.end())
    return match.group().replace(".", "").upper() + ("." if ends else "")
