"""Text as PostgreSQL's full text should see it. Pure; used for what is indexed and what is asked.

The English parser reads `.5 mg` as `5`, `mg`, takes `metformin/sitagliptin` and `mg/kg` for file
paths, and `IL-6` for `il` and `-6`. Only the search vector is made from this text; what is
quoted, embedded or verified never is.
"""

import re
import unicodedata

_GREEK = {
    "α": " alpha ", "β": " beta ", "γ": " gamma ", "δ": " delta ", "κ": " kappa ",
    "λ": " lambda ", "µ": "u", "μ": "u", "ω": " omega ",
}  # fmt: skip
_LEADING_POINT = re.compile(r"(?<![\d.])\.(?=\d)")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}\b(?!,))")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_SLASH = re.compile(r"(?<=\w)/(?=\w)")
_HYPHEN_NUMBER = re.compile(r"\b([A-Za-z]{1,12})-(\d+[A-Za-z]?)\b")
_OVER_PAGES = re.compile(r"([^\W\d_]{2,})-\n([^\W\d_]+)")
_SPACES = re.compile(r"\s+")


def normalise(text: str) -> str:
    """The same words with the parser's traps taken out; order and case are kept."""
    text = unicodedata.normalize("NFKC", text)
    for letter, name in _GREEK.items():
        text = text.replace(letter, name)
    text = text.replace("\u2010", "-").replace("\u2011", "-").replace("\u2212", "-")
    # A page break after a hyphen may divide a word or a compound: it is found as both.
    text = _OVER_PAGES.sub(r"\1\2 \1-\2", text)
    text = _LEADING_POINT.sub("0.", text)
    text = _THOUSANDS.sub("", text)
    text = _DECIMAL_COMMA.sub(".", text)
    text = _SLASH.sub(" / ", text)
    # `IL-6` is found as `il6`, and also as it was typed without the hyphen.
    text = _HYPHEN_NUMBER.sub(r"\1\2 \1 \2", text)
    return _SPACES.sub(" ", text).strip()
