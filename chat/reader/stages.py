"""Which stage of a treatment a question asks about: its end, or what follows a first dose. Pure.

When to stop is not answered by when to start, nor a second dose by the first.
"""

from __future__ import annotations

import re

# Not `should she eat yoghurt to stop diarrhoea`.
_ASKS = re.compile(
    r"\b(?:(?:when|how (?:soon|early|long)|(?<!how )(?:can|may|should|do) (?:i|we|you|s?he|they))\b"
    r"[^.?!]{0,40}?(?:(?<!\bto )|(?<=need to )|(?<=have to )|(?<=able to ))"
    r"|(?:safe|ok|okay|time) to )"
    r"\b(?:stop|discontinue|cease|come off|switch off|turn off|turn it off)\b"
    r"(?! (?:\w+ ){0,2}(?:bleed|ha?emorrhag|nosebleed|epistaxis|seiz|status|fit|convuls|vomit"
    r"|spread|labou?r|diarrh))(?![^.?!]*\bwith\b)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:stop\w*|discontinu\w+|ceas\w+|withdr\w+|withh\w+|with-?held|held|hold|wean\w*|taper\w*"
    r"|omit\w*|interrupt\w*|until|durations?|courses?|complet\w+|continu\w+|last dose|end(?:s|ed)?"
    r"|off|no longer|\d+[-\s]?(?:days?|weeks?|months?)"
    r"|for (?:at least |up to |a (?:total|maximum) of )?(?:\d+|\w+)"
    r" (?:hours?|days?|weeks?|months?))\b",
    re.IGNORECASE,
)


_ASKS_NEXT = re.compile(
    r"\b(?:second|2nd|third|3rd|next|subsequent|further|repeat\w*|maintenance|follow-?up|top-?up)"
    r"(?: \w+)? dos(?:es?|ing)\b|\bdos(?:es?|ing) (?:interval|after that)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:loading|initial|first|starting|stat) (?:\w+ )?(?:dos\w+|bolus)", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"\b(?:second|2nd|third|3rd|next|subsequent\w*|further|repeat\w*|maintenance|then|follow\w*"
    r"|every|each|hourly|daily|times|after|titrat\w*|increas\w+|maintain|once|twice|b\.?d|t\.?d\.?s"
    r"|q\.?d\.?s|o\.?d|q\d+h)\b|\d-hourly",
    re.IGNORECASE,
)
_ONLY_NEXT = re.compile(
    r"^[^.;\d]{0,60}?\b(?:supplement\w*|additional|further|repeat\w*|subsequent|top-?up)"
    r"(?: \w+)? dos",
    re.IGNORECASE,
)


def is_only_next(question: str, text: str) -> bool:
    """Tell whether a text begins with a dose that follows another, where not that is asked for."""
    return bool(_ONLY_NEXT.search(text)) and not (
        _ASKS_NEXT.search(question) or _ONLY_NEXT.search(question)
    )


def fits_stage(question: str, text: str, context: str) -> bool:
    """Tell whether a text may answer for the stage that a question asks about, if for any; of its
    end also by what it stands under.
    """
    if _ASKS.search(question) and not _SAYS.search(f"{context} | {text}"):
        return False
    return not (_ASKS_NEXT.search(question) and _FIRST.search(text) and not _GOES_ON.search(text))
