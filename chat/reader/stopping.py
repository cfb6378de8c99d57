"""A question on when to stop is not answered by when to start. Pure."""

from __future__ import annotations

import re

# Not `should she eat yoghurt to stop diarrhoea`.
_ASKS = re.compile(
    r"\b(?:(?:when|how (?:soon|early|long)|can|may|should)\b[^.?!]{0,40}?"
    r"(?:(?<!\bto )|(?<=need to )|(?<=have to )|(?<=able to ))"
    r"|(?:safe|ok|okay|time) to )"
    r"\b(?:stop|discontinue|cease|come off|switch off|turn off|turn it off)\b"
    r"(?! (?:the |a |her |his |an )?(?:bleed|ha?emorrhag|nosebleed|seiz|fit|convuls|vomit|spread))",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:stop\w*|discontinu\w+|ceas\w+|withdr\w+|withh\w+|with-?held|held|hold|wean\w*|taper\w*"
    r"|omit\w*|interrupt\w*|until|durations?|courses?|complet\w+|continu\w+|last dose|end(?:s|ed)?"
    r"|off|no longer|for (?:at least |up to |a (?:total|maximum) of )?(?:\d+|\w+)"
    r" (?:hours?|days?|weeks?|months?))\b",
    re.IGNORECASE,
)


def asks_when_to_stop(question: str) -> bool:
    """Tell whether a question asks when, or whether, something that is given ends."""
    return _ASKS.search(question) is not None


def says_when_to_stop(text: str) -> bool:
    """Tell whether a text says anything of an end or of how long something goes on."""
    return _SAYS.search(text) is not None
