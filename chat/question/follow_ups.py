"""Make a follow-up a self-contained question: by rules, or by a language model that they check.

The model is not trusted, and asked only where the rules see that something may be left out: a
self-contained question is never changed. Its wording must be one line, keep every number, medicine,
group of patients and negation of the question, add none that the conversation lacks, and keep the
severity that was asked about. Otherwise the result of the rules is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from core.language.en.clinical_terms import conditions
from core.language.en.medicines.names import drugs
from core.language.en.negation import negations
from core.language.en.patients.groups import populations
from core.language.en.patients.severity import severities
from core.language.en.threads.joining import by_rules
from core.language.en.threads.leaning import may_be_follow_up
from core.language.en.threads.types import Asked, Standalone
from core.language.gloss import ENGLISH, question_in_english, spoken_in
from core.llm.client import LanguageModelUnavailable
from core.llm.prompt_files import Prompt
from corpus.parsing.clean import clean_line
from retrieval.rewriting.asking import rewrite_asked, skipped_reason, unconfigured_reason

__all__ = ["PROMPT", "Asked", "Standalone", "standalone"]

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "follow_up_v1.txt", frozenset({"question", "before"})
)
MAX_TURNS = 4  # earlier turns that are considered
MAX_CHARS = 400  # of a model's wording
MAX_TOKENS = 200
NOT_ENGLISH = "What the question leaves out can be filled in only for a question in English."

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# What the model may neither add nor drop.
_NAMED: tuple[Callable[[str], Iterable[str]], ...] = (
    _NUMBER.findall,
    drugs,
    populations,
    lambda text: map(str.casefold, negations(text)),
)


def standalone(question: str, before: Sequence[Asked], *, by: str, timeout_s: float) -> Standalone:
    """Return the question in a form that can be searched by itself. A failing model never raises.

    `before` holds the turns of the conversation, oldest first, of which the last four count. `by`
    is `rules`, `llm` or `off`. A self-contained question is returned unchanged, and so is one with
    several possible meanings. No query.
    """
    if by == "off":
        return Standalone(question)
    before = before[-MAX_TURNS:]
    if spoken_in(question) != ENGLISH:
        return _in_another_language(question, before)
    ruled = by_rules(question, before)
    if by != "llm" or not before or not may_be_follow_up(question):
        return ruled
    text, failure = _worded(question, before, timeout_s)
    if failure or text == question:
        notes = (*ruled.notes, failure) if failure else ruled.notes
        return replace(ruled, notes=notes)
    model = f"llm:{settings.MODELS.rewrite.model}"
    return Standalone(text, is_follow_up=True, by=model)


def _in_another_language(question: str, before: Sequence[Asked]) -> Standalone:
    """Return the question as it is, unclear where it leans on one before it.

    The rules complete English questions only.
    """
    in_english = question_in_english(question)
    earlier = [
        replace(
            turn,
            question=question_in_english(turn.question),
            standalone=question_in_english(turn.standalone),
        )
        for turn in before
    ]
    ruled = by_rules(in_english, earlier)
    if not ruled.is_follow_up:
        return Standalone(question)
    typed = (turn.standalone or turn.question for turn in before)
    joined = " ".join([*typed, question])
    return Standalone(question, is_follow_up=True, notes=(NOT_ENGLISH,), before=joined)


def accepted(question: str, before: Sequence[Asked], answer: str) -> str:
    """Return a model's wording of the question, in one line; empty if it can't be used."""
    text = clean_line(answer).strip("\"'“”")
    if "\n" in answer.strip() or not 3 <= len(text) <= MAX_CHARS:
        return ""
    known = " \n ".join([*(turn.standalone or turn.question for turn in before), question])
    for named in _NAMED:
        if not set(named(question)) <= set(named(text)) <= set(named(known)):
            return ""
    levels = severities(text, text)
    is_as_severe = _kept_severities(question, text, before) <= levels <= severities(known, known)
    return text if is_as_severe else ""


def _kept_severities(question: str, text: str, before: Sequence[Asked]) -> frozenset[str]:
    """Return the severities of the last question, if the new one is about the same condition.

    Empty if the new question names a severity itself.
    """
    base = (before[-1].standalone or before[-1].question) if before else ""
    asked_again = {name for name, _ in conditions(text)} & {name for name, _ in conditions(base)}
    return severities(base, base) if asked_again and not severities(question, base) else frozenset()


def _worded(question: str, before: Sequence[Asked], timeout_s: float) -> tuple[str, str]:
    """Return the model's wording and no failure, or an empty wording and the reason."""
    if why := unconfigured_reason(timeout_s) or skipped_reason():
        return "", f"follow_up: {why}"
    earlier = "\n".join(f"- {turn.standalone or turn.question}" for turn in before)
    try:
        answer = rewrite_asked(
            PROMPT,
            {"question": question, "before": earlier},
            field="question",
            schema={"type": "string"},
            max_tokens=MAX_TOKENS,
            timeout_s=timeout_s,
        )
    except LanguageModelUnavailable as error:
        return "", f"follow_up: {error.sentence}"
    text = accepted(question, before, answer)
    return text, "" if text else "follow_up: the language model's wording was not fit for use."
