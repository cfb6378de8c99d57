"""Tell whether evidence supports an option of a multiple-choice question. No query.

An option is rarely a sentence: `every 36 hours` only means something after its stem. So its numbers
and medicines are checked, its words are compared as a whole, and a negation of the stem is compared
with one of the evidence. Whether the evidence is about the right patients and subject was decided
when the statements were chosen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chat.checks import medicines
from chat.checks.claims import check_numbers
from chat.evidence.judgements import Evidence
from chat.evidence.texts import normalised
from chat.generation.types import Task
from chat.question.multiple_choice import is_exception
from chat.types import DraftClaim, Option, Quote
from core.language.en.negation import negations
from core.language.en.sentences import sentence_spans

NEARER_BY = 0.2  # share of the stem's words that a closer sentence has more than another
ROOT_CHARS = 5  # of a word: two words that begin with the same are forms of one
_FUNCTION = re.compile(r"\b(?:an?|the|of|to|is|are|be|it|its)\b", re.IGNORECASE)
_STOP = re.compile(r"\b(?:stop(?:s|ped|ping)?|discontinue\w*)\b", re.IGNORECASE)
_OF_THESE = re.compile(
    r"\s*\b(?:one\s+)?of\s+(?:the\s+following|these)\b(?:\s+(?:statements?|options?|answers?))?",
    re.IGNORECASE,
)
# What makes a stem ask for the exception.
_FRAME = re.compile(
    r"(?i:\b(?:all|any|each)\b|\b(?:except|excluding)\b|\b(?:is|are)\s+not\b|\bnot\s+(?:true|correct)\b"
    r"|\bleast\s+(?:likely|appropriate|suitable|correct)\b|\b(?:false|incorrect|untrue)\b)"
    r"|\b(?:NOT|LEAST)\b"
)
_TOGETHER = re.compile(
    r"\b(?:all|none|both|any|neither|either)\s+(?:of\s+)?(?:the\s+)?(?:above|these|them|others?"
    r"|[A-E]\b)|\b[A-E]\s*(?:and|or|&|,)\s*[A-E]\b",
)


def option_of(letter: str, task: Task) -> Option | None:
    """Return the option with this letter; None if the question has none."""
    return next((option for option in task.options if option.letter == letter), None)


def option_is_supported(letter: str, task: Task, claims: Sequence[DraftClaim]) -> bool:
    """Tell whether verified claims support an option.

    For a stem that asks for the exception: whether the claims support all other options and not
    this one. A claim that supports several options decides between none of them.
    """
    if option_of(letter, task) is None or refers_to_others(task.options):
        return False
    supported = [_held_by_claim(claim, task) for claim in claims]
    if is_exception(task.question):
        others = {option.letter for option in task.options} - {letter}
        return set().union(*supported) == others
    return {letter} in supported


def refers_to_others(options: Sequence[Option]) -> bool:
    """Tell whether an option refers to others, as `All of the above` and `both A and C` do.

    No guideline can support such an option.
    """
    return any(_TOGETHER.search(option.text) for option in options)


def plain_stem(stem: str) -> str:
    """Return the stem without examination wording such as `which of the following`."""
    plain = _OF_THESE.sub(" ", stem)
    return " ".join((_FRAME.sub(" ", plain) if is_exception(stem) else plain).split())


def held(options: Sequence[Option], stem: str, text: str, *, lead: str = "") -> set[str]:
    """Return the letters of the options that one sentence or row of the text supports.

    If the sentence contains an option word for word, options whose words are scattered over it
    don't count. `lead` introduces the text, as the line above a list does, and may negate it. Where
    several sentences support options, one that is clearly closer to the stem counts alone.
    """
    plain = plain_stem(stem)
    shares: list[tuple[float, set[str]]] = []
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        turned = _is_turned(f"{lead} {sentence}")
        alike = [o for o in options if _is_turned(f"{plain} {o.text}") == turned]
        letters = _whole_in(sentence, alike) or {
            o.letter
            for o in alike
            if _content(o.text) <= _content(sentence) and _is_counted(o.text, sentence)
        }
        if letters:
            shares.append((overlap(plain, sentence), letters))
    nearest = max((share for share, _ in shares), default=0.0)
    return set().union(*(letters for share, letters in shares if share > nearest - NEARER_BY))


def held_words(part: str, text: str) -> set[str]:
    """Return the words and numbers of `part` that `text` has too, in lower case."""
    return _content(part) & _content(text)


def overlap(part: str, text: str) -> float:
    """Return the share of the words of `part` that `text` has, in [0, 1]; 0 for no words."""
    own = _content(part)
    return len(held_words(part, text)) / len(own) if own else 0.0


def shares_a_root(option: str, text: str) -> bool:
    """Tell whether option and text share a number, or a word by its first letters."""
    return bool(_roots(option) & _roots(text))


def _roots(text: str) -> set[str]:
    return {word[:ROOT_CHARS] for word in _content(text) if word[0].isdigit() or len(word) > 3}


def held_by_quotes(
    options: Sequence[Option], stem: str, text: str, quotes: Sequence[Quote]
) -> set[str]:
    """Return the letters of the options that the first quote supports.

    If the displayed `text` ends with the first quote, the other quotes are its lead-in; otherwise
    they are labels and footnotes of a row.
    """
    first = quotes[0].text
    is_item = len(quotes) > 1 and text.endswith(" ".join(first.split()))
    lead = " ".join(quote.text for quote in quotes[1:]) if is_item else ""
    return held(options, stem, first, lead=lead)


def _held_by_claim(claim: DraftClaim, task: Task) -> set[str]:
    """Return the letters of the options that both a claim and one of its quotes support.

    The first quote alone decides where the claim has all of its words.
    """
    if not claim.quotes:
        return set()
    question = (task.options, task.question)
    quoted = held_by_quotes(*question, claim.text, claim.quotes)
    if _content(claim.quotes[0].text) <= _content(claim.text):
        return quoted
    for quote in claim.quotes[1:]:
        quoted |= held(*question, quote.text)
    return quoted & held(*question, claim.text)


def _is_turned(text: str) -> bool:
    return bool(negations(text) or _STOP.search(text))


def _whole_in(sentence: str, options: Sequence[Option]) -> set[str]:
    """Return the letters of the options that a sentence contains word for word.

    An option that is part of another such option is dropped. A single option must also have its
    numbers and medicines in the sentence; among several, numbers can't tell which is meant.
    """
    standing = [option for option in options if _stands_in(option.text, sentence)]
    longest = [
        each
        for each in standing
        if not any(each is not other and _stands_in(each.text, other.text) for other in standing)
    ]
    if len(longest) > 1:
        return {option.letter for option in longest}
    return {option.letter for option in longest if _is_counted(option.text, sentence)}


def _stands_in(option: str, sentence: str) -> bool:
    """Tell whether a sentence has an option word for word, not within a longer word or number."""
    plain = re.escape(normalised(option).casefold().rstrip("."))
    text = normalised(sentence).casefold()
    return bool(re.search(rf"(?<![\w.,/-]){plain}(?![\w/]|[.,]\d)", text))


def _is_counted(option: str, sentence: str) -> bool:
    """Tell whether the sentence has each number and medicine of the option."""
    evidence = Evidence((sentence,))
    return not any(check(option, evidence) for check in (check_numbers, medicines.check))


def _content(text: str) -> set[str]:
    plain = _FUNCTION.sub(" ", normalised(text)).casefold()
    return set(re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", plain))
