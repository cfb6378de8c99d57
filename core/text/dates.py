"""Dates that a question names. Pure."""

from __future__ import annotations

import re

from core.text.words import distinct

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_UNIT = r"(?:m[gl]|µg|mcg|ug|g|kg|units?|iu|u|kcal|cal\w*|patients?|ml|l|mmol|mol|mm|cm|%|\d)"
_DATE = re.compile(
    rf"\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:19|20)\d{{2}}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\s+(?:19|20)\d{{2}}\b"
    rf"|\b{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?(?:19|20)\d{{2}}\b"
    rf"|(?<![\d.,/-])\b(?:19|20)\d{{2}}\b(?![\d,./-]*\d)(?!\s*{_UNIT}\b)",
    re.IGNORECASE,
)


def dates(text: str) -> tuple[str, ...]:
    """Return days, months with a year, and years from 1900 to 2099, as typed, each once, in order.

    A number with a unit behind it, such as 2000 mg, is none.
    """
    return distinct(_DATE.findall(text))
