"""How a table of a guard's cases is written.

> a quote                 or   > a quote {title, section and population of its passage}
+ a claim that the guard lets through
- a claim that it stops
! a claim that it stops as contradicted
"""

from __future__ import annotations

from dataclasses import dataclass

from chat.verification.types import Cited


@dataclass(frozen=True)
class Case:
    quote: str
    context: str
    sign: str
    claim: str

    @property
    def cited(self) -> Cited:
        return Cited((self.quote,), self.context)

    def __str__(self) -> str:
        return f"{self.sign} {self.claim}"


def cases(table: str) -> list[Case]:
    """All claims of a table, in order."""
    found, quote, context = [], "", ""
    for line in table.strip().splitlines():
        sign, text = line[0], line[1:].strip()
        if sign == ">":
            quote, _, rest = text.partition(" {")
            context = rest.rstrip("}")
        else:
            found.append(Case(quote, context, sign, text))
    return found
