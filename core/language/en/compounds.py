"""Tell which English words are written with a hyphen, where one may also divide a word. Pure.

Written for this project from the usage of British guidelines.
"""

from __future__ import annotations

import re

from core.language.en.medicines.names import drugs

# First parts that keep their hyphen.
_FIRST = frozenset(
    """
    alpha anti beta co cross first gamma half high long low mid non once post second self semi short
    third three twice two well
    """.split()
)
# Last parts that keep it behind a word of four letters or more.
_LAST = frozenset(
    """
    acting adjusted associated based blocker blockers dependent dose doses free guided induced
    lowering negative onset positive related release resistant risk sensitive sparing stage term
    threatening up
    """.split()
)
_LEAST_LETTERS = 4
_SOLID_BEFORE = frozenset(
    "counter electro hyper hypo immuno inter macro micro over super trans under".split()
)
# First parts that keep it before the vowel in which they end, as in `re-evaluate` and `pre-empt`.
_VOWEL_LAST = frozenset(
    """
    contra de di electro extra gastro immuno infra intra micro neuro pre re retro supra tri ultra
    """.split()
)
# Words that begin like a compound and are written as one, by their first letters.
_SOLID = re.compile(
    r"anti(?:bi|bod|ch|co|de|di|do|em|ep|fun|gen|his|hy|infec|mal|mic|nau|pla|psy|pyr|ret|sep|thr|vir)"
    r"|alphabet|beta(?:meth|hist|xol)|co(?:inc|op|ord|ex)|cross(?:ed|ing)|firstly|gammag"
    r"|high(?:er|est|l|ness)|long(?:er|est|it)|low(?:er|est|ly)|mid(?:az|dle|wi|line|day|ni)"
    r"|non(?:e|sense)|post(?:er|pone|ure|pa|n|op|ural|ing|al|ed)|second(?:ar|ly|s)|selfish|semin"
    r"|short(?:age|er|est|ly|ness|en|com)|threefold|twofold|wellness"
)


def keeps_hyphen(first: str, second: str) -> bool:
    """Tell whether `first-second` is a compound and not one word divided at a line's end."""
    first, second = first.casefold(), second.casefold()
    joined = first + second
    if _SOLID.match(joined) or (drugs(joined) and not drugs(second)):
        return False
    if first in _FIRST or (first in _VOWEL_LAST and second.startswith(first[-1])):
        return True
    return second in _LAST and len(first) >= _LEAST_LETTERS and first not in _SOLID_BEFORE
