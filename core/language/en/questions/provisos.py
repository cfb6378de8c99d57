"""Find what a question makes a treatment depend on: `can I give X if he has myasthenia`. Pure."""

from __future__ import annotations

import re

from core.language.en.statements.prohibitions import Described

_SOMEBODY = (
    r"(?:(?:someone|somebody|an?|the|this|my|patients?|pts?|people|s?he|they)(?:['’]s|['’]ve)? )*"
)
_PROVISO = re.compile(
    rf"\b(?:if {_SOMEBODY}(?:(?:['’]s|is|are|has|have|had|got|takes|taking|on|with)\b ?)*"
    rf"|(?:with|in) {_SOMEBODY}(?:(?:with|who has|who have|has|known|on)\b ?)*"
    r"|(?:s?he|they|who|pt|patient)(?:['’]s| has| have|['’]ve)? (?:got|has|have|takes|had)"
    r"|s?he['’]s on|who is on|having)\s*(?P<what>[^?,.;:]+?)"
    r"(?=\s+(?:if|who|with|in|on)\b|\s*[?,.;:]|\s*\Z)",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:ok|okay|safe|allowed|fine|alright|please|pls|then|now)\b.*$", re.IGNORECASE
)
_LONGEST = 6  # words of a proviso


def provisos(question: str) -> list[str]:
    """Return the conditions that it is asked about whether something may be given.

    None with a value, which is compared with bands, and none where that isn't what is asked.
    """
    if not Described.of(question).may_it:
        return []
    found = (_ENDS.sub("", match["what"]).strip() for match in _PROVISO.finditer(question))
    return [
        what
        for what in found
        if what and len(what.split()) <= _LONGEST and not re.search(r"\d", what)
    ]
