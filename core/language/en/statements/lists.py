"""Tell by its wording whether the items of a list make sense only together. Pure."""

from __future__ import annotations

import re

# What makes the items of a list one statement: its lead-in, or the end of an item.
_TOGETHER = re.compile(
    r"\b(?:the following|all of|any of|both|either|one of|at least (?:one|two|three|\d)"
    r"|one or more)\b",
    re.IGNORECASE,
)
# A question that asks for all items of a list.
_ASKS_ALL = re.compile(
    r"\b(?:list|criteria|contra-?indications?|indications|causes|signs|symptoms|features"
    r"|(?:risk )?factors|steps|red flags|side effects|complications|investigations|tests"
    r"|exclusions?|reasons|(?:what|which) are|which \w+s\b|all the)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\b(?:and|or)\s*[,;:]?\s*$", re.IGNORECASE)


def asks_for_all(question: str) -> bool:
    """Tell whether a question asks for all items of a list rather than one."""
    return bool(_ASKS_ALL.search(question))


def takes_items_together(lead: str) -> bool:
    """Tell whether a list's lead-in says that its items combine or are alternatives."""
    return bool(_TOGETHER.search(lead))


def joins_the_next(item: str) -> bool:
    """Tell whether an item ends in `and` or `or`."""
    return bool(_JOINED.search(item))
