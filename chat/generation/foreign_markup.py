"""Addresses, markup and look-alike words that a language model wrote and no guideline holds. Pure.

Nothing of a claim is rendered, and yet a reader could follow it: to a machine that nobody chose, or
to a medicine that is another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from chat.verification.texts import normalised

_ENDINGS = "com|org|net|io|gov|edu|info|biz|dev|app|xyz|top|site|online|link|me|co|uk|eu|de|ru|cn"
_FOREIGN = re.compile(
    r"""
      \b[a-z][a-z0-9+.-]*://\S*              # an address with its scheme
    | \b(?:mailto|javascript|data|vbscript|tel|file):\S+
    | \bwww\.\S+
    | \b[a-z][\w-]*(?:\.[a-z][\w-]*)+/\S*    # a name of a machine, with a path
    | \b[\w-]+(?:\.[\w-]+)*\.(?:ENDINGS)\b   # or alone
    | \S+@[\w-]+\.\S+                        # an e-mail address
    | <[a-z/!?][^>]*>?                       # HTML; `<5` and `< x` are comparisons
    | &(?:\#\w+|[a-z]\w{1,30});              # a character of HTML
    | !?\[[^\]]*\][(\[:][^)\]]*[)\]]?        # a link, an image or a reference of Markdown
    | `+|~~|\*\*|__
    | \{\{|\{%|\$\{                          # of templates
    | ^\s*\#{1,6}\s
    """.replace("ENDINGS", _ENDINGS),
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_]+")


def foreign(statement: str, quotes: Iterable[str]) -> str:
    """Return the first address, markup or word of two scripts that no quote holds; or empty."""
    quoted = [normalised(quote) for quote in quotes]
    for match in _FOREIGN.finditer(normalised(statement)):
        found = match.group().strip()
        if not any(found in quote for quote in quoted):
            return found
    words = (word for word in _WORD.findall(statement) if not word.isascii() and _is_mixed(word))
    return next((word for word in words if not any(word in quote for quote in quoted)), "")


def _is_mixed(word: str) -> bool:
    """Tell whether Latin letters stand beside another script's, as in a look-alike name."""
    scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in word}
    return "LATIN" in scripts and bool(scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
