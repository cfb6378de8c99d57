"""Find addresses, markup and look-alike words that a model wrote and no quote has. Pure.

Claims are never rendered as markup, but a reader could still follow an address to an unknown
server, or mistake a look-alike name for a medicine.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from chat.evidence.texts import normalised

_ENDINGS = "com|org|net|io|gov|edu|info|biz|dev|app|xyz|top|site|online|link|me|co|uk|eu|de|ru|cn"
_FOREIGN = re.compile(
    r"""
      \b[a-z][a-z0-9+.-]*://\S*              # an address with its scheme
    | \b(?:mailto|javascript|data|vbscript|tel|file):\S+
    | \bwww\.\S+
    | \b[a-z][\w-]*(?:\.[a-z][\w-]*)+/\S*    # a host name, with a path
    | \b[\w-]+(?:\.[\w-]+)*\.(?:ENDINGS)\b   # or without
    | \b[a-z][\w-]{2,}\.[a-z]{2,4}\b          # a file's name
    | \S+@[\w-]+\.\S+                        # an e-mail address
    | <[a-z/!?][^>]*>?                       # HTML; `<5` and `< x` are comparisons
    | &(?:\#\w+|[a-z]\w{1,30});              # a character reference of HTML
    | !?\[[^\]]*\][(\[:][^)\]]*[)\]]?        # a link, an image or a reference of Markdown
    | `+|~~|\*\*|__
    | \{\{|\{%|\$\{                          # of templates
    | ^\s*\#{1,6}\s
    """.replace("ENDINGS", _ENDINGS),
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_]+")


def foreign(statement: str, quotes: Iterable[str]) -> str:
    """Return the first address, markup or mixed-script word that no quote has; empty for none."""
    quoted = [normalised(quote) for quote in quotes]
    for match in _FOREIGN.finditer(normalised(statement)):
        text = match.group().strip()
        if not any(text in quote for quote in quoted):
            return text
    words = (word for word in _WORD.findall(statement) if not word.isascii() and _is_mixed(word))
    return next((word for word in words if not any(word in quote for quote in quoted)), "")


def _is_mixed(word: str) -> bool:
    """Tell whether a word mixes Latin letters with those of another script, as look-alikes do."""
    scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in word}
    return "LATIN" in scripts and bool(scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
