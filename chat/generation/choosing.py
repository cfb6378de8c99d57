"""Answer a multiple-choice question without a language model: choose the supported option.

The stem alone decides which statements of the evidence are relevant. An option is chosen because
one of these statements contains it, never because it is similar. In doubt none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from chat.evidence.quotable import quotable_units
from chat.generation.options import (
    held_by_quotes,
    held_words,
    plain_stem,
    refers_to_others,
    shares_a_root,
)
from chat.generation.types import Generation, Task
from chat.question.multiple_choice import is_exception
from chat.reader.choose import encoded_question
from chat.reader.features import Column, coverage
from chat.types import DraftClaim, Option, Unit
from core.language.en.medicines.names import drugs
from core.language.en.patients.groups import populations
from core.rounding import COSINE_DIGITS
from corpus.encoders.registry import get_embedder
from retrieval.lexical.search import AskedLexeme, asked_lexemes

MAX_PASSAGES = 8
CONTEXT_WEIGHT = 0.7  # of a lexeme found only in title, section or population
COVERAGE_WEIGHT = 0.5  # of the stem's lexemes, against cosine similarity
MIN_COVERAGE = 0.5  # share of the stem's lexemes that a statement about it must have
KEEP_RATIO = 0.85  # share of the best statement's score that the chosen one must reach
MARGIN = 0.05  # of the score, ahead of the best statement that supports another option
ALIEN_BY = 0.1  # cosine by which an exception is less like any statement than each other is
SMALL_MARGIN = 0.02  # if it has more words of the stem, the other's included


# Lexemes that only ask.
_ONLY_ASKING = frozenset(
    "mani much often done aim administ prescrib recommend appropri correct true follow statement"
    " option best".split()
)
_ADULT = frozenset({"adult", "elderly"})
_YOUNG = frozenset({"preterm", "neonate", "infant", "child", "adolescent"})
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_VALUE = re.compile(
    r"(\d+(?:[.,]\d+)*)\s*(?:mL/min|mmol/L|mg/L|mmHg|kg|mg|%|weeks?|hours?|minutes?)(?![\w/])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Scored:
    """A statement about the stem, with its score and the options that it supports."""

    unit: Unit
    score: float
    letters: frozenset[str]


def choose(task: Task) -> Generation:
    """Choose the option that one statement of the passages supports; the claim is that statement.

    For a stem that asks for the exception, choose the only option that no statement supports; the
    claims are the statements that support the others. No claims where no option can be chosen. Runs
    three queries. Deterministic.
    """
    if not task.options or refers_to_others(task.options):
        return Generation(())
    statements = _statements(task)
    if is_exception(task.question):
        return _exception(task, statements)
    return _best(plain_stem(task.question), statements)


def _best(stem: str, scored: Sequence[_Scored]) -> Generation:
    """Choose the option of the best supporting statement, by a margin to any other option's."""
    if not scored:
        return Generation(())
    bearing = [each for each in scored if each.letters]
    if not bearing or bearing[0].score < KEEP_RATIO * scored[0].score:
        return Generation(())
    first = bearing[0]
    others = [each for each in bearing if each.letters != first.letters]
    if len(first.letters) > 1 or not all(_is_better(stem, first, other) for other in others):
        return Generation(())
    (letter,) = first.letters
    return Generation((_claim(first.unit),), option=letter)


def _is_better(stem: str, first: _Scored, other: _Scored) -> bool:
    """Tell whether a statement is ahead of another by `MARGIN`.

    `SMALL_MARGIN` is enough where it has all the words of the stem that the other has, and more.
    """
    ahead = first.score - other.score
    more = held_words(stem, first.unit.text) > held_words(stem, other.unit.text)
    return ahead >= (SMALL_MARGIN if more else MARGIN)


def _exception(task: Task, scored: Sequence[_Scored]) -> Generation:
    letters = [option.letter for option in task.options]
    borne = {letter: next((s for s in scored if letter in s.letters), None) for letter in letters}
    unborne = [option for option in task.options if borne[option.letter] is None]
    if len(unborne) != 1:
        return Generation(())
    (odd,) = unborne
    if not _is_dissimilar(odd, task.options, [each.unit.text for each in scored]):
        return Generation(())  # a statement may support it in other words
    units = dict.fromkeys(best.unit for best in borne.values() if best is not None)
    return Generation(tuple(_claim(unit) for unit in units), option=odd.letter)


def _is_dissimilar(odd: Option, options: Sequence[Option], statements: Sequence[str]) -> bool:
    """Tell whether an option shares no word with the statements and is clearly less like them."""
    if any(shares_a_root(odd.text, statement) for statement in statements):
        return False
    embedder = get_embedder()
    made = embedder.encode([option.text for option in options]) @ embedder.encode(statements).T
    nearest = dict(zip(options, made.max(axis=1).round(COSINE_DIGITS), strict=True))
    return all(
        nearest[odd] + ALIEN_BY <= nearest[option] for option in options if option is not odd
    )


def _claim(unit: Unit) -> DraftClaim:
    return DraftClaim(text=unit.text, quotes=unit.quotes, caption=unit.caption)


def _statements(task: Task) -> list[_Scored]:
    """Return the statements that are about the stem, best first; ties in reading order.

    None if the stem has a term that no document has.
    """
    stem = plain_stem(task.question)
    units, lexemes = quotable_units(task.passages[:MAX_PASSAGES], stem), asked_lexemes(stem)
    if not units or any(_is_unknown_term(lexeme) for lexeme in lexemes):
        return []
    held = _coverage(units, lexemes)
    unnumbered = [lexeme for lexeme in lexemes if not lexeme.lexeme[:1].isdigit()]
    in_words = _coverage(units, unnumbered)
    embedder = get_embedder()
    is_english = embedder.is_english
    vectors = embedder.encode([unit.embedded_text(in_english=is_english) for unit in units])
    cosine = vectors @ embedder.encode_queries([encoded_question(stem, embedder)])[0]
    # Rounded, so that the last bits of a float never decide between two statements.
    scores = np.round(COVERAGE_WEIGHT * held + (1 - COVERAGE_WEIGHT) * cosine, COSINE_DIGITS)
    order = sorted(range(len(units)), key=lambda i: (-scores[i], i))
    return [
        _Scored(
            units[i],
            float(scores[i]),
            frozenset(held_by_quotes(task.options, task.question, units[i].text, units[i].quotes)),
        )
        for i in order
        if max(held[i], in_words[i]) >= MIN_COVERAGE and _is_about(stem, units[i])
    ]


def _coverage(units: Sequence[Unit], lexemes: Sequence[AskedLexeme]) -> Column:
    own, around = coverage(units, lexemes)
    return own + CONTEXT_WEIGHT * (around - own)


def _is_unknown_term(lexeme: AskedLexeme) -> bool:
    """Tell whether no document has this lexeme, so that none can answer a question about it.

    Numbers, which are compared with ranges, and words that only ask are never unknown.
    """
    is_asking = lexeme.lexeme[:1].isdigit() or lexeme.lexeme in _ONLY_ASKING
    return not (lexeme.document_frequency or lexeme.terms or is_asking)


def _is_about(stem: str, unit: Unit) -> bool:
    """Tell whether a statement is about the stem's medicines, patients and values."""
    text = f"{unit.context} {unit.text}"
    if not set(drugs(stem)) <= set(drugs(text)):
        return False
    if not _are_patients(set(populations(stem)), set(populations(text))):
        return False
    values = set(_VALUE.findall(stem))
    return unit.holds_asked_number or _values(values) <= _values(_NUMBER.findall(text))


def _values(numbers: Iterable[str]) -> set[float]:
    """Return numbers by value: `14` as 14.0, and without the comma that groups thousands."""
    return {float(number.replace(",", "")) for number in numbers if number.count(".") < 2}


def _are_patients(wanted: set[str], stated: set[str]) -> bool:
    """Tell whether a statement is for the patients asked about.

    A statement may leave out the age but not give another; any other group of patients asked about
    must be named.
    """
    ages = wanted & (_ADULT | _YOUNG)
    other = stated & (_ADULT | _YOUNG)
    if ages and other and not (ages & other or (ages <= _ADULT and other <= _ADULT)):
        return False
    return wanted - _ADULT - _YOUNG <= stated
