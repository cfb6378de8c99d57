"""Contents of a language model's answers: honest, false, gullible or random."""

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.llm.prompts import Shown, one_line
from tests.llm.server import Reply

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")
_LITTLE = frozenset(
    "what which when where does should give given with from that this have the and for are how "
    "much many long can who why take into than then there".split()
)


@dataclass(frozen=True)
class Said:
    """A claim as the model words it. An empty `key` means that of the passage with the quote."""

    text: str
    quote: str
    key: str = ""

    def as_json(self, shown: Shown) -> dict[str, Any]:
        key = self.key or shown.key_of(self.quote)
        return {"text": self.text, "citations": [{"passage": key, "quote": self.quote}]}


def claims(*said: Said) -> Reply:
    """Make just these claims, whatever is asked."""
    return lambda shown: as_content([one.as_json(shown) for one in said])


def as_content(found: Sequence[dict[str, Any]], *, option: str = "none") -> str:
    return json.dumps({"claims": list(found), "option": option})


def verbatim(words: str) -> Said:
    """Return a sound claim: its quote, word for word."""
    return Said(words, words)


def honest(shown: Shown) -> str:
    """Claim the two units with most of the question's words, each quoted.

    As well-behaved as a rule can be: it claims nothing that it doesn't quote.
    """
    return _answer(shown, _nearest(_units(shown), shown.question)[:2])


@dataclass(frozen=True)
class Known:
    """Where a question's answer is."""

    span: str
    titles: tuple[str, ...]


def informed(answers: Mapping[str, Known]) -> Reply:
    """Answer known questions from the known place, and others with no claim."""

    def reply(shown: Shown) -> str:
        known = answers.get(shown.question)
        if known is None:
            return as_content([])
        found = [unit for unit in _units(shown) if _holds(unit, shown, known)]
        return _answer(shown, _nearest(found, shown.question)[:1]) if found else honest(shown)

    return reply


def _holds(unit: Said, shown: Shown, known: Known) -> bool:
    return known.span in unit.text and shown.about[unit.key].startswith(known.titles)


def _nearest(units: Sequence[Said], question: str) -> list[Said]:
    """Sort the units by the number of words shared with the question; ties in reading order."""
    asked = _roots(question)
    return sorted(units, key=lambda unit: -len(asked & _roots(unit.quote)))


def _answer(shown: Shown, chosen: Sequence[Said]) -> str:
    said = " ".join(unit.quote.lower() for unit in chosen)
    options = [letter for letter, text in shown.options.items() if text.lower() in said]
    found = [unit.as_json(shown) for unit in chosen]
    return as_content(found, option=options[0] if len(options) == 1 else "none")


def _units(shown: Shown) -> list[Said]:
    """Return sentences, items and rows of the passages, without headings (under four words)."""
    return [
        Said(one_line(unit), unit, key)
        for key, text in shown.passages.items()
        for unit in _SENTENCE.split(text)
        if len(unit.split()) >= 4
    ]


def _roots(text: str) -> set[str]:
    words = {word.lower() for word in _WORD.findall(text)}
    return {word[:6] for word in words if len(word) > 2 or word.isdigit()} - _LITTLE


# Random text

WORDS = (
    "river table seven often green under the of mistake vessel copper quiet engine not patient "
    "dose give mg 500 daily oral never kidney avoid child adult 12 hours tablet when stop rash "
    "sugar winter letter circle marble walk history pencil forest orange"
).split()


def words(generator: random.Random, count: int) -> str:
    return " ".join(generator.choices(WORDS, k=count))


def babbles(generator: random.Random) -> Reply:
    """Write random text without any form."""
    return lambda shown: words(generator, generator.randrange(1, 60))


def babbles_in_form(generator: random.Random, *, are_quotes_real: bool) -> Reply:
    """Write random claims in the right form, with real keys and real or random quotes."""

    def reply(shown: Shown) -> str:
        return as_content([claim(shown) for _ in range(generator.randrange(1, 5))])

    def claim(shown: Shown) -> dict[str, Any]:
        key = generator.choice(sorted(shown.passages))
        quote = words(generator, 8)
        if are_quotes_real:
            quote = generator.choice(
                [part for part in _SENTENCE.split(shown.passages[key]) if part]
            )
        return Said(words(generator, generator.randrange(4, 20)), one_line(quote), key).as_json(
            shown
        )

    return reply


def babble(generator: random.Random) -> Reply:
    """Choose one kind of random text."""
    kinds: list[Callable[[random.Random], Reply]] = [
        babbles,
        lambda g: babbles_in_form(g, are_quotes_real=False),
        lambda g: babbles_in_form(g, are_quotes_real=True),
        lambda g: lambda shown: bytes(g.randbytes(80)).decode("latin-1"),
    ]
    return generator.choice(kinds)(generator)
